from raidtui.tools.features import HELP, missing_options

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
    assert missing_options("wipefs", WIPEFS) == ()
    assert missing_options("wipefs", WIPEFS.replace("--lock", "--luck")) == ("--lock",)


def test_every_question_only_asks_for_help() -> None:
    calls = [" ".join(call) for call, _ in HELP.values()]
    assert [call for call in calls if not call.endswith("--help")] == ["mkfs.xfs"]  # prints its usage, device or not
    assert [name for name, (call, _) in HELP.items() if call[0] != name] == []
