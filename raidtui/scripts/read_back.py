"""The end of the build script: what disks, kernel and files say must equal the plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from raidtui.predict.speed.sync_time import rewriting_hours
from raidtui.programs import (
    cryptsetup,
    file_systems,
    identity,
    initramfs,
    lsblk,
    lvm,
    mdadm,
    mount,
    mount_options,
    sfdisk,
    systemd,
    udev,  # fmt: skip
)
from raidtui.programs.names import device_of, journal_name
from raidtui.programs.shell_quote import quote
from raidtui.scripts.facts import NODE, UNTRACED, AlikeArrays, ScriptFacts, indented, mapping, shell
from raidtui.steps.array_steps import bare_until_sync
from raidtui.steps.disk_steps import sets_queue
from raidtui.values.amounts import hours
from raidtui.values.plan import VOLUME, volume_of
from raidtui.values.prediction import LvmGeometry, StripeGeometry
from raidtui.values.units import SECTOR


class ReadBack:
    """Makes its lines."""

    def __init__(self, facts: ScriptFacts) -> None:
        self.facts, self.plan = facts, facts.plan
        self.answers = {
            reading.question.argv: reading.answer
            for step in self.plan.steps
            for reading in step.after
            if not reading.key
        }
        """what the plan's own questions must answer"""

    def lines(self) -> Iterator[str]:
        """All lines, in the order of the parts before."""
        yield UNTRACED
        facts, plan = self.facts, self.plan
        if plan.design.on_partitions:
            yield from self._partitions_are()
        yield from self.facts.each_array(self._array_is, mirrors=True)
        yield from self.facts.each_array(self._array_is)
        if facts.outer is not None and isinstance(plan.prediction.volume, StripeGeometry):
            ask = replace(self.facts.shapes[0].ask, journal=None)
            outer = AlikeArrays((facts.outer.name,), plan.prediction.volume.array, ask)
            yield from self._array_is(facts.outer.name, outer)
        if facts.arrays:
            yield from self._members_are()
        yield from self._disks_are()
        if facts.lvm is not None:
            yield from self._volume_is(facts.lvm)
        for crypt, geometry in zip(plan.crypts or (), plan.prediction.crypts or (), strict=True):
            assert plan.design.encryption is not None
            keys, values = zip(*cryptsetup.dump_answers(geometry, plan.design.encryption.slots), strict=True)
            yield shell(("is", " ".join(values), "value", "|".join(keys), *cryptsetup.dump_question(crypt.device)))
            for question in (
                identity.size_question(crypt.path), udev.read_ahead_question(crypt.path),
                cryptsetup.mapping_question(crypt.name), cryptsetup.uuid_question(crypt.backup),
                cryptsetup.unit_question(crypt.name),
            ):  # fmt: skip
                if question in self.answers:  # not the read-ahead below a volume
                    yield shell(("is", self.answers[question], *question))
            yield shell(("is", crypt.uuid, *cryptsetup.uuid_question(crypt.device)))
        if len(set(plan.prediction.filesystems)) > 1:
            for number, made in enumerate(plan.filesystems):
                yield from self._file_system_is(number, made.uuid, made.device, made.mount_point)
        else:
            yield from self.facts.each_file_system(lambda *made: self._file_system_is(0, *made))
        if "configure" in self.facts.stages:
            yield from self._boot_is()
        yield f"echo {quote(f'Built and read back. {self._sync()}'.rstrip())}"

    def _sync(self) -> str:
        """What runs on when the script ends."""
        if self.plan.first_sync_hours is None or self.plan.design.zeroes:
            return ""
        bare = "until it ends, one failed disk loses an array" if bare_until_sync(self.plan) else "all is redundant"
        takes = f"{hours(self.plan.first_sync_hours)} on idle disks"
        if (used := rewriting_hours(self.plan.design, self.plan.first_sync_hours)) is not None:
            takes += f" that are zero, about {hours(used[1])} on used ones"
        return f"The first sync runs, {takes}: see /proc/mdstat; {bare}."

    def _array_is(self, name: str, shape: AlikeArrays) -> Iterator[str]:
        geometry, device = shape.geometry, f"/dev/md/{name}"
        shown = {
            "Raid Level": geometry.level, "Raid Devices": str(geometry.members),
            "Working Devices": str(geometry.members + geometry.spares + (shape.ask.journal is not None)),
        }  # fmt: skip
        if geometry.md_layout is not None and geometry.level != "raid0":
            shown["Layout"] = mdadm.shown_layout(geometry.md_layout)
        if geometry.chunk_bytes is not None:
            shown["Chunk Size"] = mdadm.shown_chunk(geometry.chunk_bytes)
        if shape.ask.journal is not None:
            shown["Consistency Policy"] = "journal"
        yield shell(("is", " ".join(shown.values()), "value", "|".join(shown), *mdadm.detail(device)))
        if shape.ask.journal is not None and self.facts.mirrors:
            carrier = mdadm.examine(device_of(journal_name(name)))
            yield shell(("is", f"{self.facts.uuid(name)} Journal", "value", "Array UUID|Device Role", *carrier))
        ahead = self.answers.get(udev.read_ahead_question(f"/dev/md/{shape.names[0]}"))
        sizes = ("blockdev", "--getsize64") if ahead is None else ("blockdev", "--getsize64", "--getra")
        yield shell(("is", f"{geometry.array_bytes} {ahead or ''}".rstrip(), *sizes, device))

    def _members_are(self) -> Iterator[str]:
        """Each member and spare has the superblock of its array, its role there, and the data offset."""
        facts, on_partitions = self.facts, self.plan.design.on_partitions
        one = len(facts.on_disks) == 1
        uuid, words = facts.uuid(facts.parts[0] if one else ""), ["$role"]
        keys, call = ["Array UUID", "Device Role"], mdadm.examine("$disk")
        if self.plan.design.metadata == "1.2":
            offsets = {
                name: str(shape.geometry.data_offset_sectors)
                for shape in (*facts.shapes, *facts.mirror_shapes)
                for name in shape.names
            }
            if len(set(offsets.values())) > 1:
                yield mapping("OFFSET", offsets)
            offset = "${OFFSET[$array]}" if len(set(offsets.values())) > 1 else offsets[facts.parts[0]]
            keys, words = ["Array UUID", "Data Offset", "Device Role"], [f"{offset} sectors", "$role"]
        elif self.plan.design.metadata == "0.90":  # its --examine prints no role (mdadm's super0.c)
            keys, words, call = ["MD_UUID"], [], mdadm.examine_export("$disk")
        array = "_" if one else "array"
        yield f"while read -r {array} role link{' number' if on_partitions else ''} _; do"
        disk = f"{facts.folder}$link{'-part$number' if on_partitions else ''}"
        named = "$role == spare"
        if facts.single_journals:
            yield "  [[ $role != journal ]] || role=Journal"
            named += " || $role == Journal"
        yield f'  disk={disk}; [[ {named} ]] || role="Active device $role"'
        yield from indented([shell(("is", " ".join((uuid, *words)), "value", "|".join(keys), *call))])
        yield f'done <<<"${{{facts.member_table}:1}}"'

    def _disks_are(self) -> Iterator[str]:
        design, disk = self.plan.design, f"{self.facts.folder}$link"
        if not sets_queue(design):
            return
        yield "while read -r _ _ link _; do"
        if design.io_scheduler is not None:
            yield f"  {shell(('is', design.io_scheduler, *lsblk.scheduler_question(disk)))}"
        if design.queue_depth is not None:
            yield f"  disk={disk}"
            yield f"  {NODE}"
            yield f'  is {design.queue_depth} cat "$queue/../device/queue_depth"'
        yield 'done <<<"${DISKS:1}"'

    def _partitions_are(self) -> Iterator[str]:
        keys = "|".join(f"PART_ENTRY_{key}" for key in ("NAME", "UUID", "TYPE", "OFFSET", "SIZE"))
        wanted = f"$name $guid {sfdisk.LINUX_RAID} $((start * sector / {SECTOR})) $((size * sector / {SECTOR}))"
        yield "while read -r _ _ link number sector start size guid name table; do"
        yield f"  disk={self.facts.folder}$link"
        yield from indented(
            (
                shell(("is", "$table", "value", "PTUUID", *sfdisk.table_question("$disk"))),
                shell(("is", wanted, "value", keys, *sfdisk.table_question("$disk-part$number"))),
            )
        )
        yield 'done <<<"${PARTITIONS:1}"'

    def _volume_is(self, volume: LvmGeometry) -> Iterator[str]:
        plan = self.plan
        question = (lvm.linear_question if volume.stripes == 1 else lvm.volume_question)(plan.name, VOLUME)
        yield shell(("is", self.answers[question], *question))
        start = shell(("is", str(volume.pe_start_bytes), *lvm.start_question("$each")))
        yield f'for each in "{self.facts.joined}"; do {start}; done'
        ahead = udev.read_ahead_question(volume_of(plan.name))
        if ahead in self.answers:
            yield shell(("is", self.answers[ahead], *ahead))

    def _file_system_is(self, number: int, uuid: str, device: str, place: str) -> Iterator[str]:
        geometry, options = self.plan.prediction.filesystems[number], self.plan.design.options
        asked = list(file_systems.readings(device, geometry, options))
        if geometry.type == "xfs":  # its fields come in the order asked: one line reads them all
            fields, values = zip(*asked[0][1], strict=True)
            asked[0] = (asked[0][0], (("|".join(fields), " ".join(values)),))
        for question, answers in asked:
            for keys, wanted in answers:
                yield shell(("is", wanted, "value", keys, *question))
        size = geometry.block_bytes * geometry.statfs_blocks
        yield shell(("is", f"{uuid} {size}", "findmnt", "--bytes", "-fno", "UUID,SIZE", "--mountpoint", place))
        shown = mount_options.shown(options.mount, geometry.type)
        if shown:
            yield shell(("is", uuid, *mount.mounted_with_question(place, shown)))
        if not self.facts.several_file_systems:
            yield shell(("is", systemd.fragment_of_fstab(place), *systemd.fragment_question(place)))

    def _boot_is(self) -> Iterator[str]:
        plan, conf = self.plan, initramfs.mdadm_conf(self.plan.initramfs)
        newer = initramfs.newer_question(plan.initramfs)
        if newer is not None:
            yield shell(("is", "newer", *newer))
        if "monitor" in self.facts.stages:
            yield shell(("is", "active", *systemd.active_question(systemd.MONITOR)))
        for line in mdadm.alert_lines(plan.alert) if plan.alert is not None else ():
            yield shell(("is", line, *mdadm.first_line_question(line, conf)))
