"""`python -m tests.regenerate_testing` writes `tests/TESTING.md`: what was tested, counted from tree and records.

Nothing is run: the tables count cases in the sources and lines in the records that the commands beside them wrote.
"""

from __future__ import annotations

import ast
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from tests.benchmarks import bench_audit, bench_disks
from tests.faults import compared, engines, fleet_cases, fleet_matrix, pairs, replace_cases
from tests.faults.matrix import CASES
from tests.faults.test_tier1 import LEAST
from tests.lab import flush_cuts, sync_times
from tests.recorded_machines import from_mdstat
from tests.systems import boots, door, record
from tests.systems.roots import SUITES

TESTS = Path(__file__).resolve().parent
PAGE = TESTS / "TESTING.md"
_GOLD = {
    "geometry": (
        "single arrays of all levels, and a file system on 88 of them",
        "geometry design/test_predict.py",
    ),
    "unequal": ("volumes over arrays of unequal width", "design/test_unequal_gold.py"),
    "bands": ("volumes over bands of disks of mixed size", "design/test_band_gold.py"),
    "offsets": (
        "arrays with a stated data offset or bitmap chunk, refused ones too",
        "geometry/test_md.py checks/test_all_checks.py",
    ),
    "mkfs_options": ("file systems with random options, refused ones too", "geometry/test_mkfs_options.py"),
    "mkfs_versions": ("file systems by four versions of their mkfs each", "geometry/test_mkfs_versions.py"),
    "lun_file_systems": ("file systems over LUNs", "design/test_lun_file_systems.py"),
}
"""by the file in `real_geometry`: what it has, and its tests in `tests/planner`"""
_SPEED_JUMPS = (
    "random machines and workloads beside better ones: slower in no figure and no end of a band",
    "25,970 comparisons, 0 jumps",
    "`python -m tests.properties.speed_jumps 2500 7`",
    "2026-11-26; 150 machines on every push",
)
_SPEED_OF_MACHINES = (
    "random machines: more disks, depth, streams and size are never slower, degraded never faster, no link passed",
    "107,663 comparisons, 0 violations",
    "`RAIDTUI_SUITE=long pytest tests/properties/test_speed_of_machines.py`",
    "2026-11-29; 40 machines on every push",
)
_OF_CELL = {
    "sizes": "random arrays and volumes against the prediction, to the sector",
    "script": "`build.sh` on disks of 2 TB read back with its file system, taken back by `undo.sh`",
    "cut": "a build that loses power in the first sync: resumed to its end, undone to blank disks",
    "degraded": "started without a member: `arrays`, `audit`, `replace`, whole again, every byte of a file",
}

_DRACUT = """\
dracut's image for any machine, as packages of Debian make it, has mdadm, no mdadm.conf, and starts no array: udev of
the root file system does, and mdadm's timer an array with a missing member. The build's last check (`assembles none of
them: udev does once the root file system is mounted`), `arrays` and `audit` say the same. An image for its host alone,
which dracut of Debian sid makes when it is called there, has mdadm.conf where it has mdadm.

Found meanwhile, not raidtui's:

- dracut 112-7 on Debian sid with `mdadmconf=yes`: an ARRAY line in `/etc/mdadm/mdadm.conf.d/extra.conf`, which Debian's
  mdadm 4.6-3 is built to read; `dracut --force`; `lsinitrd`. Expected: the file in the image. Seen: mdadm.conf, as
  `/etc/mdadm.conf`, alone; the module mdraid copies `/etc/mdadm.conf.d`, and not Debian's directory.
- Linux 7.2.13 (Debian 7.2.13-1), mdadm 4.6-3: each start of a clean RAID5 logs `md_update_sb: can't update sb for
  read-only array md127`. Expected: nothing, as on 6.1. The array is whole and is written afterwards.
- User-mode Linux 7.2.7 (Debian sid) with two vhost-user-blk disks of qemu-storage-daemon 7.2: `mdadm --create
  /dev/md/z -l1 -n2 --assume-clean`, then `blkdiscard --zeroout --length=65536 /dev/md/z`. Expected: it ends, as on
  6.12.113. Seen: it does not; the daemon prints `vu_panic: virtio: invalid address for buffers` and serves the disks no
  more. Direct writes of data end. md has a `write_zeroes_max_bytes` of 0, so the kernel's page of zeroes is written: it
  seems to lie outside of the memory that virtio_uml shares."""
