"""What mdadm.conf makes of arrays at boot: which file is read, DEVICE, ARRAY, AUTO, HOMEHOST and POLICY lines.

Parsing, and the source of each rule, is in tools/mdadm_conf.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from raidtui.programs import initramfs, mdadm, mdadm_conf
from raidtui.programs.mdadm_conf import ArrayLine, Statement
from raidtui.values.facts import BootArray, BootArrays, BootMember, Configuration, DeviceNames, TextFile
from raidtui.values.findings import Finding, error, note, some, warning
from raidtui.values.safe import safe

LONG = 80
"""characters of a line of a file in one message"""
_FEW = 4
"""devices that a way out names one by one"""
NamesByKey = Mapping[tuple[str, int], DeviceNames]
"""of devices by their key"""


@dataclass(frozen=True, slots=True)
class ConfReading:
    """The statements of mdadm.conf as one mdadm reads them, and the names of devices that they may name."""

    path: str
    """the file, whose directory is read too"""
    statements: tuple[Statement, ...]
    names: NamesByKey

    @property
    def device_words(self) -> tuple[str, ...]:
        """Words of its DEVICE lines; none: every device is allowed."""
        return tuple(word for word, _ in mdadm_conf.patterns(self.statements))

    def allows(self, member: BootMember) -> bool:
        """True where its DEVICE lines let mdadm look at the device; one whose names are not known is not allowed."""
        words, known = self.device_words, self.names.get(member.key)
        return mdadm_conf.allows(words, () if known is None else (known.name, *known.links))

    def matching(self, array: BootArray) -> tuple[ArrayLine, ...]:
        """ARRAY lines that mdadm takes for the array's, by its UUID or by the name of a member."""
        keys = [each.key for each in (*array.members, *array.spares)]
        names = [name for key in keys if (each := self.names.get(key)) for name in (each.name, *each.links)]
        lines = mdadm_conf.array_lines(self.statements)
        return tuple(line for line in lines if line.matches(array.uuid, names))

    def assembles(self, array: BootArray, host: str) -> bool:
        """True where no line keeps mdadm from assembling the array out of what it may look at."""
        lines = self.matching(array)
        if lines:
            return len(lines) == 1 and not lines[0].ignored
        return not self.denied_by(array, host)

    def denied_by(self, array: BootArray, host: str) -> Statement | None:
        """The AUTO line that keeps mdadm from an array without an ARRAY line; None for none."""
        auto = next((each for each in self.statements if each.keyword == "auto"), None)
        home, _ = self.home_host(host)
        local = bool(home) and array.label.startswith(f"{home}:")
        denies = auto is not None and mdadm_conf.auto_denies(auto.words, array.metadata, local=local)
        return auto if denies else None

    def home_host(self, host: str) -> tuple[str, Statement | None]:
        """The host whose arrays are at home here, and the line that names another than this one."""
        for each in self.statements:
            named = [word for word in each.words if word.lower() != "<ignore>"] if each.keyword == "homehost" else []
            if named:
                own = named[0].lower() == "<system>" or named[0] == host
                home = "" if named[0].lower() == "<none>" else named[0]
                return (host, None) if own else (home, each)
        return host, None


def readings(found: Configuration, *, written: str = "") -> tuple[tuple[str, tuple[TextFile, ...]], ...]:
    """The files that mdadm reads, with the place of the first; two answers where it is not known which place that is.

    `written`: a place that will have a file.
    """
    there = {file.path for file in found.files} | {written}
    read = {
        tuple(file for file in found.files if belongs(file.path, place)): place
        for place in reversed(mdadm_conf.places_read(there, found.first))
    }
    return tuple((place, files) for files, place in reversed(read.items()))


def files_read(found: Configuration) -> tuple[TextFile, ...]:
    """Every file that mdadm reads, or may read."""
    return tuple(file for _, files in readings(found) for file in files)


def belongs(path: str, place: str) -> bool:
    """True for the file of a place and those of its directory."""
    return path == place or path.startswith(f"{mdadm_conf.folder_of(place)}/")


def statements_of(files: Sequence[TextFile]) -> tuple[Statement, ...]:
    """Every statement of these files of mdadm.conf."""
    return tuple(each for file in files for each in mdadm_conf.statements(file.path, file.text))


def asks_for_names(files: Sequence[TextFile]) -> bool:
    """True if a line of these files names devices, so that the names of disks are needed."""
    found = statements_of(files)
    words = [word for word, _ in mdadm_conf.patterns(found)]
    return not mdadm_conf.allows(words, ()) or any(line.devices for line in mdadm_conf.array_lines(found))


