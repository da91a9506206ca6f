from raidtui.programs import wipefs
from raidtui.values.plan import Command


def test_saving_erases_nothing() -> None:
    assert wipefs.save("/var/lib/raidtui/1", ["/dev/a", "/dev/b"]) == Command(
        argv=("env", "HOME=/var/lib/raidtui/1", "wipefs", "--all", "--no-act", "--backup", "/dev/a", "/dev/b"),
        effect="change", devices=("/dev/a", "/dev/b"), by_name=True,
    )  # fmt: skip


def test_erasing_and_the_proof_of_it() -> None:
    assert wipefs.wipe(["/dev/a"]) == Command(
        argv=("wipefs", "--all", "/dev/a"), effect="destroy", devices=("/dev/a",)
    )  # fmt: skip
    assert wipefs.wipe_locked("/dev/md/a") == Command(
        argv=("wipefs", "--all", "--lock=yes", "/dev/md/a"), effect="destroy", devices=("/dev/md/a",)
    )  # fmt: skip
    assert wipefs.zero("/dev/a", 512, 4096) == Command(
        argv=("blkdiscard", "--zeroout", "--offset=512", "--length=4096", "/dev/a"),
        effect="destroy", devices=("/dev/a",), zeroed=(512, 4096),
    )  # fmt: skip
    assert wipefs.zero_question("/dev/a", 512, 4096) == (
        "cmp", "--bytes=4096", "--ignore-initial=512:0", "/dev/a", "/dev/zero",
    )  # fmt: skip
    assert wipefs.question(["/dev/a"]) == ("wipefs", "--noheadings", "--output=DEVICE,OFFSET,TYPE", "/dev/a")


def test_devices_that_are_gone_are_left_out() -> None:
    assert wipefs.without(wipefs.wipe(["/dev/a", "/dev/b"]), {"/dev/a"}) == Command(
        argv=("wipefs", "--all", "/dev/b"), effect="destroy", devices=("/dev/b",)
    )  # fmt: skip
    assert wipefs.without(wipefs.wipe(["/dev/a"]), {"/dev/a"}) is None
