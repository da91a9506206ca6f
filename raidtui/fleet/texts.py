"""Text of a look at many hosts: one line for each distinct machine, each problem and each change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from raidtui.answers.plain_text import columns
from raidtui.fleet.recipe import recipe_toml
from raidtui.fleet.sheet import FleetSums, Sheet, SheetKind, SheetOrder
from raidtui.fleet.ssh import fold_nodeset
from raidtui.fleet.stage import waves
from raidtui.fleet.values import (
    Change,
    DiskGroup,
    FleetCheck,
    FleetLook,
    HostDifference,
    HostLook,
    HostStage,
    HostState,
    MachineGroup,
    Rollout,
    RolloutDecision,
)
from raidtui.values.amounts import hours, known_rate, listed, loss_words, moment, odds, two_digits
from raidtui.values.codec import by_key
from raidtui.values.findings import warnings
from raidtui.values.run import RunStatus
from raidtui.values.safe import fence, safe, table
from raidtui.values.units import binary_size, counted, decimal_size, grouped

_NAMED = 4
"""bays or differences that are named one by one"""
_LONGEST = 60
"""characters of a host's own text"""
STATE_WORDS: Mapping[HostState, str] = {
    "answered": "answered",
    "refused": "refused",
    "unreachable": "unreachable",
    "key-changed": "host key not accepted",
    "timed-out": "timed out",
    "half": "half an answer",
    "too-large": "answer too large",
    "garbage": "no valid answer",
    "other-host": "answer to another request",
    "other-version": "another version of raidtui",
    "absent": "raidtui is missing",
    "failed": "failed",
    "other-machine": "another machine",
    "claimed": "followed by another control host",
}


def look_lines(look: FleetLook) -> list[str]:
    """The whole answer but its findings."""
    hosts = look.inventory.hosts
    answered = len(look.inventory.inventories)
    slowest = max((each.answered_in_s for each in hosts), default=0.0)
    lines = [f"{answered} of {counted(len(hosts), 'host')} answered, the slowest in {slowest:.1f} s"]
    lines += [f"{fold_nodeset(group.hosts)}: {machine_text(group, first=not number)}"
              for number, group in enumerate(look.machines)]  # fmt: skip
    lines += _usage(look.inventory.free_disks)
    lines += problem_lines(look.inventory.problems)
    return lines + _changes(look)


def disks_line(look: FleetLook) -> str:
    """The disks of all hosts that answered in one line."""
    inventories = look.inventory.inventories.values()
    count = sum(len(each.disks) for each in inventories)
    raw = sum(disk.size_bytes for each in inventories for disk in each.disks)
    free = sum(unused for unused, _ in look.inventory.free_disks.values())
    held = f", {grouped(count - free)} not free" if free < count else ", all free"
    kinds = f"; {counted(len(look.machines), 'distinct machine')}" if look.machines else ""
    return f"{grouped(count)} disks, {decimal_size(raw)} raw{held}{kinds}"


def problem_lines(looks: Sequence[HostLook]) -> list[str]:
    """Each problem once, with all its hosts and the way out."""
    groups = by_key(
        ((look.state, without_host(look.problem.sentence, look.host)), (look.host, look.problem))
        for look in looks
        if look.problem is not None
    )
    lines = []
    for (state, sentence), members in groups.items():
        (_, first), *more = members
        words = f"{STATE_WORDS[state]}: {safe(sentence if more else first.sentence)}"
        lines += [f"{fold_nodeset(host for host, _ in members)}: {words}", f"  {safe(first.hint)}"]
    return lines


def without_host(sentence: str, host: str) -> str:
    """`sentence` as it is the same for all hosts to which it happens."""
    return sentence.replace(host, "HOST")


def difference_text(each: HostDifference) -> str:
    """`slot 7 empty`, `firmware SN05 in place of SN04`, `slot 9: firmware SN05 in place of SN04`."""
    places = _places(each.places)
    match each.kind:
        case "missing":
            return f"{places} empty ({_raw(each.value)} elsewhere)"
        case "added":
            return f"{places}: {_raw(each.value)} more"
        case "disk":
            edit = f"{_raw(each.property)} {_raw(each.value)} in place of {_raw(each.usual)}"
            return f"{places}: {edit}" if places else f"{edit} on all disks"
        case "controller" if each.property is None:
            here = "no controller" if each.value is None else _raw(each.value)
            return f"{here} at {places}" + (f" in place of {_raw(each.usual)}" if each.usual is not None else "")
        case _:
            noun = "controller " if each.kind == "controller" else ""
            return f"{noun}{places}: {_raw(each.property)} {_raw(each.value)} in place of {_raw(each.usual)}"


