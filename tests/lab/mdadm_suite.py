"""mdadm's own test scripts as a source of states: what `arrays` and `audit` say beside mdadm and the kernel.

    python -m tests.lab.mdadm_suite DIRECTORY [TEST ...]

DIRECTORY is a checkout of mdadm, of which nothing is kept here; TEST is a name or a pattern of names of its `tests`.
Each script runs in a guest on loop devices. After each call of mdadm that may change something, and at each of the
suite's own check points, `mdadm_points` compares. Whether a script passes says something of mdadm and this kernel, and
nothing of raidtui: only what differs counts.
"""

from __future__ import annotations

import fnmatch
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.lab.guest_raidtui import install
from tests.lab.host import LabError
from tests.lab.quick import QuickMachine

_PLACE, _RUN = "/opt/mdadm-suite", "/run/mdadm-suite"
_LIMIT_S = 420
_WRAPPER = """#!/bin/bash
/usr/lib/mdadm-suite/mdadm "$@"; code=$?
[ -n "$MDADM_SUITE" ] || exit $code
for word in "$@"; do
  case $word in
  -D*|--detail*|-E*|--examine*|-X*|--zero*|-V|--version|--query|-Q|-F|--monitor|-Ssq) exit $code;;
  esac
done
point "mdadm $*"
exit $code
"""
"""mdadm as the scripts meet it; questions change nothing and are no point"""
_POINT = f"""#!/bin/bash
exec 9> {_RUN}/lock; flock 9
echo "$*" > {_RUN}/ask
read -t 240 < {_RUN}/answer
exit 0
"""
_CHECKED = """
eval "suites_own_$(declare -f check)"
check() { suites_own_check "$@"; local code=$?; point "check $*"; return $code; }
sleep() { case $1 in [2-9]*) command sleep 0.4;; *) command sleep "$@";; esac; }
"""
"""behind the suite's functions; the first command sees what the caller's last one came to. Long sleeps are short: a
point itself takes longer"""
_READY = f"""
set -e
mkdir -p {_RUN}/bin {_RUN}/tree /usr/lib/mdadm-suite
cp -r {_PLACE}/. {_RUN}/tree/; mount -t tmpfs -o size=900m none /var/tmp
cat {_RUN}/checked >> {_RUN}/tree/tests/func.sh
cp {_RUN}/bin/mdadm {_RUN}/tree/mdadm
[ -e /usr/lib/mdadm-suite/mdadm ] || cp $(command -v mdadm) /usr/lib/mdadm-suite/mdadm
mkfifo {_RUN}/ask {_RUN}/answer
modprobe -a loop md_mod raid456 raid1 raid10 raid0; modprobe linear || true
systemctl stop mdmonitor.service || true; hostname localhost
setsid python3 -I -m mdadm_points {_RUN} > {_RUN}/points.log 2>&1 < /dev/null &
"""
_TEST = f"""
cd {_RUN}/tree; : > {_RUN}/points.jsonl
for n in $(seq 0 13); do truncate -s $([ $n -gt 7 ] && echo 65536 || echo 20000)K /var/tmp/mdtest$n; done
export MDADM_SUITE=1 PATH={_RUN}/bin:$PATH
timeout -k 10 {{limit}} ./test --tests={{name}} --keep-going --logdir=/root/log > /root/said 2>&1 < /dev/null
"""


@dataclass(frozen=True)
class Ran:
    """What came of one script."""

    name: str
    ended: str
    """succeeded, FAILED, skipping, timed out: the suite's word"""
    seconds: float
    points: tuple[dict[str, Any], ...]
    last: str
    """end of the script's own log, of one that failed"""

    @property
    def differing(self) -> tuple[dict[str, Any], ...]:
        """Points at which something differs."""
        return tuple(each for each in self.points if each["differs"])


class Suite:
    """A guest with the suite in it."""

    def __init__(self, vm: QuickMachine, tree: Path) -> None:
        self.vm = vm
        install(vm, Path(__file__).with_name("mdadm_points.py"))
        with tempfile.TemporaryDirectory(prefix="mdadm-suite-") as folder:
            shutil.copy2(tree / "test", folder)
            shutil.copytree(tree / "tests", Path(folder) / "tests")
            vm.share(Path(folder), _PLACE)
        self.ready()

    def ready(self) -> None:
        """After each boot."""
        self.vm.check(f"mkdir -p {_RUN}/bin")
        for name, text in (("bin/mdadm", _WRAPPER), ("bin/point", _POINT), ("checked", _CHECKED)):
            self.vm.put(f"{_RUN}/{name}", text.encode(), 0o755)
        self.vm.check(_READY, timeout=120)

    def run(self, name: str, limit_s: int = _LIMIT_S) -> Ran:
        """Runs one script; a guest that does not come back is started anew."""
        began = time.monotonic()
        try:
            ran = self.vm.run(_TEST.format(name=name, limit=limit_s), timeout=limit_s + 60)
            said = self.vm.run("cat /root/said; true").stdout
            text = self.vm.run(f"cat {_RUN}/points.jsonl", timeout=60).stdout
            last = "" if "succeeded" in said else self.vm.run(f"tail -n 3 /root/log/{name}.log").stdout
        except LabError:
            ran, said, text, last = None, "", "", ""
        points = tuple(json.loads(line) for line in text.splitlines())
        lost = ran is None or ran.timed_out or ran.exit in (124, 137)
        words = ("succeeded", "FAILED", "skipping")
        ended = (
            "timed out" if lost else next((word for word in words if word in said), f"exit {ran.exit if ran else 0}")
        )
        if lost:
            self.vm.power_cut()
            self.vm.start()
            self.ready()
        return Ran(name, ended, time.monotonic() - began, points, last)


def names_of(tree: Path, chosen: Sequence[str]) -> list[str]:
    """The scripts that are chosen; all of them where none is."""
    known = sorted(path.name for path in (tree / "tests").glob("[0-9][0-9]*") if path.suffix != ".broken")
    if not chosen:
        return known
    return list(dict.fromkeys(name for word in chosen for name in known if fnmatch.fnmatchcase(name, word)))


def lines_of(ran: Ran) -> Iterator[str]:
    """What is printed of one script."""
    yield f"{ran.name}: {ran.ended}, {ran.seconds:.0f} s, {len(ran.points)} points, {len(ran.differing)} differ"
    yield from (f"  | {line}" for line in ran.last.splitlines())
    for each in ran.differing:
        yield f"  {each['moment']}"
        yield from (f"    {what}: raidtui {ours!r}, they {theirs!r}" for what, ours, theirs in each["differs"])


def main(words: Sequence[str]) -> int:
    """Prints each script with what differs, then the count; the exit code is 1 where something does."""
    if not words or not (Path(words[0]) / "test").is_file():
        print(__doc__)
        return 2
    tree, found = Path(words[0]), []
    with QuickMachine(memory_mib=2048, sync_limit_kib=None) as vm:
        suite = Suite(vm, tree)
        for name in names_of(tree, words[1:]):
            found.append(suite.run(name))
            print("\n".join(lines_of(found[-1])), flush=True)
    points, differing = sum(len(each.points) for each in found), sum(len(each.differing) for each in found)
    print(f"{len(found)} scripts, {points} points, {differing} with differences")
    return 1 if differing or not points else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