_CUT = {
    "plain": "a build on real md",
    "encrypted": "an encrypted build on real md and dm-crypt: LUKS2 on the array, opened by a key file",
    "encrypted-arrays": "an encrypted build on real md, dm-crypt and LVM: LUKS2 on each of two arrays",
}
_OF_BOOT = {
    "build": "two RAID5 of three, LVM over both, XFS: as planned",
    "reboot": "both arrays whole under their names, mounted by fstab, a file's bytes; `arrays` names what starts them",
    "degraded boot": "a disk is gone: its array starts without it, mounted, every byte; `audit` names the array",
    "rd.auto": "dracut alone: the image is to start arrays; `audit` warns, its way out is followed; the disk stays out",
    "key file": "Debian 12 alone: LUKS2 over the volume; a boot opens it by its key file, fstab mounts it; taken back",
    "passphrase": "the same by a passphrase: typed at the build, at the console of a boot, and after the next boot by "
    "`systemd-tty-ask-password-agent --query`",
}


def page() -> str:
    """The whole page."""
    parts = (_head(), _counts(), _systems(), _both(), _times(), _cost(), _engines(), _not_shown())
    return "\n\n".join(block for part in parts for block in part) + "\n"


def _head() -> Iterator[str]:
    yield "# Testing: the numbers"
    yield _prose(
        "What stands behind the words of [promises](../raidtui/topics/promises.md), for who wants to check before "
        "trusting. Each line has the command that repeats it, typed in the project's folder after "
        "`. .venv/bin/activate`. `python -m tests.regenerate_testing` counts in tree and in the records of those "
        "commands. How tests are run and where they are: [README](README.md)."
    )


