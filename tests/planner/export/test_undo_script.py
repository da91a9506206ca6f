"""undo.sh goes by what it finds on the disks: files stand for disks, and programs print what a test says."""

from pathlib import Path
from typing import Any

import pytest

from raidtui.model.inventory import UNSIGNED_MIDDLE, Use
from raidtui.model.plan import Command, Plan
from raidtui.planner.export.undo_script import undo_script
from tests.planner.bash_disks import FakeDisks
from tests.planner.plans import TWO_TB, disk, plan_of

pytestmark = pytest.mark.process
MIB = 1024 * 1024
UUIDS = "[0-9a-f]{8}:[0-9a-f]{8}:[0-9a-f]{8}:[0-9a-f]{8}"
PROGRAMS = {
    # a superblock is its UUID as text, 4 KiB into the file
    "mdadm": f"""
echo "mdadm $*" >>"$STUBS/ran"
case $1 in
  --detail) /bin/cat "$STUBS/${{3##*/}}.txt" ;;
  --examine)
    if [[ $2 == --scan ]]; then /bin/cat "$STUBS/scan.txt"; exit; fi
    uuid=$(/bin/dd if="$3" bs=1 skip=4096 count=35 status=none | tr -d '\\0')
    [[ $uuid =~ ^{UUIDS}$ ]] || exit 1
    echo "MD_UUID=$uuid" ;;
esac""",
    "blkdiscard": """
echo "blkdiscard $*" >>"$STUBS/ran"
if [[ -e $STUBS/crash && $2 == --offset=4096 ]]; then exit 1; fi
at=${2#*=} length=${3#*=}
exec /bin/dd if=/dev/zero of="$4" bs=4096 seek=$((at / 4096)) count=$((length / 4096)) conv=notrunc status=none""",
    "pvs": 'if [[ $* == *vg_name,pv_uuid* ]]; then cat "$STUBS/pvs.txt"; fi',
    "lvs": 'if [[ $* == *lv_tags,lv_size* ]]; then cat "$STUBS/lvs.txt"; fi',
    "lsblk": 'case $* in *MODEL*) cat "$STUBS/lsblk.txt" ;; *) cat "$STUBS/tree.txt" ;; esac',
    "blkid": '[[ -s $STUBS/blkid-${!#/*\\/}.txt ]] || exit 2; cat "$STUBS/blkid-${!#/*\\/}.txt"',
    "swapon": ":",
    **dict.fromkeys(
        ("udevadm", "systemctl", "update-initramfs", "sync", "umount"), 'echo "${0##*/} $*" >>"$STUBS/ran"'
    ),
}


class Undo(FakeDisks):
    def __init__(self, folder: Path, layout: str = "(3+1)+1", **design: Any) -> None:
        super().__init__(plan_of(layout, **design), folder)
        for name, body in PROGRAMS.items():
            self.program(name, body)
        for name in ("pvs", "lvs", "scan", "tree"):
            self.prints(name, "")
        self.folder.joinpath("sys").mkdir()

    def sign(self, *numbers: int) -> None:
        for number in numbers:
            disk = self.plan.disks[number]
            array = next(each for each in self.plan.arrays if disk.id in (*each.members, *each.spares))
            self.put(disk.path, 4096, array.uuid.encode())
            self.put(disk.path, 8192, b"bitmap")
            self.put(disk.path, TWO_TB - 8, b"tail")

    def array(self, name: str = "md7", state: str = "clean") -> None:
        folder = self.folder / "sys" / name / "md"
        folder.mkdir(parents=True)
        (folder / "array_state").write_text(f"{state}\n")
        self.prints(name, f"MD_LEVEL=raid5\nMD_UUID={self.plan.arrays[0].uuid}\n")
        self.prints("tree", f'NAME="{name}" KNAME="{name}" TYPE="raid5" MAJ:MIN="  9:7"\n')

    def undo(self, *options: str, typed: str | None = None) -> tuple[int, str]:
        done = self.run(undo_script(self.plan), *options, typed=typed)
        assert done.stderr == ""
        return done.returncode, done.stdout

    def go(self, *more: str) -> tuple[int, str]:
        return self.undo("--yes-undo", self.plan.digest[-8:], *more)

    def commands(self, word: str) -> list[str]:
        file = self.stubs / "ran"
        return [line for line in file.read_text().splitlines() if word in line] if file.exists() else []

    def bytes_at(self, number: int, offset: int, length: int) -> bytes:
        with self.file(self.plan.disks[number].path).open("rb") as file:
            file.seek(offset)
            return file.read(length)


