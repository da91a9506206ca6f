"""The script that builds a plan, as an admin would type it: checks, commands with their reasons, a read-back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import PurePosixPath

from raidtui.answers.confirm import classes, content_text
from raidtui.answers.design import tunable_lines
from raidtui.answers.findings import finding_items
from raidtui.answers.plain_text import Paint, plain_lines, unpainted
from raidtui.programs import (
    cryptsetup,
    file_systems,
    identity,
    initramfs,
    lvm,
    mdadm,
    mount,
    sfdisk,
    systemd,
    udev,
    wipefs,  # fmt: skip
)
from raidtui.programs.names import device_of, journal_name
from raidtui.programs.shell_quote import ascii_text, quote
from raidtui.scripts.facts import (
    BLANK,
    NODE,
    ONE_FILE,
    SIMULATED,
    STOP_AND_IS,
    UNTRACED,
    ZEROS,
    AlikeArrays,
    Part,
    Script,
    ScriptFacts,
    heredoc,
    indented,
    shell,
    table,
    word,
)
from raidtui.scripts.read_back import ReadBack
from raidtui.steps.array_steps import data_area, mount_minutes, outer_request, read_starts
from raidtui.steps.crypt_steps import opened_by
from raidtui.steps.disk_steps import END_BYTES, sets_queue, wiped_areas
from raidtui.values.errors import Refused
from raidtui.values.paths import STATE_FOLDER
from raidtui.values.plan import Plan, PlanArray, PlanDisk, Stage, volume_of
from raidtui.values.prediction import Ext4Geometry, LvmGeometry, StripeGeometry, XfsGeometry
from raidtui.values.safe import safe
from raidtui.values.units import counted, decimal_size, exact_binary

_VALUE = 'value() { "${@:2}" | sed -En "s/^[[:blank:]]*($1)[[:blank:]]*[:=][[:blank:]]*//p"; }'
_CALLS = "# value KEYS COMMAND...: what it prints behind these; disks ARRAY: its members; disks ARRAY 1: its spares"
_JOURNALS = "# disks ARRAY 2: its write journal"
_ALL = "xargs -td '\\n' "
"""calls a program once with all lines of its input as arguments, and shows that"""
_HOW = (
    "As root, in tmux. It stops at the first thing that is not as written here and does not resume: undo.sh, then "
    "again. raidtui build plan.json resumes, and guards against more. It sees processes that have a disk open, data "
    "between its ends, changes meanwhile, a boot without the arrays. For machines without raidtui it is one file, "
    f"{ONE_FILE}."
)
_TITLES: dict[Stage, str] = {
    "check": "Check", "wipe": "Old content", "partition": "Partitions", "zero": "Zeroes", "create": "Arrays",
    "spare": "Arrays", "volume": "Volume", "encrypt": "Encryption", "configure": "Boot and alerts",
    "monitor": "Boot and alerts",
    "format": "File system", "mount": "File system", "tune": "Settings", "verify": "Read back",
}  # fmt: skip


def build_script(plan: Plan) -> Script:
    """The whole script; without its argument it checks and writes nothing. Raises Refused for a trial."""
    if plan.design.trial is not None:
        raise Refused("a trial is carried out by raidtui tune only, which takes it back", hint="make a plan to keep")
    build = _Build(ScriptFacts(plan))
    return Script(
        file="build.sh",
        refusal=SIMULATED if plan.simulated else "",
        head=(build.sentence, _HOW),
        usage=(
            ("", "checks, and writes nothing"),
            (build.words, f"checks, erases and builds, in about {mount_minutes(plan)} min"),
        ),
        tables=tuple(build.tables()),
        functions=tuple(build.functions()),
        parts=tuple(build.parts()),
    )


def plan_text(plan: Plan, paint: Paint = unpainted, width: int | None = None) -> str:
    """What a plan erases where, the list of its build, the findings (see `plain_lines`), what the kernel is told."""
    erased = {disk for step in plan.steps for disk in step.destroys}
    where = " (simulated disks)" if plan.simulated else ""
    where += f" ({safe(str(plan.design.target))})" if plan.design.target else ""
    head = f"plan {plan.digest[:12]} for {safe(plan.host)}{where}: erases {counted(len(erased), 'disk')}; not executed"
    listed = (line.text for line in build_script(plan).lines)
    findings = ("", *plain_lines(finding_items(plan.findings), paint, width)) if plan.findings else ()
    told = tunable_lines(plan.design, plan.prediction.arrays)
    return "\n".join([head, "", *listed, *findings, *told])


class _Build:
    """Makes the lines of one script."""

    def __init__(self, facts: ScriptFacts) -> None:
        self.facts, self.plan = facts, facts.plan
        self.made = {
            command.makes: command.argv for step in self.plan.steps for command in step.commands if command.makes
        }

    # Head.

    @property
    def sentence(self) -> str:
        """What is erased, where, and what is made of it."""
        plan = self.plan
        content = sum(bool(disk.content) for disk in plan.disks)
        held = f", {content} of them with content," if content else ""
        return (
            f"ERASES {counted(len(plan.disks), 'DISK').upper()} of {plan.host}{held} and builds "
            f"{plan.prediction.layout}: {'; '.join(self._made())}. Plan {plan.name}, {plan.digest}."
        )

    def _made(self) -> Iterator[str]:
        plan = self.plan
        if not plan.design.layout.plain:
            shapes = groupby(f"{shape.level} of {counted(shape.members, 'disk')}" for shape in plan.prediction.arrays)
            yield ", ".join(f"{counted(len(list(run)), 'array')}, {words}" for words, run in shapes)
        if self.facts.mirrors:
            yield f"{counted(len(self.facts.mirrors), 'mirror')} for write journals"
        if plan.design.layout.spares:
            yield counted(plan.design.layout.spares, "hot spare")
        below = plan.design.encrypts_arrays
        if below:
            yield "LUKS2 on each"
        match plan.prediction.volume:
            case LvmGeometry(stripes=1):
                yield "a linear LVM volume over them"
            case LvmGeometry():
                yield "an LVM stripe over them"
            case StripeGeometry():
                yield "an md stripe over them"
            case None:
                pass
        if plan.crypts and not below:
            yield "LUKS2 on it" if len(plan.crypts) == 1 else "LUKS2 on each"
        if plan.filesystems:
            first, others = plan.prediction.filesystems[0], len(plan.filesystems) - 1
            size = f" and {others} more" if others else f", {decimal_size(first.total_bytes)} by df"
            yield f"{first.type} on {plan.filesystems[0].mount_point}{size}"

    @property
    def words(self) -> str:
        """The arguments that begin the build: the end of the digest, and each kind of content that is given up."""
        return " ".join((self.facts.tail, *classes(self.plan)))

    # Tables and functions.

    def tables(self) -> Iterator[str]:
        """Disks, what was on them, partitions, arrays, file systems."""
        facts, plan = self.facts, self.plan
        yield from facts.disk_table("hash of both ends", facts.ends)
        if facts.content:
            held = [disk for disk in plan.disks if disk.content]
            rows = [(f"{ascii_text(disk.serial or disk.id)}:", ascii_text(content_text(disk))) for disk in held]
            yield "# What was on disks when the plan was made, by serial number; its kind, which is an argument, first."
            yield table("CONTENT", rows)
            yield "# The partitions on them, by link, as lsblk shows them."
            yield table(
                "WERE", [(facts.link(disk), *rows) for disk in held for rows in _partitions_held(disk)] or [("-",)]
            )
        if plan.design.on_partitions:
            yield "# array, member, link, partition, sector, start and size in sectors, GUID, name, GUID of the table"
            yield table("PARTITIONS", list(facts.partitions()))
        yield from facts.variables(volumes=True)
        if self.facts.several_file_systems:
            yield "# UUID, device and mount point of each file system"
            yield table("FILE_SYSTEMS", [(made.uuid, made.device, made.mount_point) for made in plan.filesystems])

    def functions(self) -> Iterator[str]:
        """The functions that this script uses."""
        yield from STOP_AND_IS
        journals = (_JOURNALS,) if self.facts.single_journals else ()
        yield from (_CALLS, *journals, _VALUE) if self.facts.arrays else (_VALUE,)
        if self.plan.asks_passphrase:
            yield f'key() {{ {UNTRACED}; printf %s "$passphrase"; }} # for a pipe; it is not shown'
        if not self.facts.plain:
            yield self.facts.disks_function()
        if self.facts.content:
            yield from (
                "ends() { # ends DISK BYTES: a hash of its first and last MiB",
                "  for at in 0 $(($2 - 1048576)); do",
                '    dd if="$1" bs=1M count=1 skip="$at" iflag=skip_bytes status=none',
                "  done | b2sum --length=128 | head --bytes=32",
                "}",
                'below() { lsblk -rno TYPE,FSTYPE,LABEL,UUID,MOUNTPOINT "$1" | tail --lines=+2; }',
                "were() { sed --quiet \"s|^$1  *||p\" <<<\"$WERE\" | tr '\\n' ' '; }",
            )

    # Parts.

    def parts(self) -> Iterator[Part]:
        """All parts, in the order of the plan's steps."""
        writers = {
            "Check": self._check, "Old content": self._old_content, "Partitions": self._partitions,
            "Zeroes": self._zeroes, "Arrays": self._arrays, "Volume": self._volume, "Encryption": self._encryption,
            "Boot and alerts": self._boot,
            "File system": self._file_systems, "Settings": self._settings, "Read back": ReadBack(self.facts).lines,
        }  # fmt: skip
        for title, group in groupby(self.plan.steps, key=lambda step: _TITLES.get(step.stage, "")):
            steps = list(group)
            erased = {disk for step in steps for disk in step.destroys}
            if title == _TITLES["wipe"]:
                erased = {disk.id for disk in self.plan.disks if disk.content}
            elif title == _TITLES["create"]:  # spares too
                erased = {disk.id for disk in self.plan.disks}
            if title and (erased or title != _TITLES["wipe"]):
                yield Part(
                    title=title,
                    reason=self._reason(title) or " ".join(dict.fromkeys(step.purpose for step in steps)),
                    lines=tuple(writers[title]()),
                    erases=len(erased),
                    writes=title not in (_TITLES["check"], _TITLES["verify"]),
                )

    def _reason(self, title: str) -> str:
        """Why a part is done, and why in this way; empty where the steps of the plan say it as shortly."""
        match title:
            case "Old content":
                return (
                    "Signatures and, at both ends and where the data of the arrays starts, zeros. Nothing old may be "
                    "taken for new."
                )
            case "Zeroes":
                return (
                    "Parity over zeroes is zero, so that the arrays need no first sync. By Write Zeroes, never by a "
                    "discard; read back at both ends and at places between."
                )
            case "Arrays":
                return "; ".join(self._array_reasons()) + "."
            case "Boot and alerts":
                grouped = "; spare-group: the monitor moves a spare to where one is missing"
                moves = any("spare-group=" in line for block in self.facts.blocks for line in block.lines)
                mails = " See that the test mails arrive." if "monitor" in self.facts.stages else ""
                return f"The same names at each boot{grouped if moves else ''}.{mails}"
            case "Volume" if self.facts.lvm is not None and self.facts.lvm.stripes > 1:
                extent = exact_binary(self.facts.lvm.extent_bytes)
                return f"Extents start on a full stripe, {extent}. Read-ahead: two of the volume."
            case "Encryption" if len(self.plan.crypts or ()) > 1 and self.plan.design.encryption is not None:
                return (
                    f"LUKS2, {cryptsetup.CIPHER}; the data starts on a full stripe. "
                    f"{opened_by(self.plan.design.encryption, 'each')}. Copies of "
                    f"the headers are in {self.facts.log_folder}: without its header all data is lost. Keep copies on "
                    "another machine. No discards: they would show which blocks are in use."
                )
            case "File system":
                return self._file_system_reason()
            case "Settings" if self.facts.arrays and not sets_queue(self.plan.design):
                rules = "\n".join(file.text for file in self.facts.files)
                reasons = (
                    ("read_ahead_kb", "read-ahead"),
                    ("stripe_cache_size", "stripe caches so that whole stripes are written"),
                    ("sync_speed_min", "the least rate of a rebuild under load"),
                )
                said = ", ".join(reason for key, reason in reasons if key in rules)
                late = (
                    "; an array with a missing disk starts half a minute after boot" if "last-resort" in rules else ""
                )
                return f"{said[:1].upper()}{said[1:]}{late}."
            case _:
                return ""

    def _file_system_reason(self) -> str:
        first = self.plan.prediction.filesystems[0]
        match first:
            case XfsGeometry():
                stripe = "The real stripe, which mkfs does not always see; " if first.sunit_blocks else ""
                made = "-K: no discard, which takes hours. Others choose agsize and log (xfsprogs 6.8) and rmapbt (6.5)"
                made += " otherwise."
            case Ext4Geometry():
                stripe = "The real stripe; " if first.stride_blocks else ""
                made = "nodiscard: a discard takes hours. Features and inodes are written out: each distribution has"
                made += " its own mke2fs.conf."
        return f"{stripe}{made} nofail: a boot does not wait for it."

    def _array_reasons(self) -> Iterator[str]:
        yield "What another mdadm may choose otherwise is written out"
        if any(shape.geometry.bitmap_chunk_bytes for shape in self.facts.shapes):
            yield "bitmap: a crash syncs only what was being written"
        if self.plan.design.journal_disks:
            yield "write journal: a crash leaves no parity to sync"
            if self.facts.mirrors:
                yield "a mirror of it outlives a disk, its bitmap has a crash sync only what was being written"
        if any(shape.ask.accept_sizes for shape in self.facts.shapes):
            yield "--run accepts that the end of larger disks stays unused"
        if any(shape.ask.assume_clean for shape in self.facts.shapes):
            yield "--assume-clean: all members are zeroes"
        yield "wipefs: no old signature shows through"
        if any(shape.geometry.spares for shape in self.facts.shapes):
            yield "spares join last, so that they change neither size nor order"

    def _check(self) -> Iterator[str]:
        facts, plan = self.facts, self.plan
        program = (plan.alert.program,) if plan.alert is not None and plan.alert.program else ()
        encryption = plan.design.encryption if plan.crypts else None
        key_file = (encryption.key_file,) if encryption is not None and encryption.key_file else ()
        files = (
            *(block.path for block in facts.blocks),
            *(str(PurePosixPath(file.path).parent) for file in facts.files),
        )
        yield from facts.beginning((*files, STATE_FOLDER, *facts.mount_parents, *program, *key_file))
        if program:
            yield shell(("is", program[0], *mdadm.program_question(program[0])))
        if encryption is not None:
            yield from (shell(("is", key, *cryptsetup.key_question(key))) for key in key_file)
            yield f"[[ -x {cryptsetup.OPENER} ]] || stop 'systemd cannot open encrypted volumes'"
            names = "|".join(crypt.name for crypt in plan.crypts or ())
            taken = f"^[[:blank:]]*({names})[[:blank:]]"
            yield f"! grep -sE {quote(taken)} {cryptsetup.PATH} || stop 'crypttab has such a volume'"
        yield f"type -P {' '.join(self._programs())} >/dev/null || stop 'a program is missing'"
        yield from self._free_names()
        yield from self.facts.each_file_system(self._free_place)
        yield from self._disks_as_planned()
        if facts.content:
            yield 'echo "This content will be erased, by serial number:$CONTENT"'
        sentence = f"All is as planned. To erase the {counted(len(plan.disks), 'disk')} and build: bash $0 {self.words}"
        yield f'[[ $* == {quote(self.words)} ]] || {{ echo "{sentence}"; exit $(($# > 0)); }}'
        if self.plan.asks_passphrase:
            yield f"{UNTRACED}; IFS= read -rsp 'Passphrase: ' passphrase || stop 'no passphrase was typed'; echo"
            yield "IFS= read -rsp 'The same again: ' again || stop 'no passphrase was typed'; echo"
            yield "[[ -n $passphrase && $passphrase == \"$again\" ]] || stop 'empty, or not the same twice'"
        yield from facts.begun("undo.sh removes what was built.")

    def _programs(self) -> list[str]:
        """The programs that the script starts and not every machine has."""
        found = set()
        if self.facts.arrays:
            found |= {"mdadm", initramfs.rebuild(self.plan.initramfs).argv[0]}
        if self.facts.lvm:
            found |= {"lvcreate", "pvcreate", "vgcreate"}
        if self.plan.design.on_partitions:
            found |= {"sfdisk"}
        if self.plan.crypts:
            found |= {"cryptsetup", "dmsetup"}
        if self.plan.filesystems:
            found |= set(file_systems.PROGRAMS[self.plan.prediction.filesystems[0].type])
        return sorted(found)

    def _free_names(self) -> Iterator[str]:
        facts, plan = self.facts, self.plan
        devices = ['"${DEVICES[@]}"'] if len(facts.arrays) > 1 else [array.device for array in facts.arrays]
        names = [
            *devices,
            *(mirror.device for mirror in facts.mirrors),
            *([facts.outer.device] if facts.outer else ()),
            *([f"/dev/{plan.name}"] if facts.lvm else ()),
        ]
        names += [file.path for file in facts.files]
        names += [path for crypt in plan.crypts or () for path in (crypt.path, crypt.backup)]
        if len(names) == 1 and not names[0].startswith('"'):
            yield f"[[ ! -e {names[0]} && ! -L {names[0]} ]] || stop '{names[0]} exists'"
        elif names:
            yield f"for name in {' '.join(names)}; do"
            yield '  [[ ! -e $name && ! -L $name ]] || stop "$name exists"; done'
        if facts.lvm:
            yield shell(("is", "", *lvm.group_question(plan.name)))
        files = " ".join(block.path for block in facts.blocks)
        if files:
            numbered = "(-[0-9]+)?" if len(facts.arrays) > 1 else ""
            numbered += "(-log)?" if facts.mirrors else ""
            array = f"|^ARRAY[[:blank:]]+(/dev/md/)?{plan.name}{numbered}[[:blank:]]" if plan.arrays else ""
            yield f"! grep -sE 'raidtui {plan.run_id} {array}' \\"
            yield f"  {files} || stop 'these lines are in the way'"
            missing = "stop 'a file does not end in a line feed'"
            yield f"last=$(tail -qc1 {files} 2>/dev/null) || :; [[ -z $last ]] || {missing}"

    def _free_place(self, _uuid: str, _device: str, place: str) -> Iterator[str]:
        at = word(place)
        yield f'! findmnt --mountpoint {at} || stop "something is mounted on {place}"'
        yield f'! findmnt --fstab --mountpoint {at} || stop "fstab has a line for {place}"'
        empty = shell(("is", "empty", "find", place, "-maxdepth", "0", "-type", "d", "-empty", "-printf", "empty"))
        yield f"[[ ! -e {place} && ! -L {place} ]] || {empty}"

    def _disks_as_planned(self) -> Iterator[str]:
        facts = self.facts
        both = "for at in 0 $((bytes - 1048576)); do"
        cmp = 'is \'\' cmp --bytes=1048576 --ignore-initial="$at:0" "$disk" /dev/zero'
        zero = ("is '' wipefs \"$disk\"", f"{both} {cmp}; done")
        if not facts.content:
            yield "# of each disk one line, its own: nothing is on it and nothing uses it; zeros at both ends"
            yield "while read -r _ _ link bytes sector serial _; do"
            yield from facts.identity_lines(nothing_on_it=True)
            yield from indented(zero)
        else:
            yield "while read -r _ _ link bytes sector serial ends _; do"
            yield from facts.identity_lines(nothing_on_it=False)
            yield "  is '' lsblk -dno MOUNTPOINT \"$disk\""
            yield '  held=$(were "$link")'
            yield '  is "$held" below "$disk" # partitions as planned, nothing else on it, nothing mounted'
            yield f"  if [[ $ends == {BLANK} || $ends == {ZEROS} ]]; then"
            yield from indented(indented(zero))
            yield from ("  else", '    is "$ends" ends "$disk" "$bytes"', "  fi")
        if self.plan.design.zeroes:
            yield f"  {NODE}"
            few = 'stop "$disk has no Write Zeroes: plan with --first-sync resync"'
            yield f'  [[ $(<"$queue/write_zeroes_max_bytes") -gt 0 ]] || {few}'
        yield 'done <<<"${DISKS:1}"'

    def _old_content(self) -> Iterator[str]:
        held = [disk for disk in self.plan.disks if disk.content]
        starts = {at for disk in held for at, _ in wiped_areas(self.plan.prediction, disk)}
        starts -= {disk.size_bytes - END_BYTES for disk in held}
        offsets = " ".join(str(at) for at in sorted(starts))
        yield "while read -ru3 _ _ link bytes _ _ ends _; do"
        yield f"  if [[ $ends == {BLANK} ]]; then continue; fi"
        yield f"  disk={self.facts.folder}$link end=$((bytes - {END_BYTES}))"
        yield '  for part in "$disk"-part*; do [[ ! -b $part ]] || wipefs --all --lock=yes "$part"; done'
        yield '  wipefs --all --lock=yes "$disk"'
        yield f'  for at in {offsets} "$end"; do'
        yield f'    [[ $at -gt $end ]] || blkdiscard --zeroout --offset="$at" --length={END_BYTES} "$disk"'
        yield "  done"
        yield 'done 3<<<"${DISKS:1}"'
        yield shell(systemd.settle().argv)

    def _partitions(self) -> Iterator[str]:
        head = r"label: gpt\nlabel-id: %s\nunit: sectors\ntable-length: 128\n"
        entry = rf"start=%s, size=%s, type={sfdisk.LINUX_RAID}, uuid=%s, name=\"%s\"\n"
        yield "while read -ru3 _ _ link _; do"
        yield """  sort --key=4n <<<"$PARTITIONS" | awk -v disk="$link" '"""
        yield f"""    $3 == disk && $4 == 1 {{ printf "{head}", $10 }}"""
        yield f"""    $3 == disk {{ printf "{entry}", $6, $7, $8, $9 }}' |"""
        yield f"    {shell(sfdisk.write_argv(f'{self.facts.folder}$link'))}"
        yield 'done 3<<<"${DISKS:1}"'
        yield shell(systemd.settle().argv)

    def _zeroes(self) -> Iterator[str]:
        for shape in self.facts.shapes:
            zero = shell(wipefs.zero("{}", *data_area(shape.geometry)).argv)
            yield f"{self._disks_of(shape)} | xargs -td '\n' -P0 -I{{}} {zero} # all at the same time"
        for shape in self.facts.shapes:
            offset, length = data_area(shape.geometry)
            places = " ".join(str(offset + start) for start in read_starts(length))
            yield f"{self._disks_of(shape)} | while read -r disk; do"
            yield f"  for at in {places}; do"
            yield f'    is \'\' cmp --bytes={min(END_BYTES, length)} --ignore-initial="$at:0" "$disk" /dev/zero'
            yield "  done"
            yield "done"

    def _disks_of(self, shape: AlikeArrays) -> str:
        """A call that prints the members of all arrays of this shape."""
        if len(shape.names) == 1:
            return f"disks {shape.names[0]}"
        return f'for array in {self.facts.over(shape.names)}; do disks "$array"; done'

    def _arrays(self) -> Iterator[str]:
        def create(name: str, shape: AlikeArrays) -> Iterator[str]:
            device = f"/dev/md/{name}"
            ask = replace(shape.ask, device=device, uuid=self.facts.uuid(name))
            devices = f"disks {word(name)}"
            if ask.journal is not None and self.facts.mirrors:
                devices = f"{{ {devices}; printf '%s\\n' --write-journal {word(device_of(journal_name(name)))}; }}"
            elif ask.journal is not None:
                devices = f"{{ {devices}; echo --write-journal; {devices} 2; }}"
            yield shell(mdadm.create_argv(replace(ask, journal=None), ()), before=f"{devices} | {_ALL}")
            yield f"{shell(systemd.settle().argv)}; {shell(wipefs.wipe_locked(device).argv)}"
            if shape.geometry.spares:
                yield shell(mdadm.add_spare_argv(device), before=f"disks {word(name)} 1 | {_ALL}")

        yield from self.facts.each_array(create, mirrors=True)
        yield from self.facts.each_array(create)

    def _volume(self) -> Iterator[str]:
        facts, plan, volume = self.facts, self.plan, self.plan.prediction.volume
        if isinstance(volume, StripeGeometry) and facts.outer is not None:
            ask = outer_request(facts.outer, volume.array, host=plan.host, members=("",) * len(facts.arrays))
            yield shell(mdadm.create_argv(replace(ask, name=None), ("${DEVICES[@]}",)))
            yield shell(systemd.settle().argv)
            yield shell(wipefs.wipe_locked(facts.outer.device).argv)
        if facts.lvm is None:
            return
        if facts.plain:
            yield "DEVICES=()"
            yield "while read -ru3 array _ link _; do"
            yield f"  {shell(lvm.pvcreate(f'{facts.folder}$link', '${PV[$array]}', facts.lvm.pe_start_bytes).argv)}"
            yield f'  DEVICES+=("{facts.folder}$link")'
            yield 'done 3<<<"${DISKS:1}"'
        else:
            made = lvm.pvcreate(facts.physical("$array"), "${PV[$array]}", facts.lvm.pe_start_bytes)
            yield from self.facts.loop(facts.parts, [shell(made.argv)])
        yield shell(lvm.vgcreate(plan.name, [facts.joined], facts.lvm.extent_bytes).argv)
        yield shell(self.made[volume_of(plan.name)])

    def _encryption(self) -> Iterator[str]:
        for step in self.plan.steps:
            if step.stage == "encrypt":
                made = [command for command in step.commands if command.argv[0] in ("cryptsetup", "sync")]
                yield from (f"{'key | ' if command.passphrase else ''}{shell(command.argv)}" for command in made)
        yield shell(systemd.settle().argv)
        block = next(block for block in self.facts.blocks if block.path == cryptsetup.PATH)
        yield f"touch {cryptsetup.PATH}; chmod go-w {cryptsetup.PATH}"
        yield _printed(block.lines, f"tee --append {cryptsetup.PATH}")
        yield shell(systemd.daemon_reload().argv)

    def _boot(self) -> Iterator[str]:
        plan, conf = self.plan, initramfs.mdadm_conf(self.plan.initramfs)
        block = next(block for block in self.facts.blocks if block.path == conf)
        if plan.alert is None:
            yield from self._written(block.lines, f"tee --append {conf}")
        else:
            yield f"touch {conf}; cp --preserve {conf} {conf}.raidtui # lines at its start: the first address counts"
            yield heredoc(f"cat - {conf} >{conf}.raidtui", "\n".join(block.lines))
            yield f"mv {conf}.raidtui {conf}"
        commands = [initramfs.rebuild(plan.initramfs)]
        if "monitor" in self.facts.stages:
            commands += [systemd.enable(systemd.MONITOR)] if plan.initramfs == "dracut" else []
            commands += [systemd.restart(systemd.MONITOR)]
        yield "; ".join(shell(command.argv) for command in commands)
        if "monitor" not in self.facts.stages:
            return
        devices = ["${DEVICES[@]}"] if len(self.facts.arrays) > 1 else [self.facts.arrays[0].device]
        yield shell(mdadm.test_alert(devices).argv)

    def _written(self, lines: Sequence[str], call: str) -> Iterator[str]:
        """Lines that write a file; those of arrays that differ in nothing but name and UUID are a loop."""
        runs = [(array, list(run)) for array, run in groupby(lines, key=self._array_of)]
        own = [tuple(_templated(line, array) for line in run) for array, run in runs if array is not None]
        if len(own) < 2 or own != [own[0]] * len(self.facts.arrays):
            yield heredoc(call, "\n".join(lines)) if any("'" in line for line in lines) else _printed(lines, call)
            return
        first = next(number for number, (array, _) in enumerate(runs) if array is not None)
        before = [f"echo {quote(line)}" for _, run in runs[:first] for line in run]
        after = [f"echo {quote(line)}" for _, run in runs[first + len(own) :] for line in run]
        yield "{ " + "; ".join(before or [":"])
        end = "".join(f"{line}; " for line in after)
        if len(own[0]) == 1 and '"' not in own[0][0]:
            yield f'for array in "${{ARRAYS[@]}}"; do echo "{own[0][0]}"; done'
        else:
            over = 'for array in "${ARRAYS[@]}"; do u=${UUID[$array]//:/}; cat <<END'
            yield from (over, *own[0], "END")
            end = f"done; {end}"
        yield f"{end}}} | {call}"

    def _array_of(self, line: str) -> PlanArray | None:
        """The array that a line of a file is about."""
        return next((array for array in self.facts.arrays if _templated(line, array) != line), None)

    def _file_systems(self) -> Iterator[str]:
        plan = self.plan
        if len(set(plan.prediction.filesystems)) > 1:
            for number, made in enumerate(plan.filesystems):
                yield self._mkfs(number, made.uuid, made.device)
            yield from self.facts.each_file_system(lambda _uuid, _device, place: [f"mkdir --parents {word(place)}"])
        else:
            yield from self.facts.each_file_system(
                lambda uuid, device, place: [self._mkfs(0, uuid, device), f"mkdir --parents {word(place)}"]
            )
        block = next(block for block in self.facts.blocks if block.path == mount.PATH)
        yield _printed(block.lines, f"tee --append {mount.PATH}")
        yield shell(systemd.daemon_reload().argv)
        yield from self.facts.each_file_system(
            lambda _uuid, _device, place: [
                f"{shell(mount.mount(place).argv)} || mountpoint {word(place)} # systemd may have been faster"
            ]
        )

    def _mkfs(self, number: int, uuid: str, device: str) -> str:
        geometry, options = self.plan.prediction.filesystems[number], self.plan.design.options
        return shell(file_systems.typed(device, uuid, geometry, options))

    def _settings(self) -> Iterator[str]:
        plan = self.plan
        for file in self.facts.files:
            yield from self._written(file.text.split("\n"), f"tee {file.path}")
        yield shell(udev.reload().argv)
        if plan.arrays:
            yield from self.facts.each_array(lambda name, _: [shell(udev.trigger(f"/dev/md/{name}").argv)])
        if self.facts.outer is not None:
            yield shell(udev.trigger(self.facts.outer.device).argv)
        carrying = () if plan.design.encrypts_arrays else plan.crypts or ()
        yield from (shell(udev.trigger(crypt.path).argv) for crypt in carrying)
        if sets_queue(plan.design):
            yield "while read -ru3 _ _ link _; do"
            yield f"  {shell(udev.trigger(f'{self.facts.folder}$link').argv)}"
            yield 'done 3<<<"${DISKS:1}"'


def _printed(lines: Sequence[str], call: str) -> str:
    """A call that gets these lines."""
    written = " \\\n  ".join(map(quote, lines))
    return rf"printf '%s\n' {written} | {call}"


def _templated(line: str, array: PlanArray) -> str:
    """A line of a file with variables for name and UUID of the array."""
    for text, variable in (
        (array.uuid, "${UUID[$array]}"), (mdadm.blkid_uuid(array.uuid), "${u::8}-${u:8:4}-${u:12:4}-${u:16:4}-${u:20}"),
        (f"{array.device} ", "/dev/md/$array "), (f"# {array.name}:", "# $array:"),
    ):  # fmt: skip
        line = line.replace(text, variable)
    return line


def _partitions_held(disk: PlanDisk) -> Iterator[tuple[str]]:
    """Partitions that were on a disk, as lsblk shows type, content, label and UUID."""
    for part in disk.partitions:
        signature = next(
            (left.signature for left in disk.content if left.partition == part.number and left.signature), None
        )
        words = () if signature is None else (signature.type, signature.label, signature.uuid)
        yield (" ".join(("part", *(identity.raw_value(each) for each in words if each))),)
