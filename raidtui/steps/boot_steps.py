"""Steps for what a reboot needs: mdadm.conf, initramfs, fstab and mount, the monitor, the tuning rule."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from raidtui.predict.speed.tunables import read_ahead_bytes, stripe_cache_pages, sync_min
from raidtui.programs import cryptsetup, identity, initramfs, mdadm, mount_options, systemd, udev
from raidtui.programs import mount as fstab
from raidtui.programs.names import begin_line, end_line
from raidtui.steps.step_builder import StepContext, block, block_facts, fact, only_if
from raidtui.steps.volume_steps import read_ahead_reading
from raidtui.values.design import NOBODY, Design
from raidtui.values.errors import Stale
from raidtui.values.plan import Command, Plan, PlanArray, PlanCrypt, PlanFileSystem, Reading, Step, WriteFile
from raidtui.values.prediction import ArrayGeometry, LvmGeometry, StripeGeometry
from raidtui.values.safe import safe
from raidtui.values.units import KIB, binary_size, counted, exact_binary

_CACHE_ENTRY = 4 * KIB


def conf_step(context: StepContext) -> Step:
    """Writes mdadm.conf with UUIDs and the spare-group, and rebuilds the initramfs.

    The spare-group may be active during first syncs: mdadm's monitor (4.2) neither takes a spare from a degraded
    array nor moves one to an array that is rebuilding. So the recovering last member of a new RAID5 stays in place,
    and its array lends its spare only after the first sync.
    """
    path, text = initramfs.mdadm_conf(context.family), conf_text(context)
    newer = initramfs.newer_question(context.family)
    rebuilt = () if newer is None else (fact("setting", f"an initramfs in /boot is newer than {path}", newer, "newer"),)
    return Step(
        number=0,
        stage="configure",
        title=f"Add the arrays to {PurePosixPath(path).name} and the initramfs",
        purpose="Every boot assembles the arrays by UUID, under the same names"
        + (
            "; the spare-group lets mdadm --monitor move a spare to the array that needs it."
            if _grouped(context)
            else "."
        ),
        # the first MAILADDR and PROGRAM of the file win, and Debian's own file has one
        actions=(block(path, text, first=context.alert is not None), initramfs.rebuild(context.family)),
        after=(block_facts(context, path, text), *alert_readings(context), *rebuilt),
        undo=(block(path, ""), initramfs.rebuild(context.family)),
        undo_note="A copy of the previous file is kept beside the log.",
    )


def conf_text(context: StepContext) -> str:
    """The plan's lines in mdadm.conf."""
    group = context.names.spare_group if _grouped(context) else None
    lines = [mdadm.array_line(mirror.device, "1.2", mirror.uuid) for mirror, _ in context.journal_mirrors]
    lines += [mdadm.array_line(leg.device, context.design.metadata, leg.uuid, group) for leg in context.data_arrays]
    if context.outer is not None:
        lines.append(mdadm.array_line(context.outer.device, "1.2", context.outer.uuid))
    return mdadm.conf_text(lines, context.alert or NOBODY)


def alert_readings(context: StepContext) -> tuple[Reading, ...]:
    """The plan's own recipient is the first in mdadm.conf, which mdadm takes; its program is still root's alone."""
    if context.alert is None:
        return ()
    path = initramfs.mdadm_conf(context.family)
    first = (
        fact(
            "setting",
            f"the first {line.split()[0]} of {path} is the plan's",
            mdadm.first_line_question(line, path),
            line,
        )
        for line in mdadm.alert_lines(context.alert)
    )
    return (*first, *((roots_alone(context.alert.program),) if context.alert.program else ()))


def roots_alone(program: str) -> Reading:
    """Only root can change a program that root's monitor runs."""
    what = f"{program} and every directory above it can be changed by root alone"
    return fact("root's alone", what, identity.roots_alone_question(program), identity.roots_alone_answer(program))


def mount_step(context: StepContext) -> Step:
    """Adds fstab lines by UUID and mounts the file systems."""
    text = fstab_text(context)
    places = ", ".join(made.mount_point for made in context.filesystems)
    return Step(
        number=0,
        stage="mount",
        title=f"Mount on {places}",
        purpose="Mounts by the UUID in fstab, as a boot does. nofail: a missing array does not stop the boot. "
        "noatime: reads cause no writes.",
        actions=(
            *(fstab.make_directory(made.mount_point) for made in context.filesystems),
            block(fstab.PATH, text),
            systemd.daemon_reload(),
            *(_mounted_by(fstab.mount(made.mount_point), made) for made in context.filesystems),
        ),
        after=(
            block_facts(context, fstab.PATH, text),
            *(mounted_reading(made) for made in context.filesystems),
            *option_readings(context),
        ),
        undo=(
            *(only_if(mounted_reading(made), fstab.umount(made.mount_point)) for made in reversed(context.filesystems)),
            block(fstab.PATH, ""),
            systemd.daemon_reload(),
        ),
        undo_note="The empty directory is kept.",
    )


