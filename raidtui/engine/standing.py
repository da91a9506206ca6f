"""Consequences of a survey for an undo: foreign content refuses it, files need a second phrase."""

from __future__ import annotations

import re
from typing import assert_never

from raidtui.programs.multipath import BACK_TO_MAPS
from raidtui.values.findings import Finding, error
from raidtui.values.plan import Plan
from raidtui.values.run import AcceptedLoss, FileSystemSeen, Foreign, ForeignKind, Standing
from raidtui.values.safe import safe
from raidtui.values.units import binary_size, counted, plural

UNKNOWN = "unknown"
"""text in place of the count if files cannot be counted"""
_SCRATCH = re.compile(r"\.raidtui-bench-[0-9a-f]{32}")
"""directory that a benchmark creates on its target"""
AGAIN = "then undo again"
START_BYTES = 1024 * 1024
"""bytes at the start of a new device of the plan that are zero until something is written"""


def findings(standing: Standing, then: str = AGAIN) -> tuple[Finding, ...]:
    """One error per item that does not belong to the plan; any of them refuses the whole undo. `then`: what follows."""
    return tuple(
        error(f"standing-{each.kind}", _message(each), f"{_way_out(each)}; {then}", each.device)
        for each in standing.foreign
    )


def count(plan: Plan, standing: Standing) -> str | None:
    """The number of files to give up: `200`, or `unknown`. None if there are no files.

    On the file system of a trial, which raidtui mounts for root only, directories of benchmarks do not count.
    """
    if standing.unseen or standing.held or any(each.files is None for each in standing.filesystems):
        return UNKNOWN
    kept = [each for each in standing.filesystems if not _only_scratch(plan, each)]
    files = sum(each.files or 0 for each in kept)
    return str(files) if files or any(each.at_least for each in kept) else None


def lose_phrase(plan: Plan, standing: Standing) -> str:
    """The second phrase, `lose 200 files`; empty if none is needed."""
    figure = count(plan, standing)
    if figure is None:
        return ""
    least = "at least " if figure != UNKNOWN and any(each.at_least for each in standing.filesystems) else ""
    return f"lose {least}{figure} {plural('file', int(figure) if figure.isdecimal() else 0)}"


def not_given_up(plan: Plan, standing: Standing, given: AcceptedLoss | None) -> tuple[Finding, ...]:
    """Findings about content that was not given up: foreign items, more files, devices that were readable then."""
    found = list(findings(standing))
    if count(plan, standing) is None:
        return tuple(found)
    known = given.standing if given is not None and given.digest == plan.digest else Standing()
    before = {each.uuid: each for each in known.filesystems}
    for each in standing.filesystems:
        then = before.get(each.uuid)
        if _only_scratch(plan, each) or (each.files == 0 and not each.at_least):
            continue
        if then is None or not _covers(then, each):
            had = f"; {files_text(then)} were given up" if then is not None else ""
            message = f"{each.device} holds {files_text(each)} now{had}"
            found.append(_refusal("standing-files", message, each.device))
    for device in standing.unseen:
        if device not in known.unseen:
            message = f"{device} is not running, so its content cannot be read"
            found.append(_refusal("standing-unseen", message, device))
    for data in standing.held:
        if data.device not in {each.device for each in known.held}:
            found.append(_refusal("standing-data", str(data), data.device))
    return tuple(found)


def _refusal(code: str, message: str, device: str) -> Finding:
    way_out = "stop the programs that write there, then run raidtui undo again and confirm the new list"
    return error(code, message, way_out, device)


def _covers(then: FileSystemSeen, now: FileSystemSeen) -> bool:
    if then.files is None or now.files is None:
        return then.files is None
    return now.files <= then.files and (then.at_least or not now.at_least)


def files_text(seen: FileSystemSeen) -> str:
    """`200 files`, `at least 1 file`."""
    if seen.files is None:
        return "files that cannot be counted"
    return f"{'at least ' if seen.at_least else ''}{counted(seen.files, 'file')}"


def _only_scratch(plan: Plan, seen: FileSystemSeen) -> bool:
    """True for the file system of a trial that is empty or holds only directories of benchmarks."""
    if plan.design.trial is None or not seen.mount_point or seen.entries > len(seen.names):
        return False
    return all(_SCRATCH.fullmatch(name) for name in seen.names)


