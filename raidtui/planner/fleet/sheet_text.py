"""The sheet of a fleet as text for a terminal, and as a Markdown document to sign."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidtui.model.by_key import by_key
from raidtui.model.counted import counted
from raidtui.model.fleet.sheet import FleetSums, Sheet, SheetKind, SheetOrder
from raidtui.model.safe import safe
from raidtui.model.units import binary_size, decimal_size, grouped
from raidtui.planner.amounts import known_rate
from raidtui.planner.fleet.recipe_file import recipe_toml
from raidtui.planner.numbers import hours, loss_words, odds, two_digits
from raidtui.planner.text.markdown_escape import fence, table
from raidtui.planner.text.summary import columns
from raidtui.tools.nodeset import fold_nodeset

_LONGEST = 200
"""characters of a host's own text in a line"""
_KIND_HEADS = ("HOSTS", "LAYOUT", "DISKS", "USABLE EACH", "READ", "WRITE", "REBUILD", "LOSS A YEAR")
_LEFT_OUT = "Left out"
_ERASED = "A plan erases every disk that it names; the disks of each host are in its HOST/plan.json."


def sheet_text(sheet: Sheet) -> str:
    """Kinds of hosts, sums, and every host without a plan or unlike the others with its reason."""
    lines = [_head(sheet), ""]
    if sheet.kinds:
        rows = [_KIND_HEADS, *(_kind_row(kind) for kind in sheet.kinds)]
        lines += [*columns(rows, right=(2, 3, 4, 5, 6, 7)), ""]
        width = max(len(name) for name, _ in sums_rows(sheet.sums))
        lines += [f"{name.ljust(width)}  {value}" for name, value in sums_rows(sheet.sums)]
        lines += ["", f"Built: {order_text(sheet.order)}"]
    for title, found in _exceptions(sheet):
        lines += ["", title, *(f"  {text}" for text in _host_lines(found))]
    return "\n".join(lines)


def order_text(order: SheetOrder) -> str:
    """In which order the hosts are built, and what stops it."""
    return (
        f"{safe(order.first)} alone, then up to {counted(order.wave_size, 'host')} at a time; none further once "
        f"{safe(order.first)} or {counted(order.stop_after, 'host')} ended badly"
    )


def left_out_lines(sheet: Sheet) -> list[str]:
    """Hosts without a plan, folded by reason."""
    return [text for title, found in _exceptions(sheet) if title == _LEFT_OUT for text in _host_lines(found)]


def _host_lines(found: Sequence[tuple[str, str]]) -> list[str]:
    return [f"{hosts}: {safe(reason, longest=_LONGEST)}" for hosts, reason in found]


def sheet_markdown(sheet: Sheet) -> str:
    """The document that is signed: what is erased, what is built, what it gives, host by host. Outside text is
    escaped."""
    parts = [
        f"# Fleet sheet: {counted(sheet.sums.planned, 'host')}, {counted(sheet.sums.disks, 'disk')} erased",
        f"**{counted(sheet.sums.disks, 'disk')} on {counted(sheet.sums.planned, 'host')} will be erased.** Their "
        f"content cannot be recovered. {_ERASED}",
        f"- digest of this sheet: `{sheet.digest}`\n"
        "- check first, which writes nothing: `raidtui fleet check DIR`\n"
        f"- build: `raidtui fleet build DIR`, {order_text(sheet.order)}",
        "## Alike hosts",
        table(
            tuple(head.capitalize() for head in _KIND_HEADS), [_kind_row(kind) for kind in sheet.kinds],
            frozenset(range(2, 8)),
        ),
        "## All hosts together",
        table(("figure", "value"), sums_rows(sheet.sums)),
    ]  # fmt: skip
    for title, found in _exceptions(sheet):
        parts += [f"## {title}", table(("hosts", "reason"), [(hosts, reason) for hosts, reason in found])]
    rows = [
        (host.host, str(len(host.erases)), host.digest or "", ", ".join(host.warnings) or "none")
        for host in sheet.hosts
        if host.state == "planned"
    ]
    parts += [
        "## Every host",
        table(("host", "disks erased", "digest of its plan", "warnings"), rows, frozenset((1,))),
        "## Recipe",
        fence(recipe_toml(sheet.recipe).rstrip("\n"), "toml"),
        "## Approval",
        table(("Name", "Date", "Signature"), [("", "", "")]),
    ]
    return "\n\n".join(parts) + "\n"