@pytest.mark.parametrize(
    ("layout", "sign"), [("2x disk", "the UUID that the plan wrote"), ("raid1(2)", "a superblock of the plan")]
)
def test_disk_that_is_kept_is_told_by_what_it_lacks(tmp_path: Path, layout: str, sign: str) -> None:
    undo = Undo(tmp_path, layout, fs="xfs", stack="separate")
    if layout == "raid1(2)":
        undo.sign(0)
        undo.array()
    else:
        undo.program("blkid", f'[[ $* == *{undo.file(undo.plan.disks[0].path)} ]] || exit 2; cat "$STUBS/uuid.txt"')
        undo.prints("uuid", f"UUID={undo.plan.filesystems[0].uuid}\nTYPE=xfs\n")
    undo.put(undo.plan.disks[1].path, 100, b"another's raw data")
    code, text = undo.undo("--check")
    assert f"  kept, without {sign}: " in text, text
    assert "superblock" not in text or layout != "2x disk", text
    assert code == 0, text


def test_where_nothing_of_the_plan_is_nothing_is_written(tmp_path: Path) -> None:
    undo = Undo(tmp_path)
    code, text = undo.go()
    assert (code, "nothing of this plan is here; nothing was written" in text) == (1, True), text


def test_no_file_that_others_write_too_is_the_plan_s_own() -> None:
    """What carries the plan's mark and is its own may be removed whole; nobody is told to remove /etc/fstab."""
    lines = [line.strip() for line in undo_script(plan_of("(3+1)+1")).splitlines()]
    own = [line.split()[6].removesuffix(";") for line in lines if line.startswith("if grep --quiet --no-messages -- ")]
    assert own == ["/etc/udev/rules.d/90-raidtui-data.rules"] * 2
    shared = [line.split()[1] for line in lines if line.startswith("survey_block /")]
    assert shared == ["/etc/mdadm/mdadm.conf", "/etc/fstab"]


def test_neither_the_phrase_nor_the_option_of_a_build_starts_it(tmp_path: Path) -> None:
    undo = Undo(tmp_path)
    undo.sign(0, 1, 2, 3, 4)
    undo.array()
    tail = undo.plan.digest[-8:]
    usage = undo.run(undo_script(undo.plan), "--yes-erase", tail)
    assert (usage.returncode, "--yes-undo DIGEST_TAIL" in usage.stderr) == (2, True)
    for phrase in ("erase 5", f"erase 5 {tail}", "undo 5", f"undo 4 {tail}", ""):
        code, text = undo.undo(typed=f"{phrase}\n")
        assert (code, f'Type "undo 5 {tail}" to go on' in text) == (1, True), text
    code, text = undo.undo(typed=f"undo 5 {tail}\n")
    assert (code, "5 disks are zero at both ends" in text) == (0, True), text