def change_text(each: Change) -> str:
    """`slot 7: disk wwn-0x5000 is gone`, `firmware SN04, now SN05: 60 disks`."""
    edit = f"{_raw(each.before)}, now {_raw(each.after)}"
    match each.kind:
        case "disk-gone" | "disk-new":
            what = "gone" if each.kind == "disk-gone" else "new"
            names = [_raw(disk) for disk in each.disks[:_NAMED]]
            if len(each.disks) > _NAMED:
                return f"{counted(len(each.disks), 'disk')} {'are' if len(each.disks) > 1 else 'is'} {what}"
            return f"{_places(each.places)}: {listed(names)} {'are' if len(names) > 1 else 'is'} {what}"
        case "disk-moved":
            return f"{listed([_raw(disk) for disk in each.disks[:_NAMED]])} moved from {_raw(each.before)} to " + (
                _raw(each.after)
            )
        case "version":
            return f"{_raw(each.property)} {edit}"
        case _:
            noun = "content" if each.property is None else _raw(each.property)
            return f"{noun} {edit}: {_places(each.places)}"


def machine_text(group: MachineGroup, *, first: bool) -> str:
    """The disks of the most common machine (`first`), of any other one its differences from that."""
    disks = _disks(group.disks)
    if first:
        return f"{disks}{', alike' if len(group.hosts) > 1 else ''}"
    count = sum(each.count for each in group.disks)
    edited = sum(max(len(each.places), 1) for each in group.differences if each.kind in ("missing", "added"))
    if edited > count:
        return f"{disks}, another machine"
    texts = [difference_text(each) for each in group.differences[:_NAMED]]
    more = len(group.differences) - _NAMED
    return "; ".join((*texts, *((f"and {counted(more, 'difference')} more",) if more > 0 else ())))


def _disks(groups: Sequence[DiskGroup]) -> str:
    """`60 x 2 TB ST2000 firmware SN04, 2 x 480 GB ...`."""
    texts = [
        " ".join(
            (f"{each.count} x {decimal_size(each.size_bytes)}", *((_raw(each.model),) if each.model else ()),
             *((f"firmware {_raw(each.firmware)}",) if each.firmware else ()))
        )
        for each in groups[:_NAMED]
    ]  # fmt: skip
    left = sum(each.count for each in groups[_NAMED:])
    return ", ".join((*texts, *((f"{counted(left, 'disk')} more",) if left else ()))) or "no disks"


def _usage(free: Mapping[str, tuple[int, int]]) -> Iterator[str]:
    """How many disks are free, where it is not all of them."""
    for (unused, count), hosts in by_key((counts, host) for host, counts in free.items()).items():
        if unused < count:
            yield f"{fold_nodeset(hosts)}: {unused} of {counted(count, 'disk')} free"


def _changes(look: FleetLook) -> list[str]:
    if not look.compared:
        return []
    times = sorted({each.since for each in look.changes})
    if not times:
        return [f"no change of {fold_nodeset(look.compared)} since the last look"]
    return [
        line
        for since in times
        for line in (
            f"changed since {moment(since)}:",
            *(f"  {fold_nodeset(each.hosts)}: {change_text(each)}" for each in look.changes if each.since == since),
        )
    ]


def _places(places: Sequence[str]) -> str:
    shown = [_raw(place) for place in places[:_NAMED]]
    more = len(places) - _NAMED
    return listed([*shown, *((f"{more} more",) if more > 0 else ())]) if shown else ""


def _raw(text: str | None) -> str:
    return safe(text, longest=_LONGEST) if text is not None else "unknown"


# A build of many hosts in words: the page that is confirmed, a line for each change, and the state of all.


RolloutWord = Literal["erase", "undo"]
_ORDER: tuple[HostStage, ...] = (
    "built", "building", "undone", "undoing", "waiting", "stopped", "interrupted", "failed", "refused", "other-machine",
    "lost",
)  # fmt: skip
STAGE_WORDS: Mapping[HostStage, str] = {
    "waiting": "not started",
    "building": "building",
    "built": "built",
    "stopped": "stopped by request",
    "interrupted": "interrupted",
    "failed": "failed",
    "refused": "refused, nothing was started",
    "other-machine": "not the machine of its plan, nothing was started",
    "lost": "no answer",
    "undoing": "undoing",
    "undone": "undone",
}


def stage_word(stage: HostStage, run: RunStatus | None = None) -> str:
    """The stage in one or two words, for a column; with the run of a host that builds, its step."""
    if stage == "building" and run is not None and run.steps:
        now, of = steps_of(run)
        return f"step {now} of {of}"
    return {"lost": "no answer", "other-machine": "other machine"}.get(stage, stage)


def steps_of(run: RunStatus) -> tuple[int, int]:
    """The step at work, else the last one that was proven, and how many there are."""
    now = next((step.number for step in run.steps if step.state == "running"), run.steps_done)
    return now, len(run.steps)


def fleet_phrase(word: RolloutWord, sheet: Sheet, hosts: Sequence[str]) -> str:
    """What is typed to confirm: word, number of disks, number of hosts, end of the digest."""
    return f"{word} {_rollout_disks(sheet, hosts)} on {len(hosts)} {sheet.digest[-8:]}"


