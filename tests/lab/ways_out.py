"""Ways out on real md: each state of `way_rows` is made, what raidtui prints for it is typed as printed, and read back.

    python -m tests.lab.ways_out [WORD of the names ...]

What is typed are the row's lines, each of which must stand in the way out as printed; words in capitals there are what
the person fills in. A line that calls `raidtui replace` or `raidtui extend` is followed as a person would: a disk is
named where it asks for one, and the commands that it lists are pasted into a shell, heredocs too.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tests.lab.agent import GuestCommandError
from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.image import Image
from tests.lab.quick import QuickMachine

MIB = 2**20
_LIBRARY = """
export IMSM_NO_PLATFORM=1 IMSM_DEVNAME_AS_SERIAL=1
md() { basename $(readlink -f $1); }
sys() { echo /sys/block/$(md $1)/md; }
idle() {
  for n in $(seq 600); do case $(cat $(sys $1)/sync_action) in idle|frozen) break;; esac; sleep 0.1; done
  udevadm settle
}
"""
_RESET = """
for d in $(findmnt -rn -o TARGET | grep ^/srv/); do umount -l $d; done
for n in 1 2 3; do for each in /dev/md[0-9]*; do
  echo idle > /sys/block/$(basename $each)/md/sync_action; mdadm --stop $each
