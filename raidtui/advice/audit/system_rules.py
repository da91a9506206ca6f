"""Rules about what knows the arrays of a machine: configuration, initramfs, fstab, monitor, checks, kernels, plans."""

from __future__ import annotations

import re
from collections.abc import Callable

from raidtui.advice.arrays import words
from raidtui.advice.audit.facts import AuditFacts, Said, found, unknown
from raidtui.values.amounts import listed
from raidtui.values.arrays import NOT_ASKED, KnownBy, ObservedArray
from raidtui.values.findings import Severity, some
from raidtui.values.plan import PlanArray
from raidtui.values.safe import safe
from raidtui.values.units import exact_binary

_LOCKLESS = (6, 18)
"""Linux that reads lockless bitmaps (md-llbitmap.c)"""
_DOOR = (6, 19)
"""from this kernel on md writes logical_block_size into the superblocks of arrays that it creates, and of older ones
once it is set; kernels below refuse what is not 0 there (drivers/md/md.c; Debian bug 1130781)"""
_NUMBERS = re.compile(r"(\d+)\.(\d+)", re.ASCII)


def configuration(facts: AuditFacts) -> Said:
    """Arrays that the next boot may not find by name."""
    refused = {each.subject for each in facts.at_boot if each.code == "array-line-conflict"}
    for array in facts.running:
        if words.name(array) not in refused:  # two lines that match it, or one that has it ignored: an error of its own
            yield from _known(
                array, "not-in-conf", "warning", lambda each: each.in_conf, "mdadm.conf does not name it",
            "The next boot may give it another name, such as md127, and its spare group and alerts do not apply.",
            f"add the line that mdadm --detail --brief /dev/{words.name(array)} prints, rebuild the initramfs",
        )  # fmt: skip
        yield from _known(
            array, "not-in-initramfs", "warning", lambda each: each.in_initramfs, "an initramfs does not name it",
            "Early in the boot it may be assembled under another name, or not at all.",
            'initramfs-tools: update-initramfs -u -k all; dracut: put mdadmconf="yes" into a file of '
            "/etc/dracut.conf.d, then dracut --force --regenerate-all",
        )  # fmt: skip
        yield from _known(
            array, "not-in-fstab", "note", lambda each: each.in_fstab, "fstab does not name what is on it",
            "A boot does not mount it.", "add a line with its UUID, or leave it if something else mounts it",
        )  # fmt: skip
        if array.in_crypttab is not None:
            yield from _known(
                array, "not-in-crypttab", "warning", lambda each: each.in_crypttab or NOT_ASKED,
                "crypttab does not name LUKS on it or below a member",
                "A boot does not open it, and what is on it does not start.",
                "add a line such as NAME UUID=... /etc/keys/data.key luks,nofail (cryptsetup luksUUID shows the UUID)",
            )  # fmt: skip


_AT_BOOT = {
    "device-line": "A boot starts the array without these members, or not at all.",
    "device-line-names": "Once disks are found in another order, a boot starts the array without these members.",
    "initramfs-device-line": "Early in the boot the array is started without these members, or not at all.",
    "array-line-conflict": "A boot does not assemble the array.",
    "array-line-devices": "What a boot makes of these members depends on the order in which it meets them.",
    "auto-line": "A boot does not assemble the array.",
    "mdadm-conf-twice": "Lines of the file that is not read count for nothing, whatever they say.",
    "mdadm-conf-unclear": "The next boot may go by other lines than those that were meant.",
    "old-member-starts": "What was written to the array since they left it is then missing.",
    "udev-assembles-nothing": "A boot assembles no array.",
    "udev-rule-masked": "A boot makes no links to arrays, and systemd does not mount what is on them.",
    "fstab-not-read": "A boot mounts nothing that is on the arrays.",
}
"""consequences of what the next boot does, by the codes of advice/boot that an audit reports"""
AT_BOOT = " ".join(_AT_BOOT)


def next_boot(facts: AuditFacts) -> Said:
    """What keeps the next boot from starting arrays out of their members, or has it start others."""
    if not facts.running:
        return
    if isinstance(facts.boot, str):
        yield unknown("device-line", facts.seen.host, facts.boot)
    for each in facts.at_boot:
        if each.code in _AT_BOOT:
            yield found(
                each.severity, each.code, each.subject or facts.seen.host, each.message, _AT_BOOT[each.code],
                each.way_out,
            )  # fmt: skip


def monitor(facts: AuditFacts) -> Said:
    """Whether a failure is noticed, and told to somebody."""
    if not facts.redundant:
        return
    yield from _of_machine(
        facts, "not-monitored", facts.redundant[0].monitored,
        "A failed member is not reported, and spares do not move between arrays.",
        "systemctl enable --now mdmonitor",
    )  # fmt: skip
    if facts.redundant[0].monitored.answer == "yes":
        yield from _of_machine(
            facts, "alerts-unheard", facts.alerts, "The monitor runs, and its alerts are not delivered.",
            "write MAILADDR or PROGRAM into mdadm.conf, and try it: mdadm --monitor --scan --oneshot --test",
        )  # fmt: skip
    yield from _of_machine(
        facts, "check-not-scheduled", facts.checks,
        "Unless something else checks the arrays, sectors that went bad are found by the rebuild that needs them.",
        "systemctl enable --now mdcheck_start.timer (or raid-check.timer)",
    )  # fmt: skip


