"""undo.sh goes by what it finds: files stand for disks, programs print what a test says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from raidtui.programs import mdadm
from raidtui.scripts.undo_script import undo_script
from raidtui.steps.boot_steps import blocks_of
from raidtui.values.units import MIB
from tests.planner.changed_lines import CHANGES, HOME
from tests.planner.export.script_machine import ScriptMachine
from tests.planner.plans import RUN_ID, plan_of

pytestmark = pytest.mark.process
GROUP = "pFz3Tt-XxXx-0000-1111-2222-3333-444444"
ROOT_MOUNT = "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
PROGRAMS = {
    "mdadm": """
echo "mdadm $*" >>"$STUBS/ran"
case $1 in
  --detail) cat "$STUBS/detail-${2##*/}.txt" 2>/dev/null || exit 1 ;;
  --examine) if [[ $2 != --scan ]]; then cat "$STUBS/examine-${2##*/}.txt" 2>/dev/null || exit 1; fi ;;
esac""",
    "wipefs": """
disk=${!#}
if [[ $1 == --all ]]; then echo "wipefs $*" >>"$STUBS/ran"; rm -f "$STUBS/signs-${disk##*/}.txt"; exit; fi
cat "$STUBS/signs-${disk##*/}.txt" 2>/dev/null || :""",
    "blkdiscard": 'disk=${!#}; echo "blkdiscard $*" >>"$STUBS/ran"; rm -f "$STUBS/signs-${disk##*/}.txt"',
    "blockdev": 'if [[ $1 == --getsize64 ]]; then echo 2000398934016; else cat "$STUBS/size.txt"; fi',
    "lsblk": 'disk=${!#}; case $* in -bdrno*) cat "$STUBS/lsblk-${disk##*/}.txt" ;; *) cat "$STUBS/tree.txt" ;; esac',
    "mountpoint": 'cat "$STUBS/devno.txt"',
    "pvs": f'echo "  {GROUP}"',
    "lvs": 'cat "$STUBS/lvs.txt"',
    "udevadm": 'echo "udevadm $*" >>"$STUBS/ran"',
}
RECORDED = ("umount", "systemctl", "lvremove", "vgremove", "update-initramfs")


class Built(ScriptMachine):
    """A machine on which the plan was built: its array, its file system with two files, its lines in both files."""

    def __init__(self, folder: Path, layout: str = "(3+1)+1", **design: Any) -> None:
        super().__init__(plan_of(layout, **design), folder)
        for name, body in PROGRAMS.items():
            self.program(name, body)
        for name in RECORDED:
            self.program(name, f'echo "{name} $*" >>"$STUBS/ran"')
        plan = self.plan
        for disk in plan.disks:
            array = next(each for each in plan.arrays if disk.id in (*each.members, *each.spares))
            name = self.disk(disk.path).name
            self.prints(f"examine-{name}", f"MD_LEVEL=raid5\nMD_UUID={array.uuid}\n")
            self.prints(f"signs-{name}", "linux_raid_member\n")
        top = plan.filesystems[0].uuid if plan.filesystems else ""
        rows, over = [], ""
        for number, array in enumerate(plan.arrays):
            (self.root / f"sys/block/md{number}").mkdir(parents=True)
            self.prints(f"detail-md{number}", f"MD_UUID={array.uuid}\n")
            rows.append(f"raid5 9:{number}")
            self.prints(
                f"signs-9:{number}", f"xfs   {top}\n" if len(plan.arrays) == 1 else f"LVM2_member pv-{number}\n"
            )
            if not plan.filesystems:
                (self.stubs / f"signs-9:{number}.txt").unlink()
        if len(plan.arrays) > 1:
            over = "lvm 253:0\n"
            self.prints("signs-253:0", f"xfs   {top}\n")
        self.number = "253:0" if over else "9:0"
        self.prints("tree", "".join(f"{row}\n" for row in rows) + over)
        self.prints("size", "100\n")
        self.prints("devno", f"{self.number}\n")
        self.prints("lvs", f"  data raidtui_{RUN_ID} {len(plan.arrays)}\n")
        self.mounts(*([(self.number, "/srv/data")] if plan.filesystems else []))
        for name in ("one", "dir/two"):
            self.write(f"/srv/data/{name}", "")
        for block in blocks_of(plan):
            text = "".join(f"{line}\n" for line in block.lines)
            self.write(block.path, f"# theirs\n{text}{HOME}")
        rule = undo_rule(self)
        self.write(rule.path, f"{rule.text}\n")

    def mounts(self, *found: tuple[str, str]) -> None:
        rows = (f"3{at} 21 {number} / {self.root}{place} rw - xfs x rw\n" for at, (number, place) in enumerate(found))
        self.write("/proc/self/mountinfo", ROOT_MOUNT + "".join(rows))

    @property
    def words(self) -> tuple[str, ...]:
        return f"undo-{self.plan.digest[-8:]}", "lose-3-files"

    def ran(self) -> list[str]:
        file = self.stubs / "ran"
        text = file.read_text().replace(str(self.root), "") if file.exists() else ""
        return [line for line in text.splitlines() if not line.startswith(("mdadm --detail", "mdadm --examine"))]

    def refusal(self) -> str:
        """What it says when it stops before its first change."""
        before = self.files()
        done = self.run(undo_script(self.plan).text, *self.words)
        assert done.returncode == 1, done.stdout + done.stderr
        assert self.files() == before and not self.ran()
        return done.stderr.replace(str(self.root), "")


def undo_rule(made: ScriptMachine) -> Any:
    actions = (action for step in made.plan.steps for action in step.actions)
    return next(action for action in actions if getattr(action, "path", "").endswith("90-raidtui-data.rules"))


def name_of(made: ScriptMachine, number: int) -> str:
    return made.disk(made.plan.disks[number].path).name


def test_it_looks_counts_and_names_its_words(tmp_path: Path) -> None:
    made = Built(tmp_path)
    before = made.files()
    done = made.run(undo_script(made.plan).text)
    said = "5 members of it are here, 3 files. To remove them: bash "
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        f"{said}{tmp_path}/script.sh {' '.join(made.words)}\n",
        "",
    )
    for words in ([made.words[0]], [made.words[0], "lose-2-files"], [made.plan.digest[-8:]], [*made.words, "x"]):
        assert made.run(undo_script(made.plan).text, *words).returncode == 1
    assert made.files() == before and not made.ran()


def test_it_removes_last_things_first_and_leaves_lines_of_others(tmp_path: Path) -> None:
    made = Built(tmp_path, "2x(2+1)+1", stack="lvm")
    made.program("umount", 'echo "umount $*" >>"$STUBS/ran"')
    done = made.run(undo_script(made.plan).text, *made.words)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("Removed, and read back: no signature or line of the plan is left.\n")
    ran = made.ran()
    assert ran[:10] == [
        "umount /srv/data", "udevadm control --reload", "systemctl daemon-reload",
        f"lvremove --yes --select=vg_uuid={GROUP}", f"vgremove --select=vg_uuid={GROUP}",
        "wipefs --all --lock=yes /dev/md0", "mdadm --stop /dev/md0",
        "wipefs --all --lock=yes /dev/md1", "mdadm --stop /dev/md1",
        f"blkdiscard --zeroout --offset=0 --length=1048576 {made.plan.disks[0].path}",
    ]  # fmt: skip
    zeroed = [line for line in ran if line.startswith("blkdiscard")]
    assert [line.split()[-1] for line in zeroed[::2]] == [disk.path for disk in made.plan.disks]
    assert zeroed[1].split()[2] == "--offset=2000397885440"
    assert ran[10 + len(zeroed) - 1 :] == ["update-initramfs -u", "systemctl try-restart mdmonitor.service"]
    for path in ("/etc/fstab", "/etc/mdadm/mdadm.conf"):
        assert made.text(path) == f"# theirs\n{HOME}"
    assert not (made.root / "etc/udev/rules.d/90-raidtui-data.rules").exists()


def mirrored(folder: Path) -> Built:
    """RAID5 as md1, its write journal on a mirror, which has the lower number."""
    made = Built(folder, "(2+1)", journal=2)
    data, mirror = made.plan.arrays
    for number, array in enumerate((mirror, data)):
        made.prints(f"detail-md{number}", f"MD_UUID={array.uuid}\n")
    made.prints("signs-9:0", f"linux_raid_member {mdadm.blkid_uuid(data.uuid)}\n")
    made.prints("signs-9:1", f"xfs   {made.plan.filesystems[0].uuid}\n")
    made.prints("tree", "raid1 9:0\nraid5 9:1\n")
    made.prints("devno", "9:1\n")
    made.mounts(("9:1", "/srv/data"))
    return made


def test_a_mirror_of_a_write_journal_is_stopped_after_its_array(tmp_path: Path) -> None:
    made = mirrored(tmp_path)
    done = made.run(undo_script(made.plan).text, *made.words)
    assert done.returncode == 0, done.stdout + done.stderr
    ran = [line for line in made.ran() if line.startswith(("mdadm", "wipefs"))]
    assert ran == [
        "wipefs --all --lock=yes /dev/md1", "mdadm --stop /dev/md1",
        "wipefs --all --lock=yes /dev/md0", "mdadm --stop /dev/md0",
    ]  # fmt: skip
    zeroed = [line.split()[-1] for line in made.ran() if line.startswith("blkdiscard")]
    assert zeroed[::2] == [disk.path for disk in made.plan.disks]


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "linux_raid_member 12345678-1234-1234-1234-123456781234\n"), (0, "ext4 1-2\n"),
        (1, "linux_raid_member 42dbae94-1561-526f-8ca5-d0259d816dee\n"),
    ],
)  # fmt: skip
def test_anything_else_on_a_mirror_is_refused_and_a_journal_on_the_array(
    tmp_path: Path, number: int, text: str
) -> None:
    made = mirrored(tmp_path)
    made.prints(f"signs-9:{number}", text)
    assert made.refusal().startswith("STOPPED: this is not the plan's: raid")


def test_mirrors_of_write_journals_are_no_disks_of_the_volume_group(tmp_path: Path) -> None:
    made = Built(tmp_path, "2x(2+1)", journal=2)
    for number, array in enumerate(made.plan.arrays[:2]):
        made.prints(f"signs-9:{number + 2}", f"linux_raid_member {mdadm.blkid_uuid(array.uuid)}\n")
    made.prints("tree", "lvm 253:0\nraid1 9:2\nraid1 9:3\nraid5 9:0\nraid5 9:1\n")
    made.prints("lvs", f"  data raidtui_{RUN_ID} 2\n")
    done = made.run(undo_script(made.plan).text, *made.words)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line for line in made.ran() if line.startswith("mdadm --stop")] == [
        f"mdadm --stop /dev/md{number}" for number in range(4)
    ]
    more = Built(tmp_path / "more", "2x(2+1)", journal=2)
    for number in (2, 3):
        more.prints(f"signs-9:{number}", "")
    more.prints("tree", "lvm 253:0\nraid1 9:2\nraid1 9:3\nraid5 9:0\nraid5 9:1\n")
    more.prints("lvs", f"  data raidtui_{RUN_ID} 4\n")
    assert more.refusal().startswith("STOPPED: others' volumes or disks:")


def test_metadata_at_the_end_is_zeroed_there_first(tmp_path: Path) -> None:
    made = Built(tmp_path, "raid1(2)", metadata="1.0")
    text = undo_script(made.plan).text
    assert "for at in $((size - 1048576)) 0; do\n  blkdiscard" in text


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("examine", "MD_UUID=feedfeed:feedfeed:feedfeed:feedfeed\n", "holds linux_raid_member feedfeed:feedfeed"),
        ("signs", "linux_raid_member\ndos\n", "holds dos\nlinux_raid_member"),
        ("signs", "ext4\n", "holds ext4"),
        ("lsblk", "disk 2000398934016 512 0 OTHER\n", "expected 'disk 2000398934016 512 0 S005', found"),
    ],
)
def test_a_disk_with_anything_else_is_refused(tmp_path: Path, name: str, text: str, said: str) -> None:
    made = Built(tmp_path)
    made.prints(f"{name}-{name_of(made, 4)}", text)
    assert said in made.refusal()


def test_a_disk_that_is_missing_is_refused(tmp_path: Path) -> None:
    made = Built(tmp_path)
    (made.stubs / f"lsblk-{name_of(made, 4)}.txt").unlink()
    assert "expected 'disk 2000398934016 512 0 S005', found '' (exit code 1): lsblk" in made.refusal()


def test_a_disk_without_a_superblock_is_not_written_to(tmp_path: Path) -> None:
    made = Built(tmp_path)
    for name in ("examine", "signs"):
        (made.stubs / f"{name}-{name_of(made, 4)}.txt").unlink()
    done = made.run(undo_script(made.plan).text, *made.words)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not [line for line in made.ran() if made.plan.disks[4].path in line]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("signs-9:0", "xfs 0146-77\n", "raid5 9:0 xfs 0146-77"),
        ("signs-9:0", "swap 0146\n", "raid5 9:0 swap 0146"),
        ("signs-9:0", "gpt\nPMBR\n", "raid5 9:0 gpt PMBR"),
        ("tree", "raid5 9:0\npart 259:1\n", "part 259:1"),
        ("tree", "raid5 9:0\ncrypt 253:4\n", "crypt 253:4"),
    ],
)
def test_anything_else_on_an_array_is_refused(tmp_path: Path, name: str, text: str, said: str) -> None:
    made = Built(tmp_path)
    made.prints(name, text)
    assert f"STOPPED: this is not the plan's: {said}" in made.refusal()


# An empty tmpfs over the mount point, with the plan's 200 files below it, was once counted as empty and unmounted.
@pytest.mark.parametrize(
    "found",
    [
        (("OURS", "/srv/data"), ("0:44", "/srv/data")),
        (("0:44", "/srv/data"), ("OURS", "/srv/data")),
        (("OURS", "/srv/data"), ("0:44", "/srv/data/below")),
        (("OURS", "/srv/data"), ("OURS", "/mnt")),
        (("OURS", "/mnt"),),
        (("OURS", "/srv/data"), ("OURS", "/srv/data")),
        (("0:44", "/srv/data"),),
        (("9:1", "/srv/data"),),
    ],
)
def test_other_mounts_over_at_and_below_the_mount_point_are_refused(
    tmp_path: Path, found: tuple[tuple[str, str], ...]
) -> None:
    made = Built(tmp_path)
    made.mounts(*((number.replace("OURS", made.number), place) for number, place in found))
    assert "STOPPED: these mounts are in the way: " in made.refusal()


def test_a_mount_point_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    """Another file system is mounted over a directory above it."""
    made = Built(tmp_path)
    made.prints("devno", "0:44\n")
    assert "expected '9:0', found '0:44' (exit code 0): mountpoint --fs-devno /srv/data" in made.refusal()


def test_files_on_a_stripe_of_arrays_that_does_not_run_are_not_counted(tmp_path: Path) -> None:
    made = Built(tmp_path, "2x(2+1)", stack="md")
    outer = made.plan.arrays[-1]
    made.prints("detail-md2", "")
    made.prints("tree", "raid5 9:0\nraid5 9:1\n")
    for number in (0, 1):
        made.prints(f"signs-9:{number}", f"linux_raid_member {mdadm.blkid_uuid(outer.uuid)}\n")
    made.mounts()
    done = made.run(undo_script(made.plan).text)
    assert done.stdout.endswith(f" undo-{made.plan.digest[-8:]} lose-uncounted-files\n"), done.stdout + done.stderr


@pytest.mark.parametrize("lost", ["not mounted", "not running", "inactive"])
def test_files_that_it_cannot_count_have_a_word_of_their_own(tmp_path: Path, lost: str) -> None:
    made = Built(tmp_path)
    made.mounts()
    if lost == "not running":
        (made.root / "sys/block/md0").rmdir()
        (made.stubs / "detail-md0.txt").unlink()
    elif lost == "inactive":
        made.prints("size", "0\n")
    done = made.run(undo_script(made.plan).text)
    assert done.stdout.endswith(f" undo-{made.plan.digest[-8:]} lose-uncounted-files\n"), done.stdout + done.stderr
    assert not made.ran()


def test_data_on_an_array_without_a_file_system_has_that_word_too_where_its_first_mib_is_zero(tmp_path: Path) -> None:
    made = Built(tmp_path, "(3+1)", fs="none")
    array = made.write("/dev/block/9:0", "")
    for data, said in ((b"x" * (MIB + 1), "/dev/block/9:0 /dev/zero differ"), (bytes(MIB) + b"x", "")):
        array.write_bytes(data)
        done = made.run(undo_script(made.plan).text)
        assert (said in done.stderr.replace(str(made.root), ""), bool(done.returncode)) == (True, bool(said))
        assert said or done.stdout.endswith(" lose-uncounted-files\n")
        assert not made.ran()


@pytest.mark.parametrize(
    "volumes",
    [f"  data raidtui_{RUN_ID} 2\n  theirs  2\n", f"  data raidtui_{RUN_ID} 3\n", "  data  2\n", "  theirs\n"],
)
def test_others_volumes_and_disks_in_the_group_are_refused(tmp_path: Path, volumes: str) -> None:
    made = Built(tmp_path, "2x(2+1)+1", stack="lvm")
    made.prints("lvs", volumes)
    assert "STOPPED: others' volumes or disks: " in made.refusal()


@pytest.mark.parametrize("what", CHANGES)
@pytest.mark.parametrize("path", ["/etc/fstab", "/etc/mdadm/mdadm.conf"])
def test_changed_lines_are_refused(tmp_path: Path, what: str, path: str) -> None:
    made = Built(tmp_path)
    block = next(each for each in blocks_of(made.plan) if each.path == path)
    own = [f"{line}\n" for line in block.lines]
    made.write(path, f"first\n{''.join(CHANGES[what](own))}last\n")
    said = made.refusal()
    assert f"{path} does not have the plan's lines as written" in said or f"remove these from {path}" in said


def test_lines_are_removed_as_they_were_written_and_every_other_byte_stays(tmp_path: Path) -> None:
    made = Built(tmp_path)
    block = next(each for each in blocks_of(made.plan) if each.path == "/etc/fstab")
    others = b"# Gr\xfc\xdfe\r\n", b"MAILADDR root\n\n\\n\tno line feed"
    file = made.root / "etc/fstab"
    file.write_bytes(others[0] + "".join(f"{line}\n" for line in block.lines).encode() + others[1])
    file.chmod(0o640)
    done = made.run(undo_script(made.plan).text, *made.words)
    assert done.returncode == 0, done.stdout + done.stderr
    assert file.read_bytes() == b"".join(others)
    assert file.stat().st_mode & 0o777 == 0o640


def test_a_rule_that_somebody_changed_and_links_in_etc_are_refused(tmp_path: Path) -> None:
    made = Built(tmp_path)
    rule = made.root / undo_rule(made).path[1:]
    kept = rule.read_text()
    rule.write_text("# mine\n")
    assert f"{undo_rule(made).path} is not as it was written: remove it first" in made.refusal()
    target = made.write("/target", kept)
    rule.unlink()
    rule.symlink_to(target)
    assert "root alone can change: /etc/udev/rules.d/90-raidtui-data.rules" in made.refusal()
    rule.unlink()
    fstab = made.root / "etc/fstab"
    target.write_text(fstab.read_text())
    fstab.unlink()
    fstab.symlink_to(target)
    assert "root alone can change: /etc/fstab" in made.refusal()


def test_an_array_that_changed_since_the_look_stops_it_before_it_is_erased(tmp_path: Path) -> None:
    """Its kernel name is another's by then."""
    made = Built(tmp_path)
    made.program("systemctl", f'echo "MD_UUID=feed:{"0" * 8}" >"$STUBS/detail-md0.txt"')
    done = made.run(undo_script(made.plan).text, *made.words)
    assert (done.returncode, "STOPPED: /dev/md0 is another" in done.stdout + done.stderr) == (1, True)
    assert not [line for line in made.ran() if line.startswith(("mdadm --stop", "wipefs", "blkdiscard"))]


def test_a_disk_that_changed_since_the_look_is_not_zeroed(tmp_path: Path) -> None:
    made = Built(tmp_path)
    name = name_of(made, 1)
    made.program("mdadm", PROGRAMS["mdadm"] + f'\nif [[ $1 == --stop ]]; then rm "$STUBS/examine-{name}.txt"; fi')
    done = made.run(undo_script(made.plan).text, *made.words)
    assert done.returncode == 1
    assert {line.split()[-1] for line in made.ran() if line.startswith("blkdiscard")} == {made.plan.disks[0].path}


def test_content_of_an_array_shows_on_members_with_metadata_at_their_end(tmp_path: Path) -> None:
    made = Built(tmp_path, "raid1(2)", metadata="1.0")
    made.prints("signs-9:0", f"xfs {made.plan.filesystems[0].uuid}\n")
    made.prints("tree", "raid1 9:0\n")
    name = name_of(made, 0)
    made.prints(f"signs-{name}", f"linux_raid_member  x\nxfs  {made.plan.filesystems[0].uuid}\n")
    done = made.run(undo_script(made.plan).text)
    assert done.returncode == 0, done.stderr
    made.prints(f"signs-{name}", "linux_raid_member  x\nxfs  0146-77\n")
    assert "holds linux_raid_member\nxfs" in made.refusal()