def test_each_disk_with_our_superblock_is_blanked_the_superblock_last_and_no_other_is_touched(tmp_path: Path) -> None:
    undo = Undo(tmp_path)
    undo.sign(0, 1, 2, 3)
    undo.put(undo.plan.disks[4].path, 100, b"another's raw data")
    code, text = undo.go("--lose-files", "unknown")
    assert code == 0, text
    for number in range(4):
        assert undo.bytes_at(number, 0, 4 * MIB) == bytes(4 * MIB)
        assert undo.bytes_at(number, TWO_TB - 4 * MIB, 4 * MIB) == bytes(4 * MIB)
    assert undo.bytes_at(4, 100, 18) == b"another's raw data"
    spare = undo.file(undo.plan.disks[4].path)
    assert not [line for line in undo.commands("blkdiscard") if str(spare) in line]
    assert f"KEPT: {spare} (MODEL, serial S005): bytes that no known signature explains." in text
    assert "Undone: no signature or line of plan data is left, 4 disks are zero at both ends." in text
    offsets = [line.split("--offset=")[1].split()[0] for line in undo.commands("blkdiscard")]
    assert offsets == ["0", "8192", "135266304", str(TWO_TB - 4 * MIB), "4096"] * 4


def test_a_stop_before_the_superblock_goes_is_taken_up_again(tmp_path: Path) -> None:
    undo = Undo(tmp_path)
    undo.sign(0, 1, 2, 3, 4)
    (undo.stubs / "crash").touch()
    code, text = undo.go("--lose-files", "unknown")
    assert (code, "STOPPED: exit code 1 of: blkdiscard" in text) == (3, True)
    assert undo.bytes_at(0, 4096, 35).decode() == undo.plan.arrays[0].uuid
    assert undo.bytes_at(0, 8192, 4 * MIB) == bytes(4 * MIB)
    (undo.stubs / "crash").unlink()
    code, text = undo.go("--lose-files", "unknown")
    assert (code, "5 disks are zero at both ends" in text) == (0, True), text


@pytest.mark.parametrize("holder", ["ours", "another array", "without a UUID"])
def test_an_array_that_udev_assembles_of_a_half_erased_member_is_stopped(tmp_path: Path, holder: str) -> None:
    """udev ignores the lock of a multipath map: after each write it takes the superblock that is left for a member."""
    undo = Undo(tmp_path)
    undo.sign(0, 1, 2, 3, 4)
    uuids = {"ours": f"MD_UUID={undo.plan.arrays[0].uuid}\n", "another array": f"MD_UUID={'feedfeed:' * 3}feedfeed\n"}
    undo.prints("md9", uuids.get(holder, "MD_LEVEL=linear\n"))
    undo.program(
        "blkdiscard",
        f"""
holder={undo.folder}/sys/${{4##*/}}/holders/md9
if [[ $2 == --offset=0 && ! -e $STUBS/assembled-${{4##*/}} ]]; then
  mkdir --parents "$holder" && touch "$STUBS/assembled-${{4##*/}}"
fi
if [[ -e $holder ]]; then echo "blkdiscard: cannot open $4: Device or resource busy"; exit 1; fi
{PROGRAMS["blkdiscard"]}""",
    )
    stop = f"""
if [[ $1 == --stop ]]; then
  echo "mdadm $*" >>"$STUBS/ran"
  for each in {undo.folder}/sys/*/holders/"${{2##*/}}"; do
    refused=$STUBS/refused-${{each//[^a-z0-9]/-}}
    if [[ ! -e $refused ]]; then
      touch "$refused"
      echo "mdadm: Cannot get exclusive access to $2"
      exit 1
    fi
    /bin/rm --recursive "$each"
  done
  exit 0
fi
"""
    undo.program("mdadm", stop + PROGRAMS["mdadm"])
    undo.program("sleep", "exit 0")
    code, text = undo.go("--lose-files", "unknown")
    if holder == "ours":
        assert (code, "5 disks are zero at both ends" in text) == (0, True), text
        assert undo.commands("mdadm --stop") == ["mdadm --stop /dev/md9"] * 10  # refused once on each disk
    else:
        assert (code, "is held by md9, which is not the plan's" in text) == (3, True), text
        assert not undo.commands("blkdiscard") and not undo.commands("--stop")