def _counts() -> Iterator[str]:
    functions, modules = _written()
    real = compared.recorded()
    ends = Counter(result.end for result in real.values())
    changed = sum(result.bystander_bytes for result in real.values())
    kept = pairs.recorded()
    rows = [
        (
            "test functions",
            f"more than {functions // 500 * 500} in {modules // 50 * 50} modules",
            "`python3 tests/run.py all`",
            "on every push",
        ),
        ("declared faults, simulated machine", str(len(CASES)), "`python -m tests.faults --tier 1`", "on every push"),
        (
            "of these on real md",
            f"{len(real)}: {ends['completed']} completed, {ends['rolled-back']} rolled back, "
            f"{ends['refused']} refused; {changed} bytes changed on other disks",
            "`python -m tests.faults --tier 3 --out FILE`",
            f"once; {sum(case.tier2 for case in CASES)} before a release",
        ),
        (
            "random faults, simulated and real",
            f"{len(kept)} seeds, {sum(not pair.equal for pair in kept)} differences",
            f"`python -m tests.faults.pairs --seed {kept[0].seed} --count {len(kept)}`",
            max((pair.day for pair in kept), default="never"),
        ),
        (
            "faults of a replacement, simulated machine: 5 layouts, copied and rebuilt, each command",
            str(len(list(replace_cases.cases()))),
            "`pytest tests/faults -k test_replace_cases`",
            "on every push",
        ),
        (
            "crash points of a build, simulated machine",
            f"{sum(LEAST.values())} or more in {len(LEAST)} layouts",
            "`pytest tests/faults -k crash_point`",
            "on every push",
        ),
        (
            "random walks: up to four kills and power cuts in one life of a build, simulated machine",
            "10,000 seeds over 9 layouts, 18,895 strikes",
            "`python -m tests.faults.walks --seed 1 --count 10000`",
            "2026-11-27; 40 on every push",
        ),
        (
            "faults of a fleet",
            str(len(fleet_cases.CASES) + len(fleet_matrix.DEEDS)),
            "`python -m tests.faults.fleet_matrix`",
            "before a release; 6 on every push",
        ),
        (
            "replacements on real md under a load with checksums, 7 faults",
            "50 runs, 2,199 files, 0 lost; 0 bytes changed on other disks; two arrays dirty and degraded after the cut",
            "`python -m tests.lab.replace_faults 50 7`",
            "2026-11-26; seven in `long`",
        ),
        (
            "extensions on real md and LVM, cut and called again",
            "251 cuts of several runs over 10 kinds, 20 and more of each, 0 files lost",
            "`python -m tests.lab.extend_faults 20 33`: 20 of each kind; `20 41 bitmap`: of those",
            "2026-11-27; 2 without a cut on every push, the cut ones in `long`",
        ),
        *_flush_cuts(flush_cuts.outcomes()),
        (
            "attacks on acts on real md: names, mounts, links and disks that change between any two commands",
            "129 of 129 repelled; 1,025 disks of others compared, 0 changed",
            "`python -m tests.lab.attacks`",
            "2026-11-29; four on every push",
        ),
        (
            "ways out that are printed for an array, typed on real md as printed and read back",
            "68 of 68",
            "`python -m tests.lab.ways_out`",
            "2026-11-29; in `long`",
        ),
        (
            "random keys, pastes, mouse, sizes and signals on terminals",
            "200 sessions of seed 73, 52 of seed 74 at a load of 8: 0 faults",
            "`python -m tests.monkey --seed 73 --sessions 200`",
            "2026-11-29; ten on every push",
        ),
        (
            "mdadm's own test scripts as states: `arrays` and `audit` beside mdadm, /proc/mdstat and sysfs",
            "20 of 63 scripts of 4.2, 464 points; 18 differ, none by a fault of raidtui",
            "`python -m tests.lab.mdadm_suite DIRECTORY`",
            "2026-11-29",
        ),
        (
            "machines that their owners published (lists, forums, issues): arrays, members, findings",
            str(len(from_mdstat.machines())),
            "`pytest tests/machine/arrays/test_public_machines.py`",
            "on every push",
        ),
        (
            "an admin's build, year, failed disk, shelf and reboot in a whole Debian",
            "15 commands with raidtui, 52 by hand; 5 files, 0 lost, and the audit finds nothing wrong after either",
            "`RAIDTUI_SUITE=long pytest tests/lab/test_four_days.py`",
            "2026-11-26; in `long`",
        ),
    ]
    rows += [_SPEED_JUMPS, _SPEED_OF_MACHINES]
    for name, (what, tests) in _GOLD.items():
        lines = len((TESTS / "real_geometry" / f"{name}.jsonl").read_text().splitlines())
        paths = " ".join(f"tests/planner/{path}" for path in tests.split())
        command = f"`pytest {paths}` against `real_geometry/{name}.jsonl`"
        rows.append((what, str(lines), command, "on every push; measured once"))
    yield "## Counted"
    yield _table(("what", "how many", "command", "when"), rows)
    yield _prose(
        "Faults of raidtui that these runs found are mended, and each has a test: an undo that erased a damaged table "
        "of others (walk 2346), a half-written udev rule after an undo and a copy of a LUKS header that was not synced "
        "(flush cuts), three readings of states by `arrays` and `audit` (mdadm's scripts). Seven differences of the "
        "random faults were the lab's: its kernel took disks away one by one as it went down."
    )


