"""Starting the app where the terminal is an odd one."""

import os
from typing import NoReturn

import pytest

from raidtui.tui import start


def test_a_terminal_without_a_name_is_one_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a container or a chroot the device of the terminal is often not to be found."""

    def nameless(_: int) -> NoReturn:
        raise OSError(2, "No such file or directory")

    monkeypatch.setattr(os, "ttyname", nameless)
    monkeypatch.setattr("sys.stdin", open(os.devnull))  # noqa: SIM115, PTH123
    assert start._ttyname() == ""