def _rollout_disks(sheet: Sheet, hosts: Sequence[str]) -> int:
    wanted = set(hosts)
    return sum(len(host.erases) for host in sheet.hosts if host.host in wanted)


def rollout_page(sheet: Sheet, rollout: Rollout) -> tuple[str, ...]:
    """What is built where, in which order, and what stops it."""
    disks = _rollout_disks(sheet, rollout.hosts)
    order = waves(rollout)
    rest = len(order) - 1
    sizes = f", then {counted(rest, 'wave')} of up to {counted(rollout.wave_size, 'host')}" if rest else ""
    return (
        f"Build {counted(len(rollout.hosts), 'host')} of sheet {sheet.digest[:8]}: all content of "
        f"{counted(disks, 'disk')} will be lost.",
        "",
        f"Hosts: {fold_nodeset(rollout.hosts)}",
        f"Order: {rollout.canary} alone{sizes}",
        f"Stop:  no further host starts when {rollout.canary} or {counted(rollout.stop_after, 'host')} ended badly,",
        "       or when a host is not the machine that was planned for.",
        "Every host builds by itself; this program starts, asks and shows. When it ends,",
        "or a stop holds, hosts that build go on.",
        "",
        f"Digest of the sheet: {sheet.digest}",
    )


def undo_page(sheet: Sheet, hosts: Sequence[str], files: Mapping[str, str | None]) -> tuple[str, ...]:
    """What is removed where, and how many files are lost with it."""
    lost = [f"{host}: {count} files on its arrays will be lost" for host, count in files.items() if count]
    return (
        f"Undo the build of sheet {sheet.digest[:8]} on {counted(len(hosts), 'host')}, one after another:",
        "removes the devices that it created; all data on them will be lost.",
        "",
        f"Hosts: {fold_nodeset(hosts)}",
        *(lost or ["No files are on the arrays."]),
        "The content of the disks before the build cannot be restored.",
        "",
        f"Digest of the sheet: {sheet.digest}",
    )


def stages_lines(stages: Mapping[str, HostStage], details: Mapping[str, str]) -> tuple[str, ...]:
    """All hosts by their stage, folded; below each stage that ended badly its reasons."""
    lines = []
    for stage in _ORDER:
        hosts = [host for host, each in stages.items() if each == stage]
        if not hosts:
            continue
        for reason, same in by_key((details.get(host, ""), host) for host in hosts).items():
            lines.append(f"{fold_nodeset(same)}: {STAGE_WORDS[stage]}{f': {reason}' if reason else ''}")
    return tuple(lines)


def run_detail(run: RunStatus | None) -> str:
    """How far a run is: steps, and why it ended."""
    if run is None:
        return ""
    if run.outcome == "finished":
        return ""
    steps = f"{run.steps_done} of {counted(len(run.steps), 'step')} done"
    return f"{steps}: {safe(run.reason, longest=200)}" if run.reason else steps


def decision_line(decision: RolloutDecision) -> str:
    """What the rollout does next; empty where it only waits."""
    match decision.kind:
        case "start":
            return f"starting {fold_nodeset(decision.hosts)}"
        case "stop":
            return f"stop: {fold_nodeset(decision.hosts)}: {decision.reason}; no further host is started"
        case "done":
            return "all hosts have ended"
        case "wait":
            return ""


# The sheet of a fleet as text for a terminal, and as a Markdown document to sign.


_SHEET_LONGEST = 200
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
    return [f"{hosts}: {safe(reason, longest=_SHEET_LONGEST)}" for hosts, reason in found]


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


# The answers of a check, folded: hosts that say the same stand in one line.


_CHECK_LONGEST = 300


def check_text(check: FleetCheck) -> str:
    """A line for each answer with the hosts that gave it, ready ones first, the way out below it, then the counts."""
    answers: dict[tuple[bool, str, str], list[str]] = {}
    for host in check.hosts:
        codes = sorted({finding.code for finding in warnings(host.findings)})
        ready = "ready" + (f", with warnings: {', '.join(codes)}" if codes else "")
        said = ready if host.verdict == "ready" else f"{host.verdict}: {host.sentence}"
        answers.setdefault((host.verdict != "ready", said, host.hint), []).append(host.host)
    lines = []
    for (wrong, said, hint), hosts in sorted(answers.items(), key=lambda each: each[0][0]):
        lines.append(f"{folded(hosts)}: {safe(said, longest=_CHECK_LONGEST)}")
        if wrong and hint:
            lines.append(f"    {safe(hint, longest=_CHECK_LONGEST)}")
    counts = Counter(host.verdict for host in check.hosts)
    words = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    hosts_text = counted(len(check.hosts), "host")
    return "\n".join([*lines, f"sheet {check.sheet_digest[:12]}, {hosts_text}: {words}; nothing was written"])