def test_zeros_that_were_not_written_stop_before_the_superblock_goes(tmp_path: Path) -> None:
    undo = Undo(tmp_path)
    undo.sign(0, 1, 2, 3, 4)
    undo.program("blkdiscard", "exit 0")
    code, text = undo.go("--lose-files", "unknown")
    assert (code, "4186112 bytes at 8192 of" in text and "are not zero" in text) == (3, True), text
    assert undo.bytes_at(0, 4096, 35).decode() == undo.plan.arrays[0].uuid


def test_a_superblock_elsewhere_in_the_machine_is_told_at_the_end(tmp_path: Path) -> None:
    undo = Undo(tmp_path)
    undo.sign(0, 1, 2, 3, 4)
    undo.prints(
        "scan", f"ARRAY /dev/md/data metadata=1.2 UUID={undo.plan.arrays[0].uuid} name=x\n   devices=/dev/sdq\n"
    )
    code, text = undo.go("--lose-files", "unknown")
    assert (code, "are still on disks of this machine" in text, "devices=/dev/sdq" in text) == (3, True, True)


def test_an_array_that_does_not_run_needs_the_second_phrase(tmp_path: Path) -> None:
    undo = Undo(tmp_path)
    undo.sign(0, 1, 2, 3, 4)
    undo.array(state="inactive")
    code, text = undo.go()
    assert (code, "is not running, so its content is unknown" in text) == (1, True)
    assert "add --lose-files unknown to accept that; nothing was written" in text
    tail = undo.plan.digest[-8:]
    code, text = undo.undo(typed=f"undo 5 {tail}\nlose 0 files\n")
    assert (code, 'Type "lose unknown files" to give them up' in text) == (1, True)
    assert not undo.commands("blkdiscard") and not (tmp_path / "var").exists()


FOREIGN = [
    ("lvs", "  data|raidtui_0123456789abcdef0123456789abcdef|1t\n  theirs||64m\n", "logical volume data/theirs"),
    ("lvs", "  data|raidtui_0123456789abcdef0123456789abcdef|1t\n  snap|x|1g\n", "logical volume data/snap"),
    ("blkid-md7", "TYPE=xfs\nUUID=0146-77\n", "/dev/md7 holds xfs 014677, which is not the plan's"),
    ("blkid-md7", "PTTYPE=gpt\n", "/dev/md7 holds gpt partition table"),
    ("blkid-md7", "TYPE=swap\nUUID=0146\n", "/dev/md7 holds swap"),
    ("tree", 'NAME="md7p1" KNAME="md7p1" TYPE="part" MAJ:MIN="259:1"\n', "md7p1 (/dev/md7p1, part) uses it"),
    ("tree", 'NAME="safe" KNAME="dm-4" TYPE="crypt" MAJ:MIN="253:4"\n', "safe (/dev/dm-4, crypt) uses it"),
    ("find", "9:7 5 /proc/1/fd/7 block special file\n", "is in use: process 1"),
]
"""what a program prints of something foreign on an array, and the complaint about it"""


@pytest.mark.parametrize(("file", "text", "complaint"), FOREIGN)
def test_foreign_things_refuse_the_whole_undo(tmp_path: Path, file: str, text: str, complaint: str) -> None:
    undo = Undo(tmp_path, "2x raid1(2)")
    undo.sign(0, 1, 2, 3)
    undo.array()
    volume = pvs_of(undo.plan)
    undo.prints("pvs", f"  data {volume}\n")
    before = (undo.stubs / "tree.txt").read_text() if file == "tree" else ""
    undo.prints(file, before + text)
    for options in (["--check"], ["--yes-undo", undo.plan.digest[-8:], "--lose-files", "unknown"]):
        code, said = undo.undo(*options)
        assert (code, f"IN THE WAY: {complaint}" in said or complaint in said) == (1, True), said
        assert "1 items in the way do not belong to the plan; nothing was written" in said
    assert not undo.commands("blkdiscard") and not undo.commands("--stop") and not (tmp_path / "var").exists()