def _message(each: Foreign) -> str:  # noqa: C901 - a case for each kind
    where = each.device or "this machine"
    match each.kind:
        case "logical-volume":
            return f"{where} has the logical volume {each.owner}, which does not belong to the plan"
        case "snapshot":
            return f"{where} has the snapshot {each.owner}, which does not belong to the plan"
        case "physical-volume":
            return f"{where}: a physical volume does not belong to the plan or to its volume group: {each.owner}"
        case "volume-group":
            return f"{where} holds the volume group {each.owner}, which does not belong to the plan"
        case "luks" | "swap" | "file-system" | "array" | "partition":
            return f"{where} holds {_NAMES[each.kind]} that the plan did not create: {each.owner}"
        case "beside":
            return f"{where} is also used from outside the plan: {each.owner}"
        case "loop":
            return f"{where} is used by a loop device: {each.owner}"
        case "device-mapper":
            return f"{where} is used by another block device: {each.owner}"
        case "export":
            return f"{where} is exported to other machines: {each.owner}"
        case "mount":
            return f"{where} is in another mount: {each.owner}"
        case "namespace":
            return f"{where} is mounted in another mount namespace: {each.owner}"
        case "opener":
            return f"{where} is in use: {each.owner}"
        case "array-changed":
            return f"{where} has changed since the plan created it: {each.owner}"
        case "member":
            return f"{where} has the member {each.owner}, which is not a disk of the plan"
        case "path":
            return f"{where} has the member {each.owner}, which is a single path to a multipath disk of the plan"
        case "link":
            return f"{where} does not lead to its disk: {each.owner}"
        case "data":
            return f"{where} holds data of an unknown kind: {each.owner}"
        case "lines":
            return f"{where} {each.owner}"
        case "not roots":
            return f"root does not change {where}: {each.owner}"
        case "unreadable":
            return f"{where}: its content cannot be read: {each.owner}"
        case _:
            assert_never(each.kind)


_NAMES: dict[ForeignKind, str] = {
    "luks": "encrypted content (LUKS)", "swap": "swap space", "file-system": "content",
    "array": "an md array or a member of one", "partition": "a partition or a partition table",
}  # fmt: skip


def _way_out(each: Foreign) -> str:  # noqa: C901 - a case for each kind
    zero = f"zero its start: blkdiscard --zeroout --length={START_BYTES} {each.device}"
    erase = f"erase it: wipefs --all {each.device}, and {zero}"
    match each.kind:
        case "logical-volume" | "snapshot":
            return "save what is on it and remove it with lvremove, or move it to another group with vgsplit"
        case "physical-volume":
            return (
                "see pvs -o +vg_uuid; remove it from the group with pvmove and vgreduce; if that is another group of "
                "the same name, rename that group: vgrename UUID NAME"
            )
        case "volume-group":
            return f"save its volumes, remove it with vgremove and pvremove, and {zero}"
        case "luks":
            return f"save what is in it, close it with cryptsetup close, and {erase}"
        case "swap":
            return f"run swapoff, remove it from /etc/fstab, and {erase}"
        case "file-system":
            return f"save what is on it, unmount it, and {erase}"
        case "array":
            return f"stop that array with mdadm --stop, and {erase}"
        case "partition":
            return f"save what is on the partitions, and {erase}"
        case "loop":
            return "detach it with losetup --detach"
        case "device-mapper":
            return "see lsblk; remove that device with the tool that created it (dmsetup, cryptsetup, bcache)"
        case "export":
            return "end the export with targetcli or nvmetcli"
        case "mount":
            return "unmount it"
        case "namespace":
            return "stop that process or container, or unmount it there with nsenter --mount --target PID umount"
        case "opener":
            return "find the process with fuser -vm or lsof, and stop it"
        case "array-changed":
            return "if its data is not needed, stop the array and remove its superblocks by hand (mdadm)"
        case "member":
            return "remove that device with mdadm --remove, or keep the array for its new owner"
        case "path":
            return BACK_TO_MAPS
        case "link":
            return "find the cause, then let udev restore the link: udevadm trigger --settle --subsystem-match=block"
        case "data":
            return f"save it, then {zero}"
        case "beside":
            return "save it, then remove it by hand if it is not needed"
        case "lines":
            return "put the expected lines back, or remove those of the plan from that file by hand"
        case "not roots":
            return "it and all directories above it must be root's alone (chown root, chmod go-w), and none a link"
        case "unreadable":
            return "repair the read error, or stop that array by hand so that it counts as not running"
        case _:
            assert_never(each.kind)


# Words of what is on a plan's arrays, shown before an undo is confirmed.


COUNTED = "The count is of inodes in use: files, directories and links, and deleted files that are still open."

NOTHING = "nothing found: no signature, zeros at the start and some hundred places"
KEPT = "Not changed, because they do not have the plan's superblock:"


def seen_line(seen: FileSystemSeen) -> str:
    """`/srv/data, xfs, 200 files, 1.2 GiB used: letter.txt, photos and 198 more`."""
    where = safe(seen.mount_point or seen.device)
    if seen.files is None:
        return f"{where}, {seen.type}, files unknown"
    used = f", {binary_size(seen.used_bytes)} used" if seen.used_bytes is not None else ""
    number = files_text(seen)
    if not seen.mount_point:
        return f"{where}, {seen.type}, not mounted; {number} by its superblock{used}, names unknown"
    more = seen.entries - len(seen.names)
    names = ", ".join(seen.names) + (f" and {more} more in its top directory" if more else "")
    return f"{where}, {seen.type}, {number}{used}" + (f": {names}" if names else "")
