"""Attacks on acts on real md: what a third person does between any two commands of raidtui, and what must hold then.

    python -m tests.lab.attacks [NAME ...]

Each attack of `attack_rows` and `attack_other_rows` is struck in one guest, one after the other: a wrapper in front of
each program counts its calls, and strikes before, after or instead of one of them. Afterwards nothing of others has
changed a byte, no array, mount or file of theirs is another, the exit code and the message are those of the row, and
there is no traceback.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal

from tests.lab import quick_initramfs
from tests.lab.agent import Result
from tests.lab.disk import lab_disks
from tests.lab.guest_raidtui import install
from tests.lab.image import Image
from tests.lab.quick import QuickMachine

MIB = 2**20
OTHERS = ("BY0001", "BY0002", "OWN0001", "OWN0002")
"""disks of others; those of OWN are not attached until somebody puts one in"""
THEIRS = ("LAB0007", "LAB0008")
"""members of a bystander's array; md writes their superblocks, so what is compared is the array's content and state"""
_WRAPPED = (
    "mdadm", "wipefs", "sfdisk", "blkdiscard", "pvcreate", "pvresize", "vgextend", "lvextend", "xfs_growfs",
    "resize2fs", "pvs", "stat", "dumpe2fs", "xfs_db", "mount", "umount", "mkfs.ext4", "mkfs.xfs", "fio", "systemctl",
)  # fmt: skip
_WRAPPER = """#!/bin/sh
p=${0##*/}; a=/run/attack; r=/usr/lib/attack/$p
[ -z "$ATTACK" ] && [ -e $a/moment ] || exec $r "$@"
. $a/moment
exec $r "$@"
"""
"""in place of a program; what an attack itself calls is not counted"""
_MOMENT = """echo "$p $*" >> $a/calls
case "$p $*" in
{words})
  n=$(($(cat $a/count) + 1)); echo $n > $a/count
  if [ $n = {nth} ]; then
    {strike}
  fi