@pytest.mark.parametrize(("file", "text", "complaint"), FOREIGN)
def test_foreign_things_that_come_after_the_start_stop_it_before_it_stops_the_array(
    tmp_path: Path, file: str, text: str, complaint: str
) -> None:
    undo = Undo(tmp_path, "2x raid1(2)")
    undo.sign(0, 1, 2, 3)
    undo.array()
    undo.prints("data-0", (undo.stubs / "md7.txt").read_text())
    undo.prints("pvs", f"  data {pvs_of(undo.plan)}\n")
    undo.prints("late", text)
    undo.program("update-initramfs", f'cat "$STUBS/late.txt" >>"$STUBS/{file}.txt"')
    code, said = undo.go("--lose-files", "unknown")
    assert (code, complaint in said) == (4, True), said
    assert "1 items in the way do not belong to the plan; nothing further was removed" in said
    assert not undo.commands("--stop") and not undo.commands("blkdiscard")


def test_a_foreign_volume_that_comes_after_the_start_stops_it_before_it_removes_the_group(tmp_path: Path) -> None:
    undo = Undo(tmp_path, "2x raid1(2)")
    undo.sign(0, 1, 2, 3)
    undo.array()
    undo.prints("pvs", f"  data {pvs_of(undo.plan)}\n")
    undo.program("systemctl", """echo "  theirs||64m" >"$STUBS/lvs.txt" """)
    undo.program("lvremove", 'echo "lvremove $*" >>"$STUBS/ran"')
    undo.program("vgremove", 'echo "vgremove $*" >>"$STUBS/ran"')
    code, said = undo.go("--lose-files", "unknown")
    assert (code, "IN THE WAY: logical volume data/theirs (64m) is not the plan's" in said) == (4, True), said
    assert not undo.commands("remove")


def test_an_array_under_another_name_is_read_again_before_it_is_stopped(tmp_path: Path) -> None:
    """As a boot without the plan's lines in mdadm.conf assembles it."""
    undo = Undo(tmp_path)
    undo.sign(0, 1, 2, 3, 4)
    undo.array()
    held = tmp_path / "sys" / undo.file(undo.plan.disks[0].path).name / "holders"
    held.mkdir(parents=True)
    (held / "md7").touch()
    undo.prints("late", "TYPE=xfs\nUUID=0146-77\n")
    undo.program("update-initramfs", 'cp "$STUBS/late.txt" "$STUBS/blkid-md7.txt"')
    code, said = undo.go()
    assert (code, "/dev/md7 holds xfs 014677, which is not the plan's" in said) == (4, True), said
    assert not undo.commands("--stop") and not undo.commands("blkdiscard")


def test_raw_data_that_comes_after_the_start_stops_it(tmp_path: Path) -> None:
    undo = Undo(tmp_path, "(3+1)", fs="none")
    undo.sign(0, 1, 2, 3)
    undo.array()
    undo.program("cmp", "[[ ${!#} != /dev/zero || $* != */dev/md7* || ! -e $STUBS/late ]]")
    undo.program("update-initramfs", 'touch "$STUBS/late"')
    code, said = undo.go()
    assert (code, "/dev/md7 holds data without a signature" in said) == (4, True), said
    assert not undo.commands("--stop") and not undo.commands("blkdiscard")


@pytest.mark.parametrize(
    ("device", "at", "tree", "end"), [("dm-3", "udevadm", "tree", 4), ("md7", "update-initramfs", "arrays", 0)]
)
def test_raw_data_is_read_again_on_a_volume_and_not_below_where_an_undo_leaves_some(
    tmp_path: Path, device: str, at: str, tree: str, end: int
) -> None:
    undo = Undo(tmp_path, "2x raid1(2)", fs="none")
    undo.sign(0, 1, 2, 3)
    undo.array()
    undo.prints("pvs", f"  data {pvs_of(undo.plan)}\n")
    undo.prints("arrays", (undo.stubs / "tree.txt").read_text())
    undo.prints("tree", 'NAME="data-data" KNAME="dm-3" TYPE="lvm" MAJ:MIN="253:3"\n')
    undo.program("cmp", f"[[ ${{!#}} != /dev/zero || $* != */dev/{device}* || ! -e $STUBS/late ]]")
    undo.program(at, f'touch "$STUBS/late"; [[ {tree} == tree ]] || cp "$STUBS/{tree}.txt" "$STUBS/tree.txt"')
    code, said = undo.go("--lose-files", "unknown")
    assert (code, f"/dev/{device} holds data without a signature" in said) == (end, end == 4), said


