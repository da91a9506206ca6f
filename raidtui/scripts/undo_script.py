"""The script that removes what the build script of a plan made, and nothing else: it goes by UUIDs, never by names."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

from raidtui.programs import cryptsetup, identity, initramfs, mdadm, mount, systemd, udev
from raidtui.programs.names import begin_line, end_line
from raidtui.programs.shell_quote import quote
from raidtui.scripts.facts import (
    ONE_FILE,
    SIMULATED,
    STOP_AND_IS,
    UNTRACED,
    Part,
    Script,
    ScriptFacts,
    indented,
    shell,
    table,
)
from raidtui.steps.boot_steps import ManagedBlock
from raidtui.steps.disk_binding import plain_marks
from raidtui.steps.disk_steps import sets_queue
from raidtui.values.plan import VOLUME, Plan
from raidtui.values.units import MIB, counted

_HOW = (
    "As root. It stops before its first change at what this plan did not make. raidtui undo plan.json does without a "
    f"missing disk, finds users and looks again before each command; as one file it is {ONE_FILE}."
)
_LOOK = "Arrays and groups go by UUID: names may be those of others. What is not there is passed over."
_OURS = "$uuid =~ ^($UUIDS)$"
_WORDS = "tr -s '[:space:]' ' '"
_SIZE = 'size=$(blockdev --getsize64 "$disk")'
_LAST = f"$((size - {MIB}))"
_ZERO = f'blkdiscard --zeroout --offset="$at" --length={MIB} "$disk"'


def undo_script(plan: Plan) -> Script:
    """The whole script; without its arguments it looks, and writes nothing."""
    undo = _Undo(ScriptFacts(plan))
    return Script(
        file="undo.sh",
        refusal=SIMULATED if plan.simulated else "",
        head=(undo.sentence, _HOW),
        usage=(("", "shows what is there, writes nothing, and names the words with which it removes it"),),
        tables=tuple(undo.tables()),
        functions=tuple(undo.functions()),
        parts=(
            Part(title="Look", reason=_LOOK, lines=tuple(undo.look()), writes=False),
            Part(title="Remove", reason="Last things first.", lines=tuple(undo.remove()), erases=len(plan.disks)),
            Part(title="Read back", lines=tuple(undo.read_back()), writes=False),
        ),
    )


class _Undo:
    """Makes the lines of one script."""

    def __init__(self, facts: ScriptFacts) -> None:
        self.facts, self.plan = facts, facts.plan
        self.marks = plain_marks(self.plan)
        """path of each disk of a plan without md to the UUID that it has"""
        self.block = f"/^{begin_line(self.plan.run_id, self.plan.name)}$/,/^{end_line(self.plan.run_id)}$/"
        self.live = "live" if self.plan.arrays else "arrays"
        """the variable with the devices that can be read"""

    @property
    def sentence(self) -> str:
        """What is removed, and what is lost."""
        plan = self.plan
        places = ", ".join(made.mount_point for made in plan.filesystems)
        lost = f"ALL FILES ON {places}" if places else "ALL DATA ON THEM"
        what = "volumes, lines" if self.facts.plain else "arrays, lines"
        return (
            f"REMOVES what build.sh built of {counted(len(plan.disks), 'disk')} on {plan.host}, "
            f"{plan.prediction.layout}: mounts, {what} in files, udev rules. {lost} WILL BE LOST. Plan {plan.name}, "
            f"{plan.digest}."
        )

    @property
    def several(self) -> bool:
        """True where lines about file systems are a loop."""
        return len(self.plan.filesystems) > 1

    # Tables and functions.

    def tables(self) -> Iterator[str]:
        """Disks, partitions, UUIDs of arrays, the lines in files, file systems."""
        facts, plan = self.facts, self.plan
        yield from facts.disk_table("UUID of what the plan put there", self.marks)
        if plan.design.on_partitions:
            yield "# array, member, link, partition, sector, start and size in sectors, GUID, name, GUID of the table"
            yield table("PARTITIONS", list(facts.partitions()))
        uuids = [array.uuid for array in plan.arrays]
        for first in range(0, len(uuids), 4):
            some = "|".join(uuids[first : first + 4])
            yield f"UUIDS+='|{some}'" if first else f"UUIDS='{some}' # of the arrays"
        if facts.blocks:
            yield f"readonly BLOCK='{self.block}' # the plan's lines in a file"
        if self.several:
            yield "# UUID and mount point of each file system"
            yield table("FILE_SYSTEMS", [(made.uuid, made.mount_point) for made in plan.filesystems])

    def functions(self) -> Iterator[str]:
        """The functions that this script uses."""
        yield from STOP_AND_IS
        if self.plan.arrays:
            yield "uuid_of() { { mdadm \"$@\" --export 2>/dev/null || :; } | sed -n 's/^MD_UUID=//p'; }"
        if not self.facts.blocks:
            return
        traces = [self.plan.run_id, *(made.uuid for made in self.plan.filesystems)]
        traces += [crypt.uuid for crypt in self.plan.crypts or ()]
        traces += ["$UUIDS"] if self.plan.arrays else []
        found = 'local found hash; found=$(sed -n "${BLOCK}p" "$1"); hash=$(sha256sum <<<"$found")'
        changed = "does not have the plan's lines as written: put them back, or remove what is left of them"
        yield "lines() { # lines FILE HASH [remove]: stops unless the plan's lines are there as written, or not at all"
        yield f"  [[ -e $1 ]] || return 0; {found}"
        yield f'  [[ -z $found || $hash == "$2 "* ]] || stop "$1 {changed}"'
        left = f'sed "${{BLOCK}}d" "$1" | grep -E "{"|".join(traces)}"'
        yield f'  ! {left} || stop "remove these from $1"'
        yield '  [[ $# -lt 3 ]] || sed -i "${BLOCK}d" "$1"'
        yield "}"

    # Look.

    def look(self) -> Iterator[str]:
        """Lines that stop where anything stands that the plan did not make."""
        facts, plan = self.facts, self.plan
        yield from facts.beginning((*(block.path for block in facts.blocks), *(file.path for file in facts.files)))
        yield from (self._lines(block) for block in facts.blocks)
        for file in facts.files:
            same = f"sha256sum --check --status <<<{quote(identity.digest_answer(file.path, file.text))}"
            yield f"[[ ! -e {file.path} ]] || {same} ||"
            yield f"  stop '{file.path} is not as it was written: remove it first'"
        live = " live=() running=''" if plan.arrays else ""
        tables = " tables=()" if plan.design.on_partitions else ""
        mounted = " mounted=()" if self.several else ""
        yield f"arrays=() ours=(){live}{tables}{mounted} files=0"
        if plan.arrays:
            yield from self._arrays_are_ours()
        yield from self._disks_are_ours()
        devices = f'lsblk -rno TYPE,MAJ:MIN "${{{self.live}[@]}}" | sort -u'
        yield f"tree=$([[ ${{#{self.live}[@]}} -eq 0 ]] || {devices} | while read -r type number; do"
        yield f'  signs=$(wipefs -iO TYPE,UUID "/dev/block/$number" | {_WORDS}); echo "$type $number $signs"; done)'
        yield f"others=$(grep -vxE '|({self._allowed()}) ?' <<<\"$tree\") || :"
        yield '[[ -z $others ]] || stop "this is not the plan\'s: $others"'
        if facts.lvm:
            yield from self._group_is_ours()
        yield from self._file_systems_are() if plan.filesystems else self._raw_data()
        if plan.crypts:  # closed, or without a file system: what it holds is not seen
            yield f'headers=$(grep -c {cryptsetup.KIND} <<<"$tree") || :'
            yield "opened=$(grep -c '^crypt ' <<<\"$tree\") || :"
            yield '[[ $headers == "$opened" ]] || files=uncounted'
            bare = "(crypt|lvm)" if plan.design.encrypts_arrays else "crypt"
            yield f"! grep -xE '{bare} [0-9:]+ ?' <<<\"$tree\" || files=uncounted"
        if facts.outer is not None:  # what is on it is not seen where it does not run
            yield f"[[ $tree != *linux_raid_member* || $running == *{facts.outer.uuid}* ]] || files=uncounted"
        yield f'wanted=undo-{facts.tail}; [[ $files == 0 ]] || wanted+=" lose-$files-files"'
        noun = "disks" if facts.plain else "members"
        sentence = f"${{#ours[@]}} {noun} of it are here, $files files. To remove them: bash $0 $wanted"
        yield f'[[ $* == "$wanted" ]] || {{ echo "{sentence}"; exit $(($# > 0)); }}'
        yield "exec </dev/null; PS4='$ '; set -x # no program can ask; each command is shown before it runs"

    def _lines(self, block: ManagedBlock, more: str = "") -> str:
        digest = hashlib.sha256("".join(f"{line}\n" for line in block.lines).encode()).hexdigest()
        return f"lines {block.path} {digest}{more}"

    def _arrays_are_ours(self) -> Iterator[str]:
        """Lines that find the plan's arrays, and those of them that run."""
        outer, add, cases = self.facts.outer, 'arrays+=("$md")', list[str]()
        if self.facts.mirrors:  # they go last
            uuids = "|".join(mirror.uuid for mirror in self.facts.mirrors)
            yield f"MIRRORS='{uuids}' mirrors=()"
            cases.append('[[ $uuid =~ ^($MIRRORS)$ ]]; then mirrors+=("$md")')
        if outer is not None:  # it goes first
            cases.append(f'[[ $uuid == {outer.uuid} ]]; then arrays=("$md" "${{arrays[@]}}")')
        if cases:
            add = f"if {'; elif '.join(cases)}; else {add}; fi"
        found = f'md=/dev/${{md##*/}}; uuid=$(uuid_of --detail "$md"); [[ {_OURS} ]] || continue'
        yield f"for md in /sys/block/md*; do {found}"
        runs = '[[ $size -eq 0 ]] || { live+=("$md"); running+=" $uuid"; }; done'
        if cases:
            yield f"  {add}"
            yield f'  size=$(blockdev --getsz "$md"); {runs}'
        else:
            yield f'  {add}; size=$(blockdev --getsz "$md"); {runs}'
        if self.facts.mirrors:
            yield 'arrays+=("${mirrors[@]}")'

    def _allowed(self) -> str:
        """Type, number, content and UUID of all that may be on the plan's arrays, as a regular expression."""
        allowed = self._allowed_data()
        if not self.facts.mirrors:
            return allowed
        journals = _one_of(mdadm.blkid_uuid(array.uuid) for array in self.facts.arrays)
        return f"{allowed}|raid1 [0-9:]+( linux_raid_member {journals})?"

    def _allowed_data(self) -> str:
        """The same without the mirrors that carry write journals."""
        plan, facts, number = self.plan, self.facts, "[0-9:]+"
        top = ""
        if plan.filesystems:
            top = f"( {plan.design.fs} {_one_of(made.uuid for made in plan.filesystems)})?"
        crypt = ""
        if plan.crypts and not plan.design.encrypts_arrays:
            crypt = f"|crypt {number}{top}"
            top = f"( {cryptsetup.KIND} {_one_of(each.uuid for each in plan.crypts)})*"
        base = _one_of(shape.level for shape in plan.prediction.arrays) if plan.arrays else "(disk|mpath)"
        if plan.design.encrypts_arrays:
            header = f"( {cryptsetup.KIND} {_one_of(each.uuid for each in plan.crypts or ())})*"
            return f"{base} {number}{header}|crypt {number}( LVM2_member [^ ]+)?|lvm {number}{top}"
        if facts.lvm:
            return f"{base} {number}( LVM2_member [^ ]+)?|lvm {number}{top}{crypt}"
        if facts.outer is not None:
            inner = f"( linux_raid_member {mdadm.blkid_uuid(facts.outer.uuid)})?"
            return f"{base} {number}{inner}|raid0 {number}{top}{crypt}"
        return f"{base} {number}{top}{crypt}"

    def _disks_are_ours(self) -> Iterator[str]:
        """Lines that prove each disk the planned one, and find those with something of the plan and nothing else."""
        plan = self.plan
        yield f"while read -r _ _ link bytes sector serial{' mark' if self.marks else ''} _; do"
        yield from self.facts.identity_lines(nothing_on_it=False)
        if self.marks:
            kind = "LVM2_member" if self.facts.lvm else plan.design.fs
            yield f'  found=$(wipefs -iO TYPE,UUID "$disk" | {_WORDS})'
            yield f'  [[ -z $found || $found == "{kind} $mark " ]] || stop "$disk holds $found"'
            yield '  [[ -z $found ]] || { arrays+=("$disk"); ours+=("$disk"); }'
        elif plan.design.on_partitions:
            yield from self._table_is_ours()
            yield 'done <<<"${DISKS:1}"'
            yield "while read -r _ _ link number _ _ _ guid _; do"
            yield f'  disk={self.facts.folder}$link; [[ " ${{tables[*]}} " == *" $disk "* ]] || continue'
            yield '  is "$guid" blkid --probe --output=value --match-tag=PART_ENTRY_UUID "$disk-part$number"'
            yield from self._member_is_ours("$disk-part$number")
        else:
            yield from self._member_is_ours("$disk")
        yield f'done <<<"${{{self.facts.member_table}:1}}"'

    def _table_is_ours(self) -> Iterator[str]:
        """Lines about a disk with partitions: it has the plan's table with its partitions alone, or nothing."""
        yield "  table=$(blkid --probe --output=value --match-tag=PTUUID \"$disk\") || table=''"
        yield "  if [[ -z $table ]]; then is '' wipefs \"$disk\"; continue; fi"
        of_disk = "awk -v link=\"$link\" '$3 == link { print $10 }'"
        yield f'  planned=$({of_disk} <<<"$PARTITIONS" | sort | uniq --count | xargs)'
        yield '  count=$(lsblk -rno TYPE "$disk" | grep -cx part) || :'
        yield '  [[ $planned == "$count $table" ]] || stop "$disk: $count partitions in table $table, planned $planned"'
        yield '  tables+=("$disk")'

    def _member_is_ours(self, path: str) -> Iterator[str]:
        """Lines about a member: it has a superblock of the plan and nothing else, or nothing at all."""
        plan, found = self.plan, f'wipefs -iO TYPE "{path}"'
        if plan.design.metadata in mdadm.SEES_THROUGH:  # what is on an array shows on its members
            shown = "|".join(self._content())
            found = f"wipefs -iO TYPE,UUID \"{path}\" | {{ grep -vE '^({shown}) *$' || :; }} | cut -d ' ' -f 1"
        yield f'  uuid=$(uuid_of --examine "{path}"); found=$({found} | sort -u)'
        yield f'  [[ -z $found || $found == linux_raid_member && {_OURS} ]] || stop "{path} holds $found $uuid"'
        if plan.design.on_partitions:
            yield f"  [[ -n $found ]] || is '' cmp --bytes={MIB} \"{path}\" /dev/zero"
        yield f'  [[ -z $found ]] || ours+=("{path}"); [[ -z $found || $running == *"$uuid"* ]] || files=uncounted'

    def _content(self) -> Iterator[str]:
        """What the plan puts on its arrays, type and UUID, as a regular expression."""
        yield from (f"{self.plan.design.fs} +{made.uuid}" for made in self.plan.filesystems)
        arrays = {array.device for array in self.plan.arrays}
        yield from (f"{cryptsetup.KIND} +{crypt.uuid}" for crypt in self.plan.crypts or () if crypt.device in arrays)
        if self.facts.lvm:
            yield from (f"LVM2_member +{self.facts.names.volume_uuid(part)}" for part in self.facts.parts)

    def _group_is_ours(self) -> Iterator[str]:
        """Lines about the volume group on the arrays, whatever its name: it has the plan's volume alone, or none."""
        yield (
            'group=$(awk \'$3 == "LVM2_member" { print "pv_uuid=" $4 }\' <<<"$tree" | '
            "xargs -rn1 pvs --noheadings -o vg_uuid -S | tr -d ' ' | sort -u)"
        )
        own = f'[[ -z $volumes || $volumes == " {VOLUME} {self.facts.names.tag} $legs " ]]'
        found = f'lvs --noheadings -o lv_name,lv_tags,pv_count -S "vg_uuid=$group" | {_WORDS}'
        yield f"if [[ -n $group ]]; then volumes=$({found})"
        yield '  legs=$(grep -c LVM2_member <<<"$tree")'
        yield f'  {own} || stop "others\' volumes or disks: $volumes"'
        yield "  [[ -z $volumes || $tree == *lvm* ]] || files=uncounted; fi"

    def _file_systems_are(self) -> Iterator[str]:
        """Lines that count files, and stop where anything else is mounted over, at or below a mount point."""
        if self.several:
            yield "while read -r uuid place; do"
            yield from indented(self._file_system_is("$uuid", "$place"))
            yield 'done <<<"${FILE_SYSTEMS:1}"'
        else:
            (made,) = self.plan.filesystems
            yield from self._file_system_is(made.uuid, made.mount_point)

    def _file_system_is(self, uuid: str, place: str) -> Iterator[str]:
        at = f'"{place}"' if self.several else place
        count = f'find {at} -xdev -mindepth 1 ! -path "{place}/lost+found" -printf . | wc --bytes'
        yield f'number=$(awk -v u="{uuid}" \'$4 == u {{ print $2 }}\' <<<"$tree")'
        if self.several:
            yield f'mounts=$(awk -v n="${{number:--}}" -v at={at} \\'
            yield """  '$3 == n || $5 == at || index($5, at "/") == 1 { print $3, $5 }' /proc/self/mountinfo)"""
        else:
            there = f'$3 == n || $5 == "{place}" || index($5, "{place}/") == 1'
            yield f"mounts=$(awk -v n=\"${{number:--}}\" '{there} {{ print $3, $5 }}' /proc/self/mountinfo)"
        yield f'[[ -z $mounts || $mounts == "$number {place}" ]] || stop "these mounts are in the way: $mounts"'
        yield "[[ -n $mounts || -z $number ]] || files=uncounted"
        if self.several:
            yield f'if [[ -n $mounts ]]; then is "$number" mountpoint --fs-devno {at}; mounted+=({at})'
            yield f"  count=$({count}); [[ $files == uncounted ]] || files=$((files + count)); fi"
        else:
            yield f'if [[ -n $mounts ]]; then is "$number" mountpoint --fs-devno {at}'
            yield f"  files=$({count}); fi"

    def _raw_data(self) -> Iterator[str]:
        """Lines about the devices of a plan without a file system: their data cannot be counted."""
        facts = self.facts
        top = "lvm" if facts.lvm else "raid0" if facts.outer else _one_of(s.level for s in self.plan.prediction.arrays)
        if not facts.content:  # else old content of the disks may show through
            yield f"numbers=$(sed -En 's/^{top} ([0-9:]+).*/\\{top.count('(') + 1}/p' <<<\"$tree\")"
            yield f"for number in $numbers; do is '' cmp --bytes={MIB} \"/dev/block/$number\" /dev/zero; done"
        yield "[[ -z $tree ]] || files=uncounted"

    # Remove, read back.

    def remove(self) -> Iterator[str]:
        """Lines that remove it."""
        facts, plan = self.facts, self.plan
        blocks, conf = {block.path: block for block in facts.blocks}, initramfs.mdadm_conf(plan.initramfs)
        if self.several:
            yield 'for place in "${mounted[@]}"; do umount "$place"; done'
        elif plan.filesystems:
            yield f"[[ -z $mounts ]] || {shell(mount.umount(plan.filesystems[0].mount_point).argv)}"
        below = plan.design.encrypts_arrays
        yield from () if below else self._decrypted(blocks)
        if facts.files:
            yield f"rm --force {' '.join(file.path for file in facts.files)}; {shell(udev.reload().argv)}"
        if mount.PATH in blocks:
            yield f"{self._lines(blocks[mount.PATH], ' remove')}; {shell(systemd.daemon_reload().argv)}"
        if facts.lvm:
            yield '[[ -z $group ]] || { lvremove --yes --select="vg_uuid=$group"; vgremove --select="vg_uuid=$group"; }'
        yield from self._decrypted(blocks) if below else ()
        if conf in blocks:
            yield self._lines(blocks[conf], " remove")
        if plan.arrays:
            again = f'uuid=$(uuid_of --detail "$md"); [[ {_OURS} ]] || stop "$md is another"'
            yield f'for md in "${{arrays[@]}}"; do {again}'
            yield '  [[ $running != *"$uuid"* ]] || wipefs --all --lock=yes "$md"; mdadm --stop "$md"; done'
        yield from self._zero_members()
        if plan.design.on_partitions:
            yield f'for disk in "${{tables[@]}}"; do wipefs --all --lock=yes "$disk"; {_SIZE}'
            yield f"  for at in 0 {_LAST}; do {_ZERO}; done; done"
        commands = [initramfs.rebuild(plan.initramfs)] if conf in blocks else []
        commands += (
            [systemd.try_restart(systemd.MONITOR)] if any(step.stage == "monitor" for step in plan.steps) else []
        )
        if commands:
            yield "; ".join(shell(command.argv) for command in commands)

    def _decrypted(self, blocks: Mapping[str, ManagedBlock]) -> Iterator[str]:
        """Lines that close each encrypted volume, overwrite its key slots, and remove header, backup and crypttab's."""
        for crypt in self.plan.crypts or ():
            question = " ".join(cryptsetup.mapping_question(crypt.name))
            yield f"mapping=$({question} 2>/dev/null) || :"
            close = " ".join(cryptsetup.close(crypt.name).argv)
            yield f"[[ $mapping != {cryptsetup.mapping_answer(crypt)} ]] || {close}"
            yield f'number=$(awk \'$4 == "{crypt.uuid}" {{ print $2 }}\' <<<"$tree")'
            device = '"/dev/block/$number"'
            erase = f"cryptsetup erase --batch-mode {device}; wipefs --all --lock=yes {device}"
            yield f"[[ -z $number ]] || {{ is {crypt.uuid} cryptsetup luksUUID {device}; {erase}; }}"
        if self.plan.crypts:
            yield f"rm --force {' '.join(crypt.backup for crypt in self.plan.crypts)}"
        if cryptsetup.PATH in blocks:
            yield f"{self._lines(blocks[cryptsetup.PATH], ' remove')}; {shell(systemd.daemon_reload().argv)}"

    def _zero_members(self) -> Iterator[str]:
        """Zeros over both ends of what carries the plan's UUIDs, first over the one with the superblock."""
        plan = self.plan
        again = f' uuid=$(uuid_of --examine "$disk"); [[ {_OURS} ]] || stop "$disk is another"' if plan.arrays else ""
        ends = ("0", _LAST)
        over = " ".join(reversed(ends) if plan.arrays and plan.design.metadata in mdadm.SEES_THROUGH else ends)
        yield f'for disk in "${{ours[@]}}"; do{again}'
        yield f"  {_SIZE}; for at in {over}; do"
        yield f"  {_ZERO}; done; done"

    def read_back(self) -> Iterator[str]:
        """Lines that prove that it is gone."""
        facts, plan = self.facts, self.plan
        blank = f'while read -r _ _ link _; do is \'\' wipefs "{facts.folder}$link"; done <<<"${{DISKS:1}}"'
        yield f"{UNTRACED}; {blank}"
        if plan.arrays:
            scan = "mdadm --examine --scan --config=partitions"
            yield f'! {scan} | grep -E "$UUIDS" || stop "superblocks of the plan are left"'
        if facts.blocks:
            yield f"! grep -sH {plan.run_id} {' '.join(block.path for block in facts.blocks)} || stop 'lines are left'"
        queue = " The disks keep I/O scheduler and queue depth until the next boot." if sets_queue(plan.design) else ""
        yield f"echo 'Removed, and read back: no signature or line of the plan is left.{queue}'"


def _one_of(words: Iterator[str]) -> str:
    """A regular expression for one of these words."""
    known = sorted(set(words))
    return known[0] if len(known) == 1 else f"({'|'.join(known)})"
