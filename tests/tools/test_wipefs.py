from raidtui.tools import wipefs


def test_saving_erases_nothing() -> None:
    assert wipefs.save("/var/lib/raidtui/1", ["/dev/a", "/dev/b"]) == (
        "env", "HOME=/var/lib/raidtui/1", "wipefs", "--all", "--no-act", "--backup", "/dev/a", "/dev/b",
    )  # fmt: skip


def test_erasing_and_the_proof_of_it() -> None:
    assert wipefs.wipe(["/dev/a"]) == ("wipefs", "--all", "/dev/a")
    assert wipefs.wipe_locked("/dev/md/a") == ("wipefs", "--all", "--lock=yes", "/dev/md/a")
    assert wipefs.zero("/dev/a", 512, 4096) == (
        "blkdiscard", "--zeroout", "--offset=512", "--length=4096", "/dev/a",
    )  # fmt: skip
    assert wipefs.zero_question("/dev/a", 512, 4096) == (
        "cmp", "--bytes=4096", "--ignore-initial=512:0", "/dev/a", "/dev/zero",
    )  # fmt: skip
    assert wipefs.question(["/dev/a"]) == ("wipefs", "--noheadings", "--output=DEVICE,OFFSET,TYPE", "/dev/a")