def kernels(facts: AuditFacts) -> Said:
    """Kernels in the boot menu on both sides of the change of superblocks in 6.19, or too old for a lockless bitmap."""
    if not facts.running:
        return
    now = _release(facts.kernel)
    if now is None or not facts.kernels:
        missing = "the running kernel" if now is None else "the kernels in /boot"
        yield unknown("kernel-door", facts.seen.host, f"{missing} could not be read")
        return
    yield from _below_bitmaps(facts)
    plain = [array for array in facts.running if array.metadata[:2] == "1."]
    older = [each for each in facts.kernels if (_release(each) or _DOOR) < _DOOR]
    newer = [each for each in facts.kernels if (_release(each) or (0, 0)) >= _DOOR]
    if now >= _DOOR and older:
        for array in plain:
            if array.stored_sector_bytes is None:
                yield unknown("kernel-door", words.name(array), "md/logical_block_size could not be read")
        if refused := [words.name(array) for array in plain if array.stored_sector_bytes]:
            yield found(
                "warning", "kernel-door", facts.seen.host,
                f"Linux {safe(facts.kernel)} runs; {some([safe(each) for each in older])} is installed too.",
                f"Kernels below 6.19 refuse {some(refused)}, whose superblocks have the sector size "
                "(md/logical_block_size in sysfs is not 0).",
                "remove the older kernels from the boot menu, and keep a rescue system with 6.19 or later",
            )  # fmt: skip
    elif plain and now < _DOOR and newer:
        yield found(
            "note", "kernel-door", facts.seen.host,
            f"Linux {safe(facts.kernel)} runs; {some([safe(each) for each in newer])} is installed too.",
            "Linux below 6.19 refuses arrays that are created under it. It assembles what was written before "
            f"({some([words.name(array) for array in plain])}) only once md/logical_block_size is set there.",
            "create arrays under it when there is no way back planned, and keep a rescue system with 6.19 or later",
        )  # fmt: skip


def _below_bitmaps(facts: AuditFacts) -> Said:
    """Kernels that do not start arrays with a lockless bitmap: md-bitmap.c takes its version for an unknown one."""
    lockless = [words.name(array) for array in facts.running if array.bitmap.kind == "lockless"]
    below = [each for each in facts.kernels if (_release(each) or _LOCKLESS) < _LOCKLESS]
    if lockless and below:
        yield found(
            "warning", "kernel-door", facts.seen.host,
            f"{some(lockless)} {'has' if len(lockless) == 1 else 'have'} a lockless bitmap; "
            f"{some([safe(each) for each in below])} is installed.",
            "Linux below 6.18 does not start such an array (unrecognized superblock version), nor does one that is "
            "built without CONFIG_MD_LLBITMAP.",
            "remove the older kernels from the boot menu, and keep a rescue system with 6.18 and mdadm 4.6 or later",
        )  # fmt: skip


def drift(facts: AuditFacts) -> Said:
    """Arrays that raidtui built and that are different now."""
    by_uuid = {array.uuid: array for array in facts.running}
    for plan in facts.plans:
        for number, built in enumerate(plan.arrays):
            array = by_uuid.get(built.uuid)
            if array is None:
                continue
            changed = list(
                _changes(
                    built,
                    array,
                    plan.prediction.arrays[number].chunk_bytes if number < len(plan.prediction.arrays) else None,
                )
            )
            if changed:
                yield found(
                    "note", "plan-drift", words.name(array),
                    f"{words.name(array)} was built by run {plan.run_id[:8]} and differs: {listed(changed)}.",
                    "What the plan predicts, its scripts and its undo no longer hold for it.",
                    "keep the change in mind; raidtui status shows the run",
                )  # fmt: skip


def _changes(built: PlanArray, array: ObservedArray, chunk: int | None) -> list[str]:
    changes = []
    if array.devices is not None and array.devices != len(built.members):
        changes.append(f"{array.devices} members in place of {len(built.members)}")
    if len(array.spares) != len(built.spares) and not array.lacks:
        changes.append(f"{len(array.spares)} spares in place of {len(built.spares)}")
    if chunk is not None and array.chunk_bytes and chunk != array.chunk_bytes:
        changes.append(f"chunk {exact_binary(array.chunk_bytes)} in place of {exact_binary(chunk)}")
    return changes


def _known(
    array: ObservedArray, code: str, severity: Severity, of: Callable[[ObservedArray], KnownBy], what: str,
    consequence: str, way_out: str,
) -> Said:  # fmt: skip
    known, name = of(array), words.name(array)
    if known.answer == "unknown":
        yield unknown(code, name, known.why)
    elif known.answer == "no":
        yield found(severity, code, name, f"{name}: {what} ({safe(known.why)}).", consequence, way_out)


def _of_machine(facts: AuditFacts, code: str, known: KnownBy, consequence: str, way_out: str) -> Said:
    if known.answer == "unknown":
        yield unknown(code, facts.seen.host, known.why)
    elif known.answer == "no":
        yield found("warning", code, facts.seen.host, f"{_sentence(safe(known.why))}.", consequence, way_out)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] if not text.startswith("md") else text


def _release(text: str) -> tuple[int, int] | None:
    match = _NUMBERS.match(text)
    return None if match is None else (int(match[1]), int(match[2]))