@pytest.mark.parametrize("held", [True, False])
def test_a_disk_without_md_is_read_again_before_it_is_blanked(tmp_path: Path, held: bool) -> None:
    """Each disk for itself; what is read does not change which disk is blanked."""
    undo = Undo(tmp_path, "2x disk", fs="xfs", stack="separate")
    names = [undo.file(each.path).name for each in undo.plan.disks]
    for name, made in zip(names, undo.plan.filesystems, strict=True):
        undo.prints(f"blkid-{name}", f"UUID={made.uuid}\nTYPE=xfs\n")
    undo.program("mount", "exit 0")
    undo.program("df", "printf 'Used\\n0\\n'")
    undo.prints("late", 'NAME="safe" KNAME="dm-4" TYPE="crypt" MAJ:MIN="253:4"\n' if held else "")
    undo.program("systemctl", 'cat "$STUBS/late.txt" >>"$STUBS/tree.txt"')
    code, said = undo.go()
    blanked = [line.rpartition("/")[2] for line in undo.commands("blkdiscard")]
    assert (code, blanked) == ((4, []) if held else (0, [names[0]] * 3 + [names[1]] * 3)), said


def test_a_foreign_physical_volume_in_our_group_refuses(tmp_path: Path) -> None:
    undo = Undo(tmp_path, "2x raid1(2)")
    undo.sign(0, 1, 2, 3)
    undo.prints("pvs", f"  data {pvs_of(undo.plan)}\n  data another-pv\n  other third-pv\n")
    code, text = undo.undo("--check")
    assert (code, "volume group data also has the physical volume another-pv" in text) == (1, True)
    assert "third-pv" not in text


def test_raw_data_on_an_array_without_a_file_system_refuses(tmp_path: Path) -> None:
    undo = Undo(tmp_path, "(3+1)", fs="none")
    undo.sign(0, 1, 2, 3)
    undo.array()
    undo.program("cmp", "[[ ${!#} != /dev/zero || $* != */dev/md7* ]]")
    code, text = undo.undo("--check")
    assert (code, "/dev/md7 holds data without a signature" in text) == (1, True), text


@pytest.mark.parametrize("held", [True, False])
def test_old_content_shows_at_the_start_of_an_array_over_arrays(tmp_path: Path, held: bool) -> None:
    """It was given up before the build; where all disks were blank, it is of others."""
    old = Use(kind="data", where=UNSIGNED_MIDDLE, active=False)
    found = (disk(1, state="content", uses=(old,)) if held else disk(1), *(disk(number) for number in (2, 3, 4)))
    undo = Undo(tmp_path, "2x raid1(2)", found=found, stack="md", fs="none")
    undo.sign(0, 1, 2, 3)
    undo.array()
    undo.prints("md7", f"MD_UUID={undo.plan.arrays[2].uuid}\n")
    undo.program("cmp", "[[ $* == *--bytes=0* || ${!#} != /dev/zero || $* != */dev/md7* ]]")
    code, text = undo.undo("--check")
    assert (code, "/dev/md7 holds data without a signature" in text) == (0 if held else 1, not held), text


def pvs_of(plan: Plan) -> str:
    """UUID of the physical volume on the first array, as `pvcreate` is told it."""
    argvs = [action.argv for step in plan.steps for action in step.actions if isinstance(action, Command)]
    (found,) = [argv for argv in argvs if argv[0] == "pvcreate" and argv[-1] == plan.arrays[0].device]
    return next(word.removeprefix("--uuid=") for word in found if word.startswith("--uuid="))