def _flush_cuts(outcomes: Sequence[flush_cuts.Outcome]) -> Iterator[tuple[str, str, str, str]]:
    for build, what in _CUT.items():
        found = [each for each in outcomes if each.build == build]
        if not found:
            continue
        ends = Counter(each.end for each in found)
        kernels = sorted({f"of {SUITES[each.kernel]}" for each in found})
        last = [each for each in found if each.recording == found[-1].recording]
        flushes, of = len({each.point for each in last if each.flush}), last[-1].flushes
        recordings = len({each.recording for each in found})
        builds = (
            f"{recordings} recorded builds, {len(last)} of the last of them" if recordings > 1 else "a recorded build"
        )
        yield (
            f"{what} (Debian 12, kernel{'s' * (len(kernels) > 1)} {' and '.join(kernels)}), cut right after a flush or "
            "at any write, in two of three with volatile caches lost",
            f"{len(found)} cuts of {builds}, after {flushes if flushes < of else 'each'} of its {of} flushes; "
            f"{sum(bool(each.losing) for each in found)} with caches lost: {ends['completed']} completed by a resume, "
            f"{ends['built']} not begun and built anew, "
            f"{ends['rolled back']} undone to blank disks, {ends['wrong']} wrong; "
            "0 writes to the disk beside them" + ("" if build == "plain" else "; the key in no block but its file's"),
            f"`python -m tests.lab.flush_cuts{'' if build == 'plain' else f' --build {build}'} --seed N --count N`",
            f"{max(each.day for each in found)}; four in `long`",
        )