esac
"""
_BODY = "ATTACK=1 PATH=/usr/lib/attack:$PATH bash $a/body > $a/log 2>&1 < /dev/null"
_STRIKES = {
    "before": f"{_BODY}",
    "after": f'$r "$@"; code=$?; {_BODY}; exit $code',
    "instead": f"{_BODY}; code=$?; cat $a/log; exit $code",
}
_LIBRARY = """
bound() { ls -d /sys/devices/virtio-uml-cmdline/virtio-uml.$(place $1)/virtio*; }
pull() { basename $(bound $1) > /sys/bus/virtio/drivers/virtio_blk/unbind; udevadm settle; }
put() { basename $(bound $1) > /sys/bus/virtio/drivers/virtio_blk/bind; udevadm settle; }
md() { echo /sys/block/$(basename $(readlink -f /dev/md/$1))/md; }
name() { basename $(readlink -f $1); }
acting() { pgrep -f -- '-m raidtu[i]'; }
stands() {
  if [ -e /dev/md/theirs ]; then
    mdadm --detail /dev/md/theirs | grep -e ' Devices :' -e '/dev/vd'; sha256sum < /dev/md/theirs
  fi
  for each in "$@"; do echo $each $(sha256sum < ${!each}); done
  findmnt -rn -o TARGET,SOURCE,FSROOT |
    grep -v -e ^/run -e ^/proc -e ^/sys -e '^/srv/data ' -e ^/var/lib/raidtui | sort
  test ! -f /etc/fstab || sed '/^# raidtui .* begin/,/^# raidtui .* end/d' /etc/fstab | sha256sum
  sha256sum /etc/passwd; stat -c '%n %a %U %F' /etc/passwd /dev/null
}
"""
"""for what an attack does: take a disk out, put one in, the directory of an array, a kernel name, who acts"""
RESET = """
rm -f /run/attack/moment /run/attack/count
pkill -9 -x rawowner; kill -9 $(acting); sleep 0.1
for each in /srv/d /srv/data /mnt /var/lib/raidtui; do while umount -q -l $each; do :; done; done
for each in $(findmnt -rn -o TARGET | grep ^/var/lib/raidtui); do umount -q -l $each; done
test -f /etc/fstab && cmp -s /etc/fstab /var/kept/etc/fstab && same=yes
for f in /etc/mdadm/mdadm.conf /etc/fstab /etc/machine-id; do umount -q $f; rm -rf $f; cp -p /var/kept$f $f; done
[ "$same" ] || systemctl daemon-reload; rm -f /etc/udev/rules.d/*raidtui*; chown root /etc/mdadm
rm -rf /var/lib/raidtui /etc/mdadm.conf /run/mdadm/creating-*; mount -o remount,rw /
swapoff -a; dmsetup remove_all --force; for g in $(vgs --noheadings -o vg_name 2>/dev/null); do vgchange -q -an $g; done
for n in 1 2 3; do for each in /dev/md[0-9]*; do mdadm --stop $each; done; done 2> /dev/null
echo 200000 > /proc/sys/dev/raid/speed_limit_max; losetup -D; systemctl stop mdmonitor
udevadm settle; rm -f /dev/md/*; true
"""
When = Literal["before", "after", "instead"]


@dataclass(frozen=True, kw_only=True)
class Attack:
    """One attack: what stands, what raidtui is asked, what a third person does when, and what must hold."""

    name: str
    scene: str
    """of `attack_rows.SCENES`"""
    act: str
    """behind `raidtui`"""
    at: str = ""
    """shell pattern of `PROGRAM ARGUMENTS`, the moment; empty: once the act is confirmed, before it is begun"""
    nth: int = 1
    when: When = "before"
    strike: str
    """shell, as root; `$LAB0005` is the path of a disk"""
    exits: tuple[int, ...]
    """good exit codes of the act"""
    says: str
    """regular expression that its output matches"""
    never: str = r"is whole|is as asked"
    """regular expression that its output does not match"""
    holds: str = ""
    """shell that must succeed afterwards"""
    changes: tuple[str, ...] = ()
    """disks besides those of the scene that the attack itself writes to"""
    mend: str = ""
    """shell: the attack is over, and what it broke is repaired"""
    again: tuple[int, ...] | None = None
    """good exit codes of the same command afterwards; None: it is not called again"""
    says_again: str = ""
    done: str = ""
    """shell that must succeed after that"""
    limit_s: float = 120


@dataclass(frozen=True)
class Struck:
    """What came of an attack."""

    name: str
    seconds: float
    hashed: int
    """disks whose content was compared"""
    wrong: tuple[str, ...]
    """what did not hold; empty: it was repelled"""
    said: str
    """what raidtui said"""


@dataclass(frozen=True)
class Scene:
    """What stands before an attack."""

    make: str
    """shell"""
    disks: tuple[str, ...]
    """its members, whose bytes the act or md may change"""


def machine(using: Image | None = None) -> QuickMachine:
    """Nine disks, two of somebody, and two that somebody may put in."""
    absent = [replace(each, unplugged=True) for each in lab_disks(2, prefix="OWN", bytes=128 * MIB)]
    disks = [*lab_disks(9, bytes=256 * MIB), *lab_disks(2, prefix="BY", bytes=64 * MIB), *absent]
    return QuickMachine(disks, using=using, sync_limit_kib=None)


class Field:
    """The machine on which attacks are struck."""

    def __init__(self, vm: QuickMachine) -> None:
        self.vm = vm
        install(vm)
        places = "; ".join(f"{serial}) echo {place};;" for place, serial in enumerate(vm._disks)).replace("; ", " ")
        ids = "/dev/disk/by-id/scsi-SRAIDTUI_RAIDTUI-LAB_"
        paths = [f"{serial}={ids}{serial}" for serial in vm._disks]
        text = "\n".join((*paths, f"place() {{ case $1 in {places} esac; }}", _LIBRARY))
        vm.check("mkdir -p /run/attack /usr/lib/attack /var/kept/etc/mdadm")
        vm.put("/usr/sbin/update-initramfs", quick_initramfs.UPDATE, 0o755)
        vm.put("/usr/lib/attack/library", text.encode())
        vm.put("/usr/lib/attack/wrapper", _WRAPPER.encode(), 0o755)
        vm.check(
            "for f in /etc/mdadm/mdadm.conf /etc/fstab /etc/machine-id; do cp -p $f /var/kept$f; done; "
            f"for p in {' '.join(_WRAPPED)}; do w=$(command -v $p) || continue; "
            "if [ -L $w ]; then ln -s $(readlink -f $w) /usr/lib/attack/$p; rm $w; else mv $w /usr/lib/attack/$p; fi; "
            "cp /usr/lib/attack/wrapper $w; done"
        )
        own = "mkfs.ext4 -q -E nodiscard $n && mount $n /mnt && cp -r /etc /mnt && umount /mnt && sync"
        self.shell(f"put OWN0001; n=$OWN0001; {own}; pull OWN0001")
        half = "mdadm --create /dev/md/half -l1 -n2 --bitmap=none --assume-clean --run $OWN0002 missing; n=/dev/md/half"
        self.shell(f"put OWN0002; {half}; {own}; mdadm --stop /dev/md/half; pull OWN0002")
        by = vm.disk_paths(["BY0001", "BY0002"])
        vm.check(f"mkfs.ext4 -q {by['BY0001']}; yes content | head -c 40M | dd of={by['BY0002']} bs=1M seek=8; sync")

    def shell(self, text: str, timeout: float = 120) -> Result:
        """Runs shell with the library; GuestCommandError when it fails."""
        return self.vm.check(f". /usr/lib/attack/library; export ATTACK=1; {text}", timeout=timeout)

    def strike(self, attack: Attack, scene: Scene) -> Struck:
        """Makes the scene, asks, attacks, and looks at everything."""
        began = time.monotonic()
        serials = [serial for serial in self.vm.serials if serial.startswith("LAB")]
        self._make(scene, serials)
        own = {*scene.disks, *attack.changes}
        untouched = [*OTHERS, *(each for each in serials if each not in own)]
        before, stands = self.vm.hash_disks(untouched), self._stands(attack)
        wrong: list[str] = []
        with self._moment(attack):
            digest = self._digest(attack)
            if not attack.at:
                self.shell(attack.strike, timeout=60)
                stands = self._stands(attack)
            ran = self.act(attack, digest)
            log = self.vm.run("cat /run/attack/log /run/attack/count 2> /dev/null").stdout
        if attack.at and "struck" not in self.vm.run("ls /run/attack").stdout:
            wrong.append(f"the moment never came: {log}")
        wrong += self._answer(ran, attack.exits, attack.says, attack.never)
        if attack.holds:
            wrong += self._holds(attack.holds)
        after = self.vm.hash_disks(untouched)
        wrong += [f"{serial} was written to" for serial in untouched if before[serial] != after[serial]]
        stands = self.vm.run("cat /run/attack/stands").stdout or stands
        if (now := self._stands(attack)) != stands:
            wrong.append(f"what stands of others was {stands}, is {now}")
        second: Result | None = None
        if attack.again is not None:
            if attack.mend:
                self.shell(attack.mend, timeout=120)
            second = self.act(attack, digest)
            wrong += self._answer(second, attack.again, attack.says_again, "")
            wrong += self._holds(attack.done) if attack.done else []
            again = self.vm.hash_disks(untouched)
            wrong += [f"{each} was written to by the second call" for each in untouched if before[each] != again[each]]
        said = f"exit {ran.exit}: {' '.join((ran.stderr or ran.stdout).split())}"
        if second is not None:
            said += f"; again, exit {second.exit}: {' '.join(second.stderr.split())}"
        if wrong:
            said += f"; log of the attack: {log}"
        return Struck(attack.name, time.monotonic() - began, len(untouched), tuple(wrong), said)

    def act(self, attack: Attack, digest: str) -> Result:
        """Calls raidtui as an operator who confirmed what it answered."""
        begin = "--begin " if attack.act.startswith(("replace", "extend")) else ""
        line = f"raidtui {attack.act} {begin}--yes --confirm {digest}"
        return self.vm.run(line, timeout=attack.limit_s)

    def _make(self, scene: Scene, serials: Sequence[str]) -> None:
        for place, serial in enumerate(self.vm._disks):
            absent = serial.startswith("OWN")
            driver = f"/sys/devices/virtio-uml-cmdline/virtio-uml.{place}/virtio*/driver"
            bound = self.vm.run(f"ls -d {driver}").exit == 0
            if bound == absent:
                self.shell(f"{'pull' if absent else 'put'} {serial}")
        self.vm.run(f". /usr/lib/attack/library; export ATTACK=1; {RESET}", timeout=120)
        if used := [each for each in serials if not self.vm.backing(each).is_blank()]:
            self.vm.erase_disks(used)
        self.shell(f"for each in {' '.join(serials)}; do blockdev --rereadpt ${{!each}}; done")
        self.vm.check("rm -f /run/attack/*; udevadm trigger --settle --subsystem-match=block; rm -f /dev/md/*")
        self.shell(f"set -e; {scene.make}", timeout=120)
        self.vm.check("udevadm settle; sync")

    @contextmanager
    def _moment(self, attack: Attack) -> Iterator[None]:
        """While this lasts the attack is struck at its moment."""
        if attack.at:
            stands = f"stands {' '.join(_hashed(attack))} > /run/attack/stands"
            body = (
                f". /usr/lib/attack/library; touch /run/attack/struck; {attack.strike}\ncode=$?; {stands}; exit $code"
            )
            words = re.sub(r"([^\w*?=./-])", r"\\\1", attack.at)
            moment = _MOMENT.format(words=words, nth=attack.nth, strike=_STRIKES[attack.when])
            self.vm.put("/run/attack/body", body.encode())
            self.vm.put("/run/attack/count", b"0\n")
            self.vm.put("/run/attack/next", moment.encode())
        yield
        self.vm.check("rm -f /run/attack/moment /run/attack/next")

    def _digest(self, attack: Attack) -> str:
        """What is confirmed; the moment is counted from here on."""
        if attack.act.startswith(("build", "undo", "drill")):
            found: str = json.loads(self.vm.get("/root/plan/plan.json"))["digest"]
        elif attack.act.startswith("tune"):
            found = json.loads(self.vm.check(f"raidtui {attack.act} --dry-run --json").stdout)["tuning"]["digest"]
        else:
            answer = self.vm.run(f"raidtui {attack.act} --json")
            found = json.loads(answer.stdout)["digest"] if answer.stdout else "0" * 64
        self.vm.run("test -e /run/attack/next && mv /run/attack/next /run/attack/moment")
        return found

    def _stands(self, attack: Attack) -> str:
        """What stands of others now: their array with its members and content, mounts, files of /etc."""
        return self.shell(f"stands {' '.join(_hashed(attack))}").stdout

    def _answer(self, ran: Result, exits: Sequence[int], says: str, never: str) -> list[str]:
        text = " ".join((ran.stdout + ran.stderr).split())
        wrong = [] if ran.exit in exits else [f"exit code {ran.exit}, not {exits}"]
        if ran.timed_out:
            wrong.append("it did not end")
        if "Traceback" in text:
            wrong.append("a traceback")
        if says and not re.search(says, text):
            wrong.append(f"it does not say '{says}'")
        if never and ran.exit != 0 and (found := re.search(never, text)):
            wrong.append(f"it says '{found[0]}'")
        return wrong

    def _holds(self, text: str) -> list[str]:
        ran = self.vm.run(f". /usr/lib/attack/library; export ATTACK=1; set -e; {text}", timeout=120)
        return [] if ran.exit == 0 else [f"not so: {text}: {ran.stdout}{ran.stderr}"]


