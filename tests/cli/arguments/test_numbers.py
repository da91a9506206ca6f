"""Numbers on the command line: whatever is typed, an answer or a clear refusal, at once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.cli import main
from tests.cli.commands import code_of
from tests.suite import examples

DISKS = ["--disks", "5x2TB"]
MODEL = ["model", "(3+1)+1"]
PROPOSE = ["propose", *DISKS]
OPTIONS: dict[str, list[str]] = {
    "--disks": MODEL,
    "--sector": [*MODEL, *DISKS],
    "--chunk": [*MODEL, *DISKS],
    "--disk-speed": [*MODEL, *DISKS],
    "--disk-iops": [*MODEL, *DISKS],
    "--link-ceiling": [*MODEL, *DISKS],
    "--afr": [*MODEL, *DISKS],
    "--ure": [*MODEL, *DISKS],
    "--restock-days": [*MODEL, *DISKS],
    "--enclosure-afr": [*MODEL, *DISKS],
    "--sync-max": [*MODEL, *DISKS],
    "--parity-threads": [*MODEL, *DISKS],
    "--rebuild-share": [*MODEL, *DISKS],
    "--usable": PROPOSE,
    "--survive": PROPOSE,
    "--spares": PROPOSE,
    "--max-width": PROPOSE,
    "--max-loss": PROPOSE,
    "--price": PROPOSE,
    "--compare": PROPOSE,
    "--chunks": ["tune", "(3+1)+1", *DISKS, "--dry-run"],
    "--slice": ["tune", "(3+1)+1", *DISKS, "--dry-run"],
    "--seconds": ["tune", "(3+1)+1", *DISKS, "--dry-run"],
    "--repeats": ["tune", "(3+1)+1", *DISKS, "--dry-run"],
    "--speed-up": ["build", "none.json"],
    "--array": ["drill", "ffffffff"],
}
ABSURD = (
    "0", "-1", "-5", "-2TB", "-1MB/s", "1e400", "-1e400", "nan", "inf", "-inf", "9" * 50, "9" * 5000, "0x10", "1e3",
    "99999999999999999999999999TB", "14x99999999999999999999999999TB", "5x-2TB", "5x0TB", "5x0.0000001B", "1 2",
    "5x1EB", "5x1024PiB", "0B", "0.5B", "\u0663x2TB", "5x\u06632TB", "\u00b2", "", " ", "%", "1%", "100%", "101%",
    "-1%", "1/s", "/s", "5x", "x", "1..0", "0..0", "4K..99999999999999P", "..", ",", "4K,", "1K..1K", "3", "1M..9999P",
)  # fmt: skip


@pytest.mark.parametrize(
    "values", [pytest.param(ABSURD[::5], id="a fifth"), pytest.param(ABSURD, id="all", marks=pytest.mark.thorough)]
)
@pytest.mark.parametrize("option", OPTIONS)
def test_absurd_numbers_are_an_answer_or_a_refusal(option: str, values: tuple[str, ...]) -> None:
    for value in values:
        assert code_of([*OPTIONS[option], f"{option}={value}"]) in (0, 1, 2), value


@examples(20, fixture=True)
@given(
    st.sampled_from(sorted(OPTIONS.keys() - {"--compare", "--chunks"})),
    st.one_of(
        st.integers().map(str), st.floats().map(repr), st.text("0123456789.xX-+eEkKmMgGtTpPiIbB/s%,", max_size=30),
    ),
)  # fmt: skip
def test_any_number_is_an_answer_or_a_refusal(option: str, value: str) -> None:
    assert code_of([*OPTIONS[option], f"{option}={value}"]) in (0, 1, 2)


def test_proposals_are_searched_for_at_most_1024_disks(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["propose", "--disks", "1025x2TB"]) == 1
    assert "1025 disks: a proposal covers at most 1024." in capsys.readouterr().out