def _written() -> tuple[int, int]:
    """Functions named test_, and the modules that have them; parametrised ones count once."""
    counts = [
        sum(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_") for node in tree)
        for tree in (list(ast.walk(ast.parse(file.read_text()))) for file in sorted(TESTS.rglob("test_*.py")))
    ]
    return sum(counts), sum(count > 0 for count in counts)


def _systems() -> Iterator[str]:
    cells = record.recorded()
    yield "## Releases of Debian, each with every kernel"
    outcomes = Counter(act.word for cell in cells.values() for act in cell.acts.values())
    yield _prose(
        f"{len(cells)} of {len(record.CELLS)} cells were run: {outcomes['exact']} acts exact, {outcomes['refused']} "
        f"refused with a reason, {outcomes['differs']} differ. `python -m tests.systems` runs all, `python -m "
        "tests.systems trixie/sid` one: Debian 13 on the kernel of sid. The kernels are those of Debian's "
        "user-mode-linux. Debian 11 has Python 3.9: raidtui ran there on a Python 3.11 put beside it. Each push "
        "measures two of the layouts on Debian 12 with the kernel of Debian 13 or sid, in turns; `long` repeats an act."
    )
    yield _table(("act", "what is done"), list(_OF_CELL.items()))
    yield _table(
        ("release", "kernel", *_OF_CELL, "day", "seconds"),
        [
            (
                SUITES[suite],
                cells[suite, kernel].versions["kernel"],
                *(
                    cells[suite, kernel].acts[act].word if act in cells[suite, kernel].acts else "not run"
                    for act in _OF_CELL
                ),
                cells[suite, kernel].day,
                str(sum(cells[suite, kernel].seconds.values())),
            )
            if (suite, kernel) in cells
            else (SUITES[suite], f"of {SUITES[kernel]}", *("not run" for _ in _OF_CELL), "", "")
            for suite, kernel in record.CELLS
        ],
    )
    named = {suite: cell.versions for (suite, _), cell in cells.items()}
    if named:
        programs = [name for name in next(iter(named.values())) if name != "kernel"]
        yield _table(
            ("release", *programs), [(SUITES[each], *(found[p] for p in programs)) for each, found in named.items()]
        )
    told = [
        f"- {SUITES[cell.suite]} on {cell.versions['kernel']}, {name}, {act.word}: "
        + (
            f"with {act.how}, the way out that a warning of the plan names."
            if act.word == "exact"
            else f"{record.DIFFERING.get((cell.name, name)) or _one_line(act.how)}."
        )
        for cell in cells.values()
        for name, act in cell.acts.items()
        if act.how
    ]
    if told:
        yield "\n".join(told)
    yield from _boots(boots.recorded())
    yield from _door(door.recorded())


def _boots(cells: Mapping[tuple[str, str], boots.Booted]) -> Iterator[str]:
    outcomes = Counter(act.word for cell in cells.values() for act in cell.acts.values())
    yield "### Whole machines that boot by themselves"
    yield _prose(
        f"{len(cells)} of {len(boots.BOOTS)} releases with a maker of their initramfs were run, under QEMU with the "
        f"release's own kernel: {outcomes['exact']} acts exact, {outcomes['refused']} refused with a reason, "
        f"{outcomes['differs']} differ. `python -m tests.systems.boots` runs all, `python -m tests.systems.boots "
        "sid/dracut` one. QEMU loads kernel and initramfs from the machine's own /boot as a boot loader would. "
        "dracut's generic image is made with few drivers, for time."
    )
    yield _table(("act", "what is done"), list(_OF_BOOT.items()))
    yield _table(
        ("release", "initramfs", "kernel", *_OF_BOOT, "day", "seconds"),
        [
            (
                SUITES[suite],
                maker,
                cells[suite, maker].versions["kernel"],
                *(
                    cells[suite, maker].acts[act].word
                    if act in cells[suite, maker].acts
                    else ("not run" if any(act in acts for acts in boots.acts_of(suite, maker)) else "not asked")
                    for act in _OF_BOOT
                ),
                cells[suite, maker].day,
                str(sum(cells[suite, maker].seconds.values())),
            )
            if (suite, maker) in cells
            else (SUITES[suite], maker, "", *("not run" for _ in _OF_BOOT), "", "")
            for suite, maker in boots.BOOTS
        ],
    )
    yield "\n".join(
        f"- {SUITES[cell.suite]} with {cell.maker}, {name}, {act.word}: {_one_line(act.how)}."
        for cell in cells.values()
        for name, act in cell.acts.items()
        if act.how
    )
    yield _DRACUT


def _door(tries: Sequence[door.Try]) -> Iterator[str]:
    kernels = tuple(dict.fromkeys(each.then for each in tries))
    came = {(each.made, each.written, each.then): each.starts for each in tries}
    yield "### The one-way door of Linux 6.19"
    yield _prose(
        "From 6.19 on md stores the sector size in the superblocks of arrays that it creates; kernels before refuse "
        "what is not zero there. An older array that is written stays as it is. `python -m tests.systems.door` makes "
        "mirrors under Debian 12, writes to them and assembles them under each kernel; last on "
        f"{max(each.day for each in tries)}."
    )
    yield _table(
        ("made on", "written on", *(f"assembled on {then}" for then in kernels)),
        [
            (made, written, *("started" if came[made, written, then] else "refused" for then in kernels))
            for made, written in dict.fromkeys((each.made, each.written) for each in tries)
        ],
    )
    said = {f"- {each.then}, refused: `{_one_line(each.said)}`" for each in tries if not each.starts}
    said |= {
        f"- {each.then}, `kernel-door` of `raidtui audit`, made on {each.made}: {_one_line(each.audit) or 'nothing'}"
        for each in tries
        if each.starts
    }
    yield "\n".join(sorted(said))


def _both() -> Iterator[str]:
    real = compared.recorded()
    yield "## The simulated machine against real md"
    yield _prose(
        f"{len(real)} of the declared faults ran on both. All ends are equal. The executors' exit codes are equal in "
        f"{len(real) - len(compared.EXPLAINED)}; the other {len(compared.EXPLAINED)} are explained, a test fails at "
        "a difference that is not, or that is none any more."
    )
    reasons: dict[str, list[str]] = {}
    for case, reason in compared.EXPLAINED.items():
        reasons.setdefault(reason, []).append(case)
    yield _table(("cases", "why"), [(", ".join(cases), reason) for reason, cases in reasons.items()])
    unequal = [pair for pair in pairs.recorded() if not pair.equal]
    if unequal:
        rows = [(str(p.seed), p.case, p.simulated, p.real, _one_line("; ".join(p.problems))) for p in unequal]
        yield _table(("seed", "fault", "simulated", "real", "problems"), rows)


def _times() -> Iterator[str]:
    yield "## Predicted and measured time"
    size, rate = sync_times.DISK_BYTES // sync_times.MIB, sync_times.RATE // 1_000_000
    yield _prose(
        f"What `raidtui replace` and `raidtui extend` print before, beside what real md took: disks of {size} MiB, "
        f"which QEMU holds to {rate} MB/s, measured by `raidtui disks --measure`. `python -m tests.lab.sync_times`, "
        "half an hour. Parity of disks with old data was never computed: md writes it, so that each of four disks with "
        "two parities moves 1.5 times the bytes. md holds a sync back while something else reads. Spares and bitmaps "
        "take no sync; a shelf had its own when it was built."
    )
    yield _table(
        ("what", "predicted, idle to busy", "measured", "measured / idle"),
        [
            (each.case, f"{each.idle:.0f} s to {each.busy:.0f} s", f"{each.measured:.0f} s", f"{each.ratio:.2f}")
            for each in sync_times.recorded()
        ],
    )


def _cost() -> Iterator[str]:
    found = bench_audit.recorded()
    yield "## Time of an audit"
    yield _prose(
        f"`raidtui audit` beside programs that an admin would call, on {bench_audit.ARRAYS} arrays of RAID6 over "
        f"{bench_disks.DISKS} disks, timed in turns in an emulated machine whose host other programs kept busy: the "
        "figures count beside each other. `python -m tests.benchmarks audit`. The audit starts 9 programs, none of "
        "them for each disk; of SATA disks it asks smartctl, eight at once. By a profile 44 % loads modules "
        "of Python, 18 % reads both ends of each disk, 12 % unpacks the initramfs, 8 % reads sysfs."
    )
    yield _table(
        ("program", "median", "least to most", "runs", "day"),
        [
            (
                f"`{each.program}`",
                f"{each.median:.2f} s",
                f"{each.least:.2f} to {each.most:.2f} s",
                str(each.runs),
                each.day,
            )
            for each in found
        ],
    )


def _engines() -> Iterator[str]:
    found = engines.recorded()
    yield "## Seconds of a case on both engines"
    yield _prose(
        "The same cases of a fault on a machine of each engine, on a host that other programs kept busy, on "
        f"{max(each.day for each in found)}. `python -m tests.faults.engines`. Processor seconds are those of the "
        "host, of all processes of the harness."
    )
    yield _table(
        ("engine", "what", "wall seconds", "processor seconds", "load"),
        [(e.engine, e.what, f"{e.wall:.0f}", f"{e.processor:.0f}", f"{e.load:.1f}") for e in found],
    )


def _not_shown() -> Iterator[str]:
    yield "## What each harness cannot show"
    yield _table(
        ("harness", "cannot show"),
        [
            (
                "simulated machine",
                "what md, LVM, mkfs or udev do otherwise than it: only cases that ran on both are held",
            ),
            (
                "user-mode Linux (quick machines, cells)",
                "SCSI, enclosures, a second processor, an initramfs or boot loader; the disks come after the boot, and "
                "state no volatile cache, so that nothing is flushed but in `tests.lab.flush_cuts`",
            ),
            (
                "user-mode Linux 7.2 (kernel of Debian sid)",
                "a file system on RAID 0, 1 or 10: its page of zeroes is outside of the memory that serves the disks, "
                "and the disk that is to write it stands still. Parity copies the page: `script` has RAID5 there",
            ),
            (
                "cells of Debian 13 and sid on the kernels of Debian 11 and 12",
                "mount of util-linux 2.41 as it comes: hostfs, by which the lab reaches the guest, cannot be mounted "
                "there by the newer calls, so `systemd.setenv=LIBMOUNT_FORCE_MOUNT2=always` is on the command line. "
                "By hand XFS (6.1) and ext4 (5.10, 6.1) of Debian 13 mounted without it",
            ),
            ("QEMU", "speed, firmware, a boot loader, real cables"),
            (
                "power cuts of the lab, but for `tests.lab.flush_cuts`",
                "a write that the drive acknowledged and lost: what the guest wrote is on its disks",
            ),
            (
                "`tests.lab.flush_cuts`",
                "a drive that loses what it flushed, or tears a sector of 512 bytes; a boot from the array's disks",
            ),
            ("other distributions", "Fedora, RHEL, openSUSE, Arch: their packages are not available to these tests"),
        ],
    )


def _prose(text: str) -> str:
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def _one_line(text: str, most: int = 300) -> str:
    return " ".join(text.split()).replace("|", "\\|")[:most]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = (head, ["---"] * len(head), *rows)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def main() -> None:
    """Writes the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
