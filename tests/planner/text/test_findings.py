"""Paragraphs on a terminal."""

from raidtui.answers.findings import paragraph

PATH = "/root/.local/state/raidtui/simulated/benches/e525008a1ed2b5c0c1cff892cae40dcc"


def test_a_path_longer_than_a_line_is_broken_after_a_slash() -> None:
    assert paragraph(f"saved in {PATH}", 69) == [
        "  saved in", "  /root/.local/state/raidtui/simulated/benches/", "  e525008a1ed2b5c0c1cff892cae40dcc"
    ]  # fmt: skip
    assert paragraph(f"saved in {PATH}, simulated", 80) == ["  saved in", f"  {PATH},", "  simulated"]


def test_another_long_word_stays_whole() -> None:
    assert paragraph(f"the digest {'0123456789abcdef' * 4}", 60, first="") == [
        "the digest",
        f"  {'0123456789abcdef' * 4}",
    ]