def folded(hosts: Sequence[str]) -> str:
    """`node[01-57,59]`: the hosts as one node set, escaped."""
    return safe(fold_nodeset(hosts))


def _head(sheet: Sheet) -> str:
    sums = sheet.sums
    simulated = f" ({counted(sums.simulated, 'host')} simulated)" if sums.simulated else ""
    without = [f"{count} {word}" for count, word in ((sums.left_out, "left out"), (sums.refused, "refused")) if count]
    return (
        f"sheet {sheet.digest[:12]}: {counted(sums.planned, 'host')} planned{simulated}"
        f"{''.join(f', {text}' for text in without)}; erases {counted(sums.disks, 'disk')}; not executed"
    )


def kind_rows(kind: SheetKind) -> list[tuple[str, str]]:
    """What each host of a kind is predicted to give, by name."""
    return [(head.lower(), value) for head, value in zip(_KIND_HEADS[1:], _kind_row(kind)[1:], strict=True)]


def _kind_row(kind: SheetKind) -> tuple[str, ...]:
    return (
        folded(kind.hosts),
        kind.layout,
        str(kind.disks),
        binary_size(kind.usable_bytes),
        known_rate(kind.seq_read.bytes_per_s),
        known_rate(kind.seq_write.bytes_per_s),
        "not known" if kind.rebuild_hours is None else hours(kind.rebuild_hours),
        "not known" if kind.any_loss_1y is None else odds(kind.any_loss_1y),
    )


def sums_line(sums: FleetSums) -> str:
    """The figures of all planned hosts in one line."""
    failures = sums.disk_failures_1y
    expected = "" if failures is None else f"; {two_digits(failures)} fail a year"
    return (
        f"erases {counted(sums.disks, 'disk')}; {binary_size(sums.usable_bytes)}; "
        f"read {known_rate(sums.read_bytes_per_s)}, write {known_rate(sums.write_bytes_per_s)}{expected}"
    )


def sums_rows(sums: FleetSums) -> list[tuple[str, str]]:
    """Figures of all planned hosts, by name."""
    rows = [
        ("usable", f"{grouped(sums.usable_bytes)} bytes, {binary_size(sums.usable_bytes)}"),
        (
            "disks",
            f"{grouped(sums.disks)}, {grouped(sums.spares)} of them hot spares; {decimal_size(sums.raw_bytes)} raw",
        ),
        ("reading, all hosts at once", known_rate(sums.read_bytes_per_s)),
        ("writing, all hosts at once", known_rate(sums.write_bytes_per_s)),
    ]
    if sums.slowest_read is not None and sums.slowest_write is not None:
        reads, writes = sums.slowest_read, sums.slowest_write
        slowest = f"reading {safe(reads.host)} {known_rate(reads.bytes_per_s)}, writing {safe(writes.host)} "
        rows.append(("slowest host", f"{slowest}{known_rate(writes.bytes_per_s)}"))
    if sums.disk_failures_1y is None or sums.any_loss_1y is None or sums.any_loss_1y_correlated is None:
        return [*rows, ("failures and loss", "not known: drives behind hardware controllers")]
    loss = loss_words(sums.any_loss_1y, sums.any_loss_1y_correlated)
    restock = two_digits(sums.restock_days or 0)
    return [
        *rows,
        ("disk failures a year", f"{two_digits(sums.disk_failures_1y)} expected"),
        ("data loss, anywhere", loss),
        ("spares on the shelf", f"{sums.spares_on_shelf}: enough 95 % of the time, {restock} days to restock"),
    ]


def _exceptions(sheet: Sheet) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Hosts of each state that is not the rule, folded by reason."""
    for title, state in (("Refused", "refused"), (_LEFT_OUT, "left out"), ("Planned, but not like most", "planned")):
        told = (host for host in sheet.hosts if host.state == state and (host.differs or state != "planned"))
        if reasons := by_key((host.reason or host.differs, host.host) for host in told):
            yield title, [(folded(hosts), reason) for reason, hosts in reasons.items()]
