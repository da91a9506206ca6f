"""What stands on the arrays of a plan, as the lines that are read before an undo is confirmed."""

from __future__ import annotations

from raidtui.model.plan import Plan
from raidtui.model.safe import safe
from raidtui.model.standing import FileSystemSeen, Standing
from raidtui.model.units import binary_size
from raidtui.planner.standing.findings import findings, lose_phrase

_COUNTED = "Counted are inodes in use: files, directories and links, also deleted files that are still open."

_KEPT = "Left as they are, because they do not carry the plan's superblock:"


def standing_lines(plan: Plan, standing: Standing) -> tuple[str, ...]:
    """Heading, one line a file system with its first names, what cannot be read, what refuses; then the phrase."""
    lines = [f"  {seen_line(each)}" for each in standing.filesystems]
    lines += [f"  {device}: does not run; what is on it cannot be read" for device in standing.unseen]
    if standing.filesystems:
        lines.append(f"  {_COUNTED}")
    for finding in findings(standing):
        lines += [f"  refused: {finding.message}", f"    {finding.way_out}"]
    words = lose_phrase(plan, standing)
    if words and not standing.foreign:
        lines.append(f"  All of it is lost; a second phrase gives it up: {words}")
    kept = ("", _KEPT, *(f"  {each}" for each in standing.kept)) if standing.kept else ()
    return ("What stands on it now:", *(lines or ["  nothing that the plan made, and nothing of others"]), *kept)


def seen_line(seen: FileSystemSeen) -> str:
    """`/srv/data, xfs, 200 files, 1.2 GiB used: letter.txt, photos and 198 more`."""
    where = safe(seen.mount_point or seen.device)
    if seen.files is None:
        return f"{where}, {seen.type}, files unknown"
    used = f", {binary_size(seen.used_bytes)} used" if seen.used_bytes is not None else ""
    number = f"{'at least ' if seen.at_least else ''}{seen.files} file{'' if seen.files == 1 else 's'}"
    if not seen.mount_point:
        return f"{where}, {seen.type}, not mounted; {number} by its superblock{used}, names unknown"
    more = seen.entries - len(seen.names)
    names = ", ".join(seen.names) + (f" and {more} more in its top directory" if more else "")
    return f"{where}, {seen.type}, {number}{used}" + (f": {names}" if names else "")