def trial_mount_step(context: StepContext) -> Step:
    """Mounts in a directory that only root can enter, without fstab."""
    folder = context.names.state
    return Step(
        number=0,
        stage="mount",
        title=f"Mount below {folder}",
        purpose="In the directory of the run, which only root may enter. Without fstab, so a reboot does not mount it "
        "again.",
        actions=(
            *(
                command
                for made in context.filesystems
                for command in (
                    fstab.make_directory(made.mount_point, 0o700),
                    _mounted_by(
                        fstab.mount_device(
                            made.device, made.mount_point, context.design.fs, context.design.options.mount
                        ),
                        made,
                    ),
                )
            ),
            systemd.settle(),  # the benchmark finds the file system by udev's links
        ),
        after=(*(mounted_reading(made) for made in context.filesystems), *option_readings(context)),
        undo=tuple(
            only_if(mounted_reading(made), fstab.umount(made.mount_point)) for made in reversed(context.filesystems)
        ),
        undo_note="The empty directory is kept.",
    )


def fstab_text(context: StepContext) -> str:
    """The plan's lines in fstab."""
    fs, options = context.design.fs, context.design.options.mount
    typed = context.design.typed_at_boot
    return "\n".join(fstab.line(made.uuid, made.mount_point, fs, options, typed=typed) for made in context.filesystems)


def mounted_reading(made: PlanFileSystem) -> Reading:
    """The file system of the plan is mounted at its mount point."""
    return fact(
        "mounted",
        f"{made.mount_point} is the file system {made.uuid}",
        fstab.mounted_question(made.mount_point),
        made.uuid,
    )


def option_readings(context: StepContext) -> tuple[Reading, ...]:
    """The kernel shows the plan's own mount options."""
    if context.design.fs == "none":
        return ()
    shown = mount_options.shown(context.design.options.mount, context.design.fs)
    return tuple(
        fact(
            "mounted",
            f"{made.mount_point} is mounted with {', '.join(shown)}",
            fstab.mounted_with_question(made.mount_point, shown),
            made.uuid,
        )
        for made in context.filesystems
        if shown
    )


def _mounted_by(mount: Command, made: PlanFileSystem) -> Command:
    """The mount command; also done if systemd mounted the fstab entry first, when the device appeared."""
    return replace(mount, done_if=mounted_reading(made))


def monitor_step(context: StepContext) -> Step:
    """Restarts mdadm's monitor with the new configuration and sends a test alert."""
    enable = (systemd.enable(systemd.MONITOR),) if context.family == "dracut" else ()
    return Step(
        number=0,
        stage="monitor",
        title="Monitor the arrays",
        purpose="mdadm --monitor sends mail when a disk fails"
        + (" and moves spares within the spare-group" if _grouped(context) else "")
        + "; it is restarted because it reads its configuration only at start. It sends a test mail for each array: "
        "check that it arrives.",
        actions=(
            *enable,
            systemd.restart(systemd.MONITOR),
            mdadm.test_alert([array.device for array in context.data_arrays]),
        ),
        after=(fact("setting", "the monitor runs", systemd.active_question(systemd.MONITOR), "active"),),
        undo=(systemd.try_restart(systemd.MONITOR),),
    )


