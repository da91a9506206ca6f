from hypothesis import given
from hypothesis import strategies as st

from raidtui.programs.md import MdArray, MdSync, lacking, parse, syncs
from raidtui.values.inventory import LackingArray

TEXT = """Personalities : [raid1] [raid6] [raid5] [raid4] 
md127 : active raid5 sdd1[3] sdc1[1](F) sdb1[0]
      2093056 blocks super 1.2 level 5, 512k chunk, algorithm 2 [3/2] [U_U]
      [=>...................]  recovery =  5.0% (1/20) finish=1.0min speed=1K/sec

md126 : inactive sde[1](S) sdaa[0](S)
      1046528 blocks super 1.2
       
md0 : active (auto-read-only) raid1 nvme0n1p2[0] nvme1n1p2[1](W)
      1046528 blocks super 1.2 [2/2] [UU]
      	resync=PENDING

unused devices: <none>
"""  # noqa: E101, W291, W293 - as the kernel prints it


def test_running_inactive_and_auto_read_only() -> None:
    assert parse(TEXT) == (
        MdArray(
            name="md127",
            state="active",
            level="raid5",
            members=("sdd1", "sdc1", "sdb1"),
            failed=("sdc1",),
            devices=3,
            works=2,
            roster="U_U",
            sync=MdSync(done_kib=1, whole_kib=20, kib_per_s=1),
        ),
        MdArray(name="md126", state="inactive", level="", members=("sde", "sdaa")),
        MdArray(
            name="md0",
            state="active",
            level="raid1",
            members=("nvme0n1p2", "nvme1n1p2"),
            devices=2,
            works=2,
            roster="UU",
            waits="PENDING",
        ),
    )


def test_how_an_array_is_called() -> None:
    assert [array.words for array in parse(TEXT)] == ["md127 active raid5", "md126 inactive", "md0 active raid1"]


BROKEN = """Personalities : [raid0] [raid1]
md0 : active raid1 sda1[0] sdb1[1]
      1046528 blocks super 1.2 [2/2] [UU]

md1 : broken raid10 sdc1[0](F) sdd1[1](F) sde1[2] sdf1[3]
      2093056 blocks super 1.2 512K chunks 2 near-copies [4/2] [__UU]

md2 : broken raid0 sdg[0] sdh[1](F)
      2093056 blocks super 1.2 512k chunks

md3 : halted (read-only) raid5 sdi[0] sdj[1]
      2093056 blocks super 1.2 level 5, 512k chunk, algorithm 2 [3/2] [UU_]

unused devices: <none>
"""


def test_a_word_of_a_later_kernel_moves_no_fact_to_another_array() -> None:
    found = {array.name: (array.state, array.level, array.devices, array.works) for array in parse(BROKEN)}
    assert found == {
        "md0": ("active", "raid1", 2, 2), "md1": ("broken", "raid10", 4, 2), "md2": ("broken", "raid0", None, None),
        "md3": ("halted", "raid5", 3, 2),
    }  # fmt: skip
    assert lacking(BROKEN) == (
        LackingArray(name="md1", level="raid10"), LackingArray(name="md2", level="raid0"),
        LackingArray(name="md3", level="raid5", devices=3, lacks=1),
    )  # fmt: skip


def test_no_array() -> None:
    assert parse("Personalities : \nunused devices: <none>\n") == ()


def test_arrays_that_lack_a_member_or_do_not_run() -> None:
    assert lacking(TEXT) == (
        LackingArray(name="md127", level="raid5", devices=3, lacks=1),
        LackingArray(name="md126"),
    )
    container = (
        "md125 : inactive sdb[1](S) sda[0](S)\n      6306 blocks super external:imsm\n       \nunused devices: <none>\n"
    )
    assert lacking(container) == ()


def test_how_far_a_sync_is() -> None:
    assert syncs(TEXT) == {"md127": 0.05}


def test_every_kind_of_sync() -> None:
    text = """Personalities : [raid6]
md2 : active raid6 sdd1[3] sdc1[1]
      2093056 blocks super 1.2 level 6, 512k chunk, algorithm 2 [4/4] [UUUU]
      [>....................]  resync =  0.0% (512/1046528) finish=8.7min speed=2000K/sec

md3 : active raid10 sdd2[3]
      [==========>..........]  check = 50.0% (1000/2000) finish=1.0min speed=1K/sec
md4 : active raid5 sde[3]
      [=======>.............]  reshape = 36.6% (383488/1046528) finish=0.1min speed=127829K/sec
md5 : active raid5 sdf[3]
        resync=DELAYED
md6 : active raid5 sdg[3]
        resync=REMOTE
md7 : active raid1 sdh[1]
      [=>...................]  recovery =  0.0% (7/0) finish=0.1min speed=1K/sec
"""
    assert syncs(text) == {"md2": 512 / 1046528, "md3": 0.5, "md4": 383488 / 1046528}


@given(st.text(max_size=300))
def test_no_text_brings_it_down(text: str) -> None:
    parse(text)
    assert all(0 <= done <= 1 for done in syncs(f"md0 : active raid1 sda[0]\n{text}").values())
