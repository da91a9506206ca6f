import pytest

from raidtui.programs.features import HELP, missing_options
from raidtui.values.design import Design, FileSystemOptions, XfsOptions
from raidtui.values.notation import parse

PLAIN = Design(layout=parse("raid1(2)"))

WIPEFS = """
Usage:
 wipefs [options] <device>

Options:
 -a, --all           wipe all magic strings (BE CAREFUL!)
 -b, --backup        create a signature backup in $HOME
 -i, --noheadings    don't print headings
     --lock[=<mode>] use exclusive device lock (yes, no or nonblock)
"""


def test_the_help_names_an_option_or_the_program_lacks_it() -> None:
    assert missing_options("wipefs", WIPEFS, PLAIN) == ()
    assert missing_options("wipefs", WIPEFS.replace("--lock", "--luck"), PLAIN) == ("--lock",)


XFS_5_0 = "/* metadata */ [-m crc=0|1,finobt=0|1,uuid=xxx,rmapbt=0|1,reflink=0|1]\n/* inode size */ [-i maxpct=n]\n"
XFS_5_10 = XFS_5_0.replace("reflink=0|1", "reflink=0|1,\n inobtcnt=0|1,bigtime=0|1")  # its help, not its option
XFS_6_1 = XFS_5_10.replace("inobtcnt", "inobtcount")


@pytest.mark.parametrize(
    ("help_text", "asked", "missing"),
    [
        (XFS_5_0, XfsOptions(), ()),
        (XFS_5_0, XfsOptions(bigtime=True), ("inobtcount=", "bigtime=")),
        (XFS_5_0, XfsOptions(reflink=False), ("inobtcount=",)),
        (XFS_5_10, XfsOptions(bigtime=True), ()),
        (XFS_6_1, XfsOptions(bigtime=True, rmapbt=True), ()),
    ],
)
def test_mkfs_xfs_is_asked_for_the_features_that_the_design_states(
    help_text: str, asked: XfsOptions, missing: tuple[str, ...]
) -> None:
    design = Design(layout=parse("raid1(2)"), fs_options=FileSystemOptions(xfs=asked))
    assert missing_options("mkfs.xfs", help_text, design) == missing


def test_every_question_only_asks_for_help() -> None:
    calls = [" ".join(call) for call, _ in HELP.values()]
    assert [call for call in calls if not call.endswith("--help")] == ["mkfs.xfs"]  # prints its usage, device or not
    assert [name for name, (call, _) in HELP.items() if call[0] != name] == []