def check_places(arrays: BootArrays, found: Configuration) -> Iterator[Finding]:
    """Findings about a second mdadm.conf, which this machine's mdadm does not read, or reads in place of the first."""
    path = initramfs.mdadm_conf(arrays.family)
    (other,) = (place for place in mdadm.CONFIGURATIONS if place != path)
    texts = {file.path: file.text for file in found.files}
    ours = arrays.lines != "as-found"
    if other not in texts or found.one_file:
        return
    if path not in texts:
        if ours:
            yield error(
                "mdadm-conf-elsewhere",
                f"mdadm uses {other} on this machine, the plan writes {path}: it would read only one of them.",
                f"move {other} to {path}, then rebuild the initramfs",
            )
        return
    if texts[path] == texts[other] and not (ours and found.first != path):
        return
    if not found.first:
        yield (error if ours else warning)(
            "mdadm-conf-unclear",
            f"{path} and {other} are both there. This machine's mdadm reads one of them alone; which one is not "
            f"known: {safe(found.why or 'it was not read', longest=LONG)}.",
            "keep one file with all lines, make the other a link to it, and rebuild the initramfs",
        )
        return
    unread = other if found.first == path else path
    if ours and found.first != path:
        yield error(
            "mdadm-conf-elsewhere",
            f"This machine's mdadm reads {other} and not {path}, which the plan writes ({safe(found.why)}).",
            f"move what is needed from {other} to {path} and remove it, then rebuild the initramfs",
        )
    else:
        yield warning(
            "mdadm-conf-twice",
            f"{unread} exists beside {found.first}: this machine's mdadm reads only {found.first} ({safe(found.why)}).",
            f"move what is needed from {unread} to {found.first} and remove it; {_GOES_ON[ours]}",
        )


_GOES_ON = {True: "the build can go on", False: "then rebuild the initramfs"}


def check_reading(arrays: BootArrays, reading: ConfReading) -> Iterator[Finding]:
    """Findings about the lines that one mdadm reads."""
    for array in arrays.arrays:
        yield from _devices(array, reading, ours=arrays.lines != "as-found")
        yield from _array_lines(arrays, array, reading)
    yield from _policies(arrays, reading)


def named(members: Sequence[BootMember], names: NamesByKey) -> str:
    """`/dev/sda (slot 1, serial S001), /dev/sdb (slot 2, serial S002)`."""
    texts = []
    for each in members:
        known = names.get(each.key)
        node = known.name if known is not None and known.name else f"/dev/{each.device}" if each.device else each.path
        texts.append(f"{safe(node)} ({each.words})" if each.words else safe(node))
    return some(texts)


def _devices(array: BootArray, reading: ConfReading, *, ours: bool) -> Iterator[Finding]:
    words = reading.device_words
    if not words:
        return
    lines = [line for _, line in mdadm_conf.patterns(reading.statements)]
    places = safe(", ".join(dict.fromkeys(line.place for line in lines)))
    shown = safe(" ".join(words), longest=LONG)
    known = [each for each in (*array.members, *array.spares) if each.key in reading.names]
    barred = [each for each in known if not reading.allows(each)]
    rest = (
        f"write 'DEVICE partitions' instead, or remove the DEVICE lines; {reading.path} without any allows every disk"
    )
    if barred:
        add = f"add {some([safe(each.path) for each in barred], _FEW)} to it; or " if len(barred) <= _FEW else ""
        yield error(
            "device-line",
            f"{places}: 'DEVICE {shown}' does not allow {named(barred, reading.names)} of {safe(array.device)}: mdadm "
            "would not assemble these at boot.",
            f"{add}{rest}",
            array.name,
        )
    links = {each.key: reading.names[each.key] for each in known}
    unsteady = [
        each
        for each in known
        if each not in barred and not mdadm_conf.lasting(words, links[each.key].name, links[each.key].links)
    ]
    if unsteady:
        yield warning(
            "device-line-names",
            f"{places}: 'DEVICE {shown}' allows {named(unsteady, reading.names)} of {safe(array.device)} only under "
            "the kernel name of this boot; the next may give another.",
            f"{rest}; the build can go on" if ours else rest,
            array.name,
        )


def _array_lines(arrays: BootArrays, array: BootArray, reading: ConfReading) -> Iterator[Finding]:
    lines = mdadm_conf.array_lines(reading.statements)
    matching, ours = reading.matching(array), arrays.lines != "as-found"
    own = [
        line
        for line in matching
        if not line.ignored and (not ours or mdadm_conf.same_name(line.device, array.device))
    ]  # fmt: skip
    for line in matching:
        if line not in own[:1]:
            yield _conflict(array, line)
    if arrays.lines == "written" and not own:
        yield error(
            "array-line-missing",
            f"{reading.path} has no ARRAY line with the name and UUID of {array.device}.",
            "raidtui resume restores the plan's lines",
            array.name,
        )
    for line in lines:
        # before a build the check step reads names in the plan's file itself
        checked = arrays.lines != "planned" or line.statement.path != initramfs.mdadm_conf(arrays.family)
        if checked and line not in matching and mdadm_conf.same_name(line.device, array.device):
            yield _name_taken(array, line, ours=ours)
    if own:
        yield from _own_line(arrays, array, reading, own[0])
    elif not matching and not ours:
        yield from _without_line(arrays, array, reading)