def test_the_stripe_over_the_arrays_is_the_plans_own(tmp_path: Path) -> None:
    undo = Undo(tmp_path, "2x raid1(2)", stack="md")
    undo.sign(0, 1, 2, 3)
    undo.array("md7")
    undo.array("md8")
    undo.array("md9")
    for name, array in zip(("md7", "md8", "md9"), undo.plan.arrays, strict=True):
        undo.prints(name, f"MD_UUID={array.uuid}\n")
    rows = [f'NAME="{name}" KNAME="{name}" TYPE="raid1" MAJ:MIN="  9:{name[2]}"' for name in ("md7", "md8", "md9")]
    undo.prints("tree", "\n".join(rows) + "\n")
    code, text = undo.undo("--check")
    assert code == 0, text
    assert text.count("  found: array /dev/md") == 3 and "IN THE WAY" not in text


def test_what_is_beside_the_superblock_of_the_plan_refuses(tmp_path: Path) -> None:
    undo = Undo(tmp_path)
    undo.sign(0, 1, 2, 3, 4)
    undo.array()
    undo.prints("wipefs", "PLAN-4 0x1fe dos\n".replace("PLAN-4", undo.file(undo.plan.disks[4].path).name))
    code, text = undo.go()
    assert (code, "has dos at 510 beside a superblock of the plan" in text) == (1, True), text
    assert not undo.commands("blkdiscard")


@pytest.mark.parametrize(("held", "end"), [(True, 0), (False, 1)])
def test_with_metadata_at_the_end_only_a_member_shows_what_is_on_its_array(
    tmp_path: Path, held: bool, end: int
) -> None:
    undo = Undo(tmp_path, "raid1(2)+1", metadata="1.0")
    undo.sign(0, 1, 2)
    undo.array()
    name = undo.file(undo.plan.disks[2].path).name
    undo.prints("wipefs", f"{name} 0x438 ext4\n")
    if held:
        line = undo.lsblk().splitlines()[2]
        line = line.replace(f'KNAME="{name}" PKNAME=""', f'KNAME="md7" PKNAME="{name}"')
        undo.prints("lsblk", undo.lsblk() + line.replace('TYPE="disk"', 'TYPE="raid1"') + "\n")
    code, text = undo.undo("--check")
    assert (code, "has ext4 at 1080 beside a superblock of the plan" in text) == (end, not held), text


def test_a_disk_that_is_missing_refuses_and_the_first_lines_tell_the_way_out(tmp_path: Path) -> None:
    undo = Undo(tmp_path)
    undo.sign(0, 1, 2, 3)
    undo.prints("lsblk", "".join(f"{line}\n" for line in undo.lsblk().splitlines()[:4]))
    code, text = undo.go("--lose-files", "unknown")
    assert (code, "serial S005): it is not the planned disk: missing" in text) == (4, True), text
    assert not undo.commands("blkdiscard")
    assert "raidtui undo PLAN goes on without that disk" in undo_script(undo.plan).replace("\n#   ", " ")


@pytest.mark.parametrize(("at", "found"), [(16 * MIB, True), (16 * MIB + 4096, False)], ids=["a place", "just behind"])
def test_data_between_the_ends_of_an_array_without_a_file_system_is_given_up_first(
    tmp_path: Path, at: int, found: bool
) -> None:
    undo = Undo(tmp_path, fs="none", stack="separate")
    undo.sign(0, 1, 2, 3, 4)
    undo.array()
    array = tmp_path / "array"
    with array.open("wb") as file:
        file.truncate(64 * MIB)
        file.seek(at)
        file.write(b"raw")
    undo.program("blockdev", f'echo "{64 * MIB}"')
    undo.program("dd", f'exec /bin/dd "${{@/if=\\/dev\\/md7/if={array}}}"')
    undo.program("cmp", "exit 0")
    code, text = undo.undo("--check")
    assert code == 0, text
    line = "LOST by this undo: /dev/md7: data without a signature at byte 16777216; its owner is unknown"
    assert (line in text) == found, text