def tuning_step(context: StepContext) -> Step:
    """Writes a udev rule that sets the values now and at every boot."""
    path, text = udev.path(context.names.name), tuning_text(context)
    memory = sum(_cache_bytes(context, geometry) for geometry in context.prediction.arrays)
    same = fact("setting", f"{path} is as planned", identity.digest_question(path), identity.digest_answer(path, text))
    late = " At boot, an array with a missing member starts after half a minute."
    late = late if any(geometry.level != "raid0" for geometry in context.prediction.arrays) else ""
    cost = f" The stripe cache takes up to {binary_size(memory)} of memory." if memory else ""
    return Step(
        number=0,
        stage="tune",
        title="Tune the arrays",
        purpose=f"Read-ahead of {_read_ahead_text(context)}; a stripe cache of {_cache_text(context)}, so that writes "
        f"combine into full stripes. At least {sync_min(context.design) // KIB} KiB/s per member for a rebuild"
        " under load." + _stated_text(context.design) + late + cost,
        actions=(
            WriteFile(path=path, text=text),
            udev.reload(),
            *(udev.trigger(array.device) for array in _tuned(context)),
            *(udev.trigger(crypt.path) for crypt in _carrying(context)),
        ),
        after=(
            same,
            *(read_ahead_reading(crypt.path, _carrier_ahead(context)) for crypt in _carrying(context)),
            *(read_ahead_reading(array.device, ahead) for array, ahead in _read_aheads(context)),
        ),
        undo=(
            only_if(same, identity.remove((path,))),
            udev.reload(),
        ),
    )


