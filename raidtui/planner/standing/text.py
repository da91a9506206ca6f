"""Survey of a plan's arrays as text, shown before an undo is confirmed."""

from __future__ import annotations

from raidtui.model.plan import Plan
from raidtui.model.safe import safe
from raidtui.model.standing import FileSystemSeen, Standing
from raidtui.model.units import binary_size
from raidtui.planner.standing.findings import files_text, findings, lose_phrase

_COUNTED = "The count is of inodes in use: files, directories and links, and deleted files that are still open."

_NOTHING = "  nothing found: no signature, zeros at the start and some hundred places"
_KEPT = "Not changed, because they do not have the plan's superblock:"


def standing_lines(plan: Plan, standing: Standing) -> tuple[str, ...]:
    """Heading, one line per file system with its first names, unreadable devices, refusals; then the phrase."""
    lines = [f"  {seen_line(each)}" for each in standing.filesystems]
    lines += [f"  {device}: not running; its content cannot be read" for device in standing.unseen]
    lines += [f"  {each}; its owner is unknown" for each in standing.held]
    if standing.filesystems:
        lines.append(f"  {_COUNTED}")
    for finding in findings(standing):
        lines += [f"  refused: {finding.message}", f"    {finding.way_out}"]
    words = lose_phrase(plan, standing)
    if words and not standing.foreign:
        lines.append(f"  All of it will be lost; a second phrase confirms this: {words}")
    kept = ("", _KEPT, *(f"  {each}" for each in standing.kept)) if standing.kept else ()
    return ("Content of the arrays now:", *(lines or [_NOTHING]), *kept)


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