def _conflict(array: BootArray, line: ArrayLine) -> Finding:
    what = "makes mdadm ignore" if line.ignored else "is a second match for"
    return error(
        "array-line-conflict",
        f"{safe(line.statement.place)}: 'ARRAY {safe(line.statement.text, longest=LONG)}' {what} {safe(array.device)}: "
        "mdadm would not assemble it at boot.",
        "remove that line",
        array.name,
    )


def _name_taken(array: BootArray, line: ArrayLine, *, ours: bool) -> Finding:
    return (error if ours else warning)(
        "array-name-taken",
        f"{safe(line.statement.place)} names another array {safe(line.device, longest=LONG)}: mdadm --assemble --scan "
        "refuses a file with duplicate names.",
        "remove that line, or plan again under another --name"
        if ours
        else f"remove that line, or give it the UUID of {safe(array.device)}",
        array.name,
    )


def _own_line(arrays: BootArrays, array: BootArray, reading: ConfReading, line: ArrayLine) -> Iterator[Finding]:
    """Findings about what the array's one line says of its members."""
    place, shown = safe(line.statement.place), safe(array.device)
    everyone = (*array.members, *array.spares)
    left = [
        each for each in everyone if each.key in reading.names and not line.lists(reading.names[each.key].name)
    ]  # fmt: skip
    if left:
        auto = reading.denied_by(array, arrays.host)
        follows = (
            f"{safe(auto.place)} keeps mdadm from them"
            if auto is not None
            else "mdadm takes them for members of an array without an ARRAY line"
        )
        yield (warning if auto is None else error)(
            "array-line-devices",
            f"{place}: devices= does not name {named(left, reading.names)} of {shown}: {follows}.",
            "remove devices= from it; the UUID suffices" if line.uuid else f"write UUID={array.uuid} instead",
            array.name,
        )
    if arrays.lines == "as-found" and line.spares > len(array.spares):
        yield note(
            "array-line-spares",
            f"{place} says spares={line.spares}, {shown} has {len(array.spares)}: the monitor reports missing spares.",
            "change spares= to what it has, or add a spare",
            array.name,
        )
    if line.name and array.label and line.name.lower() != array.label.lower():
        yield warning(
            "array-line-name",
            f"{place} says name={safe(line.name, longest=LONG)}, the superblocks of {shown} "
            f"{safe(array.label, longest=LONG)}: mdadm up to 4.2 does not take the line for its.",
            "remove name= from it; the UUID suffices",
            array.name,
        )


def _without_line(arrays: BootArrays, array: BootArray, reading: ConfReading) -> Iterator[Finding]:
    """Findings about an array that no ARRAY line names."""
    shown, add = safe(array.device), f"add the line that mdadm --detail --brief {safe(array.device)} prints"
    if auto := reading.denied_by(array, arrays.host):
        yield error(
            "auto-line",
            f"{safe(auto.place)}: 'AUTO {safe(auto.text, longest=LONG)}' keeps mdadm from assembling arrays without an "
            f"ARRAY line, and {shown} has none. A boot would not assemble it.",
            f"{add}, rebuild the initramfs",
            array.name,
        )
    _, line = reading.home_host(arrays.host)
    if line is not None and not array.label.startswith(f"{line.words[0]}:"):
        yield note(
            "homehost-line",
            f"{safe(line.place)}: HOMEHOST is {safe(line.text, longest=LONG)}, {shown} is made for "
            f"{safe(array.label.partition(':')[0] or 'no host', longest=LONG)} and has no ARRAY line: a boot gives it "
            "another name.",
            f"{add}, rebuild the initramfs",
            array.name,
        )


def _policies(arrays: BootArrays, reading: ConfReading) -> Iterator[Finding]:
    if arrays.lines == "as-found":
        return
    automatic = next((each for each in reading.statements if each.keyword == "auto"), None)
    if automatic is not None and any(mdadm_conf.auto_denies(automatic.words, each.metadata) for each in arrays.arrays):
        yield note(
            "auto-line",
            f"{safe(automatic.place)}: 'AUTO {safe(automatic.text, longest=LONG)}' keeps mdadm from assembling arrays "
            "without an ARRAY line; the plan's arrays have ARRAY lines.",
            "keep the plan's ARRAY lines; without them the arrays would not be assembled",
        )
    _, other = reading.home_host(arrays.host)
    if other is not None:
        yield note(
            "homehost-line",
            f"{safe(other.place)}: HOMEHOST is {safe(other.text, longest=LONG)}, the arrays are made for "
            f"{safe(arrays.host)}; their names at boot come from the plan's ARRAY lines.",
            "keep the plan's ARRAY lines; without them names under /dev/md would start with the host's name",
        )
    for each in reading.statements:
        if each.keyword == "policy" and re.search(r"\baction=(?:spare|force-spare|spare-same-slot)\b", each.text):
            yield warning(
                "policy-line",
                f"{safe(each.place)}: 'POLICY {safe(each.text, longest=LONG)}' lets mdadm take a bare disk that "
                "appears as a spare.",
                "if it may match the plan's disks, remove the line until the build ends; the build can go on",
            )