def tuning_text(context: StepContext) -> str:
    """The text of the udev rule file."""
    lines = [f"# Arrays of {context.names.name}, made by raidtui plan {context.names.run_id}."]
    ahead = {array.name: count for array, count in _read_aheads(context)}
    most = context.design.sync_max_bytes_per_s
    for array, geometry in zip(context.data_arrays, context.prediction.arrays, strict=True):
        cached = _cache_bytes(context, geometry)
        if cached:
            lines.append(f"# {array.name}: the stripe cache takes up to {binary_size(cached)} of memory.")
        lines.append(
            udev.line(
                udev.ArrayTuning(
                    uuid=array.uuid,
                    read_ahead_kib=ahead[array.name] // KIB,
                    stripe_cache_entries=stripe_cache_pages(context.design) if cached else None,
                    group_threads=context.design.parity_threads if cached else None,
                    sync_speed_max_kib=most // KIB if most and geometry.level != "raid0" else None,
                    sync_speed_min_kib=None if geometry.level == "raid0" else sync_min(context.design) // KIB,
                )
            )
        )
        if geometry.level != "raid0":
            lines.append(udev.start_line(array.uuid))
    lines += [udev.start_line(mirror.uuid) for mirror, _ in context.journal_mirrors]
    if (outer := context.outer) is not None:
        lines.append(udev.line(udev.ArrayTuning(uuid=outer.uuid, read_ahead_kib=ahead[outer.name] // KIB)))
    ahead_kib = _carrier_ahead(context) // KIB
    lines += [udev.mapping_line(cryptsetup.mapping_answer(crypt), ahead_kib) for crypt in _carrying(context)]
    return "\n".join(lines)


def _carrying(context: StepContext) -> tuple[PlanCrypt, ...]:
    """The encrypted volumes with a file system: the kernel reads ahead on them."""
    return () if context.design.encrypts_arrays else context.crypts


def _carrier_ahead(context: StepContext) -> int:
    """Bytes of read-ahead of what carries the file systems: of each array alone, or of all that are joined."""
    match context.prediction.volume:
        case LvmGeometry(stripes=joined):
            pass
        case StripeGeometry():
            joined = len(context.data_arrays)
        case None:
            joined = 1
    stated = context.design.read_ahead_bytes
    return stated or read_ahead_bytes(context.design, context.prediction.arrays, joined=joined)


def _tuned(context: StepContext) -> tuple[PlanArray, ...]:
    """The arrays that data is read from: all but the mirrors of write journals."""
    return (*context.data_arrays, *(() if context.outer is None else (context.outer,)))


def _read_aheads(context: StepContext) -> list[tuple[PlanArray, int]]:
    legs = len(context.data_arrays)
    stated = context.design.read_ahead_bytes
    carriers = {made.device for made in context.filesystems}
    return [
        (array, stated)
        if stated is not None and array.device in carriers
        else (array, read_ahead_bytes(context.design, context.prediction.arrays, joined=1 if number < legs else legs))
        for number, array in enumerate(_tuned(context))
    ]


def _read_ahead_text(context: StepContext) -> str:
    stated = context.design.read_ahead_bytes
    devices = {made.device for made in context.filesystems} & {array.device for array in context.arrays}
    devices |= {crypt.path for crypt in _carrying(context)}
    return "two full stripes" if stated is None or not devices else exact_binary(stated)


def _stated_text(design: Design) -> str:
    """Further settings that options state."""
    threads, most = design.parity_threads, design.sync_max_bytes_per_s
    found = [f"{counted(threads, 'thread')} for each array of parity"] if threads else []
    found += [f"at most {most // KIB} KiB/s per member for a sync"] if most else []
    return f" Also {' and '.join(found)}." if found else ""


def _cache_text(context: StepContext) -> str:
    pages = context.design.stripe_cache_pages
    return "sixteen" if pages is None else f"{pages} pages"


def _cache_bytes(context: StepContext, geometry: ArrayGeometry) -> int:
    if not geometry.parity:
        return 0
    return stripe_cache_pages(context.design) * _CACHE_ENTRY * geometry.members


def _grouped(context: StepContext) -> bool:
    """True if mdadm's monitor may move spares between the arrays; those of bands share disks, so each keeps its own."""
    layout = context.design.layout
    return layout.spares > 0 and layout.arrays > 1 and layout.hybrid is None


# A plan's lines in a text file that others write too, between two marker lines.
# Only lines equal to those that the plan wrote are removed. What counts as a trace of them is a line that names the
# run, or that equals one with a UUID: any other line may be somebody else's, also one such as `MAILADDR root`.


_UUID = re.compile(r"[0-9a-f]{8}[:-][0-9a-f]{4}")
_SHOWN = 20
"""lines that a refusal shows of those that were found"""
_LONGEST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ManagedBlock:
    """The lines of a plan in one file."""

    path: str
    run_id: str
    name: str
    """of the plan"""
    text: str
    """the lines between the markers"""

    @property
    def lines(self) -> tuple[str, ...]:
        """All lines, with the markers."""
        return begin_line(self.run_id, self.name), *self.text.split("\n"), end_line(self.run_id)


def blocks_of(plan: Plan) -> tuple[ManagedBlock, ...]:
    """The lines of a plan in every file that others write too, in the order of its steps."""
    return tuple(
        ManagedBlock(path=action.path, run_id=plan.run_id, name=plan.name, text=action.text)
        for step in plan.steps
        for action in step.actions
        if isinstance(action, WriteFile) and action.fenced
    )


def with_block(text: str, block: ManagedBlock, *, first: bool = False) -> str:
    """`text` with the block at its end, or at its beginning where it is `first`; one that is there is moved.

    Raises Stale as `without_block` does.
    """
    rest = without_block(text, block)
    made = "".join(f"{line}\n" for line in block.lines)
    if first:
        return f"{made}{rest}"
    if rest and not rest.endswith("\n"):
        rest += "\n"
    return f"{rest}{made}"


def without_block(text: str, block: ManagedBlock) -> str:
    """`text` without the block; every other byte is unchanged.

    Raises Stale, which shows both, if the plan's lines do not stand there once, together, as they were written.
    """
    if problem := changed(text, block):
        raise Stale(problem, hint=f"put the expected lines back, or remove those of the plan from {block.path} by hand")
    lines = _lines(text)
    traces = _traces(lines, block)
    return "".join([*lines[: traces[0]], *lines[traces[0] + len(block.lines) :]]) if traces else text


def changed(text: str, block: ManagedBlock) -> str:
    """How the block differs from what the plan wrote: expected and found lines; empty if it does not, or is not there.

    `text` may have undecodable bytes as surrogates.
    """
    lines = _lines(text)
    traces = _traces(lines, block)
    if not traces:
        return ""
    first, last = traces[0], traces[-1]
    stop = first + len(block.lines)
    if last < stop and tuple(line.removesuffix("\n") for line in lines[first:stop]) == block.lines:
        return ""
    expected = " ".join(f"<{_shown(line)}>" for line in block.lines)
    found = " ".join(f"{at + 1} <{_shown(lines[at])}>" for at in range(first, min(last + 1, first + _SHOWN)))
    more = f" and more up to line {last + 1}" if last >= first + _SHOWN else ""
    return f"{block.path} does not have the plan's lines as they were written; expected {expected}; found {found}{more}"


def _lines(text: str) -> list[str]:
    return list(io.StringIO(text, newline="\n"))  # a line ends in a line feed and nothing else


def _traces(lines: list[str], block: ManagedBlock) -> list[int]:
    """Numbers of the lines, from 0, that only the plan can have written, whatever blanks are around them."""
    run = f"raidtui {block.run_id} "
    own = {line.strip() for line in block.lines if _UUID.search(line)}
    return [at for at, line in enumerate(lines) if run in f"{line.rstrip()} " or line.strip() in own]


def _shown(line: str) -> str:
    return safe(line.removesuffix("\n"), longest=_LONGEST)