def _hashed(attack: Attack) -> list[str]:
    """Disks that the attack writes to, and nobody else afterwards."""
    return [serial for serial in attack.changes if serial not in THEIRS]


def struck(
    field: Field, attacks: Sequence[Attack], scenes: dict[str, Scene], tell: Callable[[Struck], None]
) -> list[Struck]:
    """Each attack in turn."""
    found = []
    for attack in attacks:
        found.append(field.strike(attack, scenes[attack.scene]))
        tell(found[-1])
    return found


def main(words: Sequence[str]) -> int:
    """Prints each attack, then the count."""
    from tests.lab.attack_other_rows import OTHER_ATTACKS
    from tests.lab.attack_rows import REPLACE_ATTACKS, SCENES

    chosen = [
        each for each in (*REPLACE_ATTACKS, *OTHER_ATTACKS) if not words or any(word in each.name for word in words)
    ]
    with machine() as vm:
        found = struck(Field(vm), chosen, SCENES, _show)
    repelled = sum(not each.wrong for each in found)
    print(f"{repelled} of {len(found)} attacks repelled; {sum(each.hashed for each in found)} disks compared")
    return 0 if repelled == len(found) else 1


def _show(each: Struck) -> None:
    print(f"{'repelled' if not each.wrong else 'BROKE IN'} {each.seconds:5.1f} s  {each.name}", flush=True)
    for line in (*each.wrong, each.said):
        print(f"    {line!r}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