done; done > /dev/null 2>&1
echo 0 > /sys/module/md_mod/parameters/start_ro; cp /var/kept.conf /etc/mdadm/mdadm.conf; rm -f /etc/mdadm.conf
echo 400000 > /proc/sys/dev/raid/speed_limit_max; echo 300000 > /proc/sys/dev/raid/speed_limit_min
udevadm settle; rm -rf /dev/md/* /var/lib/raidtui /root/backup; true
"""


@dataclass(frozen=True, kw_only=True)
class Way:
    """A state, what raidtui prints for it, and what typing that comes to."""

    name: str
    make: str
    """shell; $1 to $8 are disks, by their links"""
    code: str = ""
    """of the finding; empty: what `lines` call lists is typed, whatever the audit finds"""
    asks: str = "audit"
    """the call that has it"""
    lines: tuple[str, ...]
    """what is typed of its way out, as printed: {1} is a disk's link, {vd1} its kernel name, {md}, {path}, {uuid} the
    array's"""
    fills: Mapping[str, str] = field(default_factory=dict)
    """what a person writes for a word in capitals"""
    before: str = ""
    """shell, or a call of raidtui: what the way out asks for in words, such as to unmount"""
    then: str = ""
    """shell, or a call of raidtui: the same of what it asks for at its end"""
    also: tuple[str, ...] = ()
    """codes under which other calls print the same way out"""
    refuses: str = ""
    """regular expression that the last line's output matches: md refuses it, as was said; the finding stays"""
    holds: str = ""
    """shell that must succeed afterwards"""


@dataclass(frozen=True)
class Typed:
    """What came of a way out."""

    name: str
    seconds: float
    wrong: tuple[str, ...]
    """empty: it worked"""
    log: str


def machine(using: Image | None = None) -> QuickMachine:
    """Eight disks, and two large ones."""
    disks = [*lab_disks(8, bytes=160 * MIB), *lab_disks(2, prefix="BIG", bytes=4_000_787_030_016)]
    return QuickMachine(disks, using=using, sync_limit_kib=None)


class Typist:
    """The machine on which ways out are typed."""

    def __init__(self, vm: QuickMachine) -> None:
        self.vm = vm
        install(vm)
        self.paths = {str(number): path for number, path in enumerate(vm.disk_paths().values(), start=1)}
        self.serials = list(vm.serials)
        vm.put("/root/library", _LIBRARY.encode())
        vm.check(
            "cp /etc/mdadm/mdadm.conf /var/kept.conf; systemctl stop mdmonitor; "
            "systemctl set-environment IMSM_NO_PLATFORM=1 IMSM_DEVNAME_AS_SERIAL=1; true"
        )

    def shell(self, text: str) -> str:
        """Output of shell with the library; the disks are its arguments."""
        given = " ".join(self.paths.values())
        return self.vm.check(f"set -- {given}; . /root/library\n{text}", timeout=200).stdout

    def findings(self, asks: str, code: str) -> list[dict[str, str]]:
        """Findings of a code that a call has now."""
        if asks == "arrays":
            return list(_listed_findings(self.vm.run("raidtui arrays").stdout))
        ran = self.vm.run(f"raidtui {asks} --json", timeout=200)
        if not ran.stdout:
            return [{"code": "none", "way_out": "", "subject": "", "said": ran.stderr}]
        return [each for each in json.loads(ran.stdout)["findings"] if each["code"] == code]

    def type_out(self, way: Way) -> Typed:
        """Makes the state, reads its way out, types it, reads back."""
        began, log = time.monotonic(), []
        self.vm.run(_RESET, timeout=120)
        self.vm.erase_disks(self.serials)
        self.shell("for each in $*; do blockdev --rereadpt $each; done; udevadm trigger --settle -s block; true")
        try:
            self.shell(f"set -e; {way.make}\nudevadm settle; sync")
        except GuestCommandError as problem:
            return Typed(way.name, time.monotonic() - began, ("the state was not made",), str(problem))
        nothing = {"code": "", "subject": "md127", "way_out": " ".join(way.lines)}
        found = self.findings(way.asks, way.code) if way.code else [nothing]
        if not found:
            everything = self.vm.run(f"raidtui {way.asks}").stdout
            return Typed(way.name, time.monotonic() - began, ("it is not found",), everything)
        words = {**{f"d{number}": path for number, path in self.paths.items()}, **self._names(found[0])}
        words |= {
            f"vd{number}": self.vm.check(["readlink", "-f", path]).stdout.strip()[5:]
            for number, path in self.paths.items()
        }
        wrong = []
        if way.before.startswith("raidtui"):
            log.append(self._typed(way.before))
        elif way.before:
            self.shell(way.before)
        said = ""
        for line in way.lines:
            printed = _filled(line, words)
            if way.code and not any(printed in each["way_out"] for each in found):
                wrong.append(f"{printed!r} is not in the way out: {[each['way_out'] for each in found]}")
            for word, meant in way.fills.items():
                printed = re.sub(rf"\b{word}\b", _filled(meant, words), printed)
            said = self._typed(printed)
            log.append(f"$ {printed}\n{said}")
        if way.then.startswith("raidtui"):
            log.append(self._typed(way.then))
        elif way.then:
            self.shell(way.then)
        self.shell(
            "udevadm settle; for each in /dev/md?*; do [ -b $each ] && mdadm --wait $each; done; sleep 0.3; true"
        )
        after = self.findings(way.asks, way.code) if way.code else []
        if way.refuses and not re.search(way.refuses, said):
            wrong.append(f"it does not say {way.refuses!r}")
        if not way.refuses and any(each["subject"] == found[0]["subject"] for each in after):
            wrong.append(f"the finding stays: {after}")
        ran = self.vm.run(f"set -- {' '.join(self.paths.values())}; . /root/library\nset -e; {way.holds}", timeout=200)
        if ran.exit:
            wrong.append(f"not so: {way.holds}: {ran.stdout}{ran.stderr}")
        if wrong:
            look = "cat /proc/mdstat; for m in /dev/md[0-9]*; do mdadm --detail $m; done; dmesg | tail -5"
            log.append(self.vm.run(look).stdout)
        return Typed(way.name, time.monotonic() - began, tuple(wrong), "\n".join(log))

    def _names(self, found: Mapping[str, str]) -> dict[str, str]:
        """What `{md}`, `{uuid}` stand for."""
        arrays = json.loads(self.vm.check("raidtui arrays --json").stdout)["arrays"]
        word = found["subject"].split(" ")[0]
        mine = [each for each in arrays if word in (each["name"], each["label"], each["uuid"])] or arrays
        if not mine:
            return {}
        last = [each["uuid"] for each in arrays if each["label"] == mine[0]["label"]][-1]
        return {"md": mine[0]["name"], "last": last, **{key: mine[0][key] for key in ("path", "uuid")}}

    def _typed(self, line: str) -> str:
        if not line.startswith(("raidtui replace", "raidtui extend")):
            ran = self.vm.run(f". /root/library\n{line}", timeout=200)
            return f"exit {ran.exit}: {ran.stdout}{ran.stderr}"
        ran = self.vm.run(line)
        if "What to do" not in ran.stdout and (with_it := re.search(r"name one: (--with \S+)", ran.stdout)):
            line = f"{line} {with_it[1]}"
            ran = self.vm.run(line)
        done = self.vm.run(listed(ran.stdout), timeout=300)
        return (
            f"{line}: exit {ran.exit}: {ran.stdout}{ran.stderr}\npasted: exit {done.exit}: {done.stdout}{done.stderr}"
        )


def _listed_findings(text: str) -> Iterator[dict[str, str]]:
    """Findings as `raidtui arrays` prints them, without their codes; its JSON has none."""
    for found in re.finditer(r"^  (?:error|warning|note): (.*)\n((?:    .*\n)*)", text, re.MULTILINE):
        yield {"subject": found[1], "way_out": " ".join(found[2].split())}


def listed(text: str) -> str:
    """What an answer lists to do, as it is pasted into a shell: all of it."""
    return text.partition("nothing of it was executed")[2].partition("\n")[2]


def _filled(text: str, words: Mapping[str, str]) -> str:
    return re.sub(
        r"\{(\w+)\}", lambda found: words.get(f"d{found[1]}" if found[1].isdecimal() else found[1], found[0]), text
    )


def main(words: Sequence[str]) -> int:
    """Types each way out, then prints the count."""
    from tests.lab.way_rows import WAYS

    chosen = [each for each in WAYS if not words or any(word in each.name for word in words)]
    found = []
    with machine() as vm:
        typist = Typist(vm)
        for way in chosen:
            found.append(typist.type_out(way))
            show(found[-1])
    good = sum(not each.wrong for each in found)
    print(f"{good} of {len(found)} ways out work")
    return 0 if good == len(found) else 1


def show(each: Typed) -> None:
    """Prints what came of one."""
    print(f"{'works' if not each.wrong else 'FAILS'} {each.seconds:5.1f} s  {each.name}", flush=True)
    for line in (*each.wrong, each.log) if each.wrong else ():
        print(f"    {line}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
