"""A passphrase opens the encrypted volumes: typed for a build, asked again by a resume, kept nowhere."""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path
from typing import Any

import pytest

from raidtui.engine import journal, process
from raidtui.engine import survey as accepted_loss
from raidtui.engine.folders import ControlRequest
from raidtui.engine.recovery import asks_again
from raidtui.machine.system import programs
from raidtui.machine.system.passphrase import Passphrase, handed, problem_of
from raidtui.values.codec import to_json
from raidtui.values.design import Encryption
from raidtui.values.errors import Refused
from raidtui.values.plan import Command
from tests.machine.run.test_encrypted import KEY, Encrypted, cut
from tests.simulated.fault_model import FaultKind, FaultSide

SECRET = "correct horse \N{SNOWMAN} battery"
TYPED = Encryption()
BOTH = Encryption(key_file=KEY, passphrase=True)


def asked(root: Path, layout: str = "2x(2+1)", encryption: Encryption = TYPED, **design: Any) -> Encrypted:
    return Encrypted(root, layout, encryption=encryption, **design)


def opens(run: Encrypted, words: str, stdin: str = "") -> int:
    """Exit code of a cryptsetup on the volume."""
    with Path(os.devnull).open("wb") as nothing:
        return run.machine.run(("cryptsetup", *words.split(), "/dev/data/data"), nothing.fileno(), stdin=stdin)


TRY = "open --test-passphrase --type=luks2 --key-file=-"


def holds(run: Encrypted, secret: str) -> list[str]:
    """Files of the run, and of the machine, in which the secret is found."""
    files = [path for path in run.folder.rglob("*") if path.is_file()]
    found = [str(path) for path in files if secret.encode() in path.read_bytes()]
    return found + (["machine"] if secret in run.machine.to_json() else [])


def test_it_is_built_opened_by_the_passphrase_and_taken_back(tmp_path: Path) -> None:
    run = asked(tmp_path)
    assert run.does("build", SECRET) == 0
    uuid = run.answer("cryptsetup", "luksUUID", "/dev/data/data")
    assert run.machine._state.files["/etc/crypttab"].splitlines()[1] == f"data-luks UUID={uuid} none luks,nofail"
    assert (opens(run, TRY, SECRET), opens(run, TRY, f"{SECRET}\n"), opens(run, TRY, "other")) == (0, 2, 2)
    assert holds(run, SECRET) == []
    assert SECRET not in to_json(run.plan)
    run.machine.reboot()  # nobody types it
    with pytest.raises(Refused, match="/dev/mapper/data-luks is not running, so its content cannot be read"):
        run.does("undo")
    with Path(os.devnull).open("wb") as nothing:
        opened = ("cryptsetup", "open", "--type=luks2", "--key-file=-", "/dev/data/data", "data-luks")
        assert run.machine.run(opened, nothing.fileno(), stdin=SECRET) == 0
    assert run.does("undo") == 0
    assert run.gone()


def test_without_a_passphrase_nothing_is_written(tmp_path: Path) -> None:
    run = asked(tmp_path)
    with pytest.raises(Refused, match="no passphrase was typed for /dev/data/data; nothing was written") as problem:
        run.does("build")
    assert problem.value.hint == "begin at a terminal, which asks for it; or plan with --key-file PATH"
    assert run.machine.hashes() == run.hashes


def test_it_is_forgotten_once_the_last_volume_is_open(tmp_path: Path) -> None:
    """The executor holds it for no longer than its steps take."""
    run, held = asked(tmp_path, "2x(2+1)", stack="separate"), Passphrase(SECRET)
    seen: list[tuple[str, str]] = []
    ran = run.machine._carry_out

    def carry_out(argv: tuple[str, ...], *more: object, **named: object) -> tuple[int, str]:
        seen.append((argv[0], held.text))
        return ran(argv, *more, **named)  # type: ignore[arg-type]

    run.machine._carry_out = carry_out  # type: ignore[method-assign]
    book = journal.Journal(run.folder, "build")
    assert process.carry_out(run.plan, run.site, run.machine, book, ControlRequest, held) == 0
    book.close()
    assert {text for program, text in seen if program == "cryptsetup"} == {SECRET}
    assert {text for program, text in seen if program in ("mkfs.xfs", "mount")} == {""}


CUTS = (
    "cryptsetup luksFormat",
    "cryptsetup luksHeaderBackup",
    "cryptsetup open",
    "mkfs.xfs",
    "systemctl daemon-reload",
)


@pytest.mark.parametrize("words", CUTS)
@pytest.mark.parametrize("side", ["before", "during", "after"])
@pytest.mark.parametrize("kind", ["power", "kill"])
def test_a_build_that_was_cut_asks_again_and_goes_on(
    words: str, side: FaultSide, kind: FaultKind, tmp_path: Path
) -> None:
    run = asked(tmp_path)
    cut(run, words, side, kind, SECRET)
    records = journal.records(run.folder)
    asks = asks_again(run.plan, run.machine, records)
    assert asks or (words, kind) == ("mkfs.xfs", "kill")
    if asks and words != "systemctl daemon-reload":  # there it is asked for, and the look finds all done
        before = run.machine.hashes()
        with pytest.raises(Refused, match="no passphrase was typed for /dev/data/data"):
            run.does("resume")
        assert run.machine.hashes() == before
    whole = run.machine.ask(("cryptsetup", "luksDump", "/dev/data/data")).stdout.count("0: luks2") == 1
    if whole:
        before = run.machine.hashes()
        with pytest.raises(Refused, match="this passphrase does not open /dev/data/data; nothing was written"):
            run.does("resume", "another")
        assert run.machine.hashes() == before
    assert run.does("resume", SECRET) == 0
    assert (opens(run, TRY, SECRET), holds(run, SECRET)) == (0, [])
    assert run.does("undo") == 0
    assert run.gone()


@pytest.mark.parametrize("words", CUTS)
def test_a_build_that_was_cut_is_taken_back_without_the_passphrase(words: str, tmp_path: Path) -> None:
    run = asked(tmp_path)
    cut(run, words, "during", "power", SECRET)
    accepted_loss.write(run.folder, run.plan, run.survey())
    assert run.does("undo") == 0
    assert run.gone()


def test_a_passphrase_beside_a_key_file_is_a_second_slot(tmp_path: Path) -> None:
    """The copy of the header is made after it; a boot needs the key file alone."""
    run = asked(tmp_path, encryption=BOTH)
    (step,) = (each for each in run.plan.steps if each.stage == "encrypt")
    assert [each.argv[1] for each in step.actions if isinstance(each, Command) and each.argv[0] == "cryptsetup"] == [
        "luksFormat", "luksAddKey", "luksHeaderBackup", "open",
    ]  # fmt: skip
    assert run.does("build", SECRET) == 0
    assert run.machine._state.files["/etc/crypttab"].splitlines()[1].endswith(f" {KEY} luks,nofail")
    assert (opens(run, TRY, SECRET), opens(run, TRY, run.machine._state.files[KEY])) == (0, 0)
    assert run.machine.ask(("cryptsetup", "luksDump", "/dev/data/data")).stdout.count("\tKey:") == 2
    assert holds(run, SECRET) == []
    assert run.does("undo") == 0
    assert run.gone()


@pytest.mark.parametrize("side", ["before", "during", "after"])
@pytest.mark.parametrize("words", ["cryptsetup luksAddKey", "cryptsetup open"])
def test_a_second_slot_that_was_cut_is_made_again(words: str, side: FaultSide, tmp_path: Path) -> None:
    run = asked(tmp_path, encryption=BOTH)
    cut(run, words, side, "power", SECRET)
    assert asks_again(run.plan, run.machine, journal.records(run.folder))
    assert run.does("resume", SECRET) == 0
    assert opens(run, TRY, SECRET) == 0


def test_one_slot_more_than_planned_is_found(tmp_path: Path) -> None:
    run = asked(tmp_path)
    cut(run, "mkfs.xfs", "before", "kill", SECRET)
    run.machine._state.files["/root/typed"] = SECRET
    added = ("cryptsetup", "luksAddKey", "--batch-mode", "--pbkdf=argon2id", "--key-file=/root/typed",
             "/dev/data/data", "-")  # fmt: skip
    with Path(os.devnull).open("wb") as nothing:
        assert run.machine.run(added, nothing.fileno(), stdin="another") == 0
    with pytest.raises(Refused, match="'Encrypt /dev/data/data as /dev/mapper/data-luks' was done, but its result has"):
        run.does("resume", SECRET)


def test_nothing_shows_it(tmp_path: Path) -> None:
    """Neither its repr, nor that of what holds it."""
    held = Passphrase(SECRET)
    assert (repr(held), f"{held}", repr([held])) == ("Passphrase()", "Passphrase()", "[Passphrase()]")
    assert resource.getrlimit(resource.RLIMIT_CORE)[0] in (0, 1)


@pytest.mark.parametrize(
    ("typed", "problem"),
    [
        ("x", ""),
        ("\N{SNOWMAN}" * 170, ""),
        ("", "an empty passphrase protects nothing"),
        ("\N{SNOWMAN}" * 171, "a terminal of the boot takes 512 bytes at most"),
    ],
)
def test_what_may_be_one(typed: str, problem: str) -> None:
    assert problem_of(Passphrase(typed)) == problem


@pytest.mark.process
def test_it_goes_through_a_pipe_byte_by_byte_and_is_forgotten_here(tmp_path: Path) -> None:
    code = (
        "import os; from raidtui.machine.system.passphrase import received; held = received(); "
        "print(ascii(held.text), os.readlink('/proc/self/fd/0'), os.read(0, 9), received())"
    )
    held = Passphrase(SECRET)
    with handed(held) as source, (tmp_path / "out").open("wb") as output:
        assert source is not None
        assert programs.start_executor([sys.executable, "-I", "-c", code], output, source).wait(60) == 0
    assert (tmp_path / "out").read_text() == f"{SECRET!a} /dev/null b'' None\n"
    assert held.text == ""
    with handed(None) as nothing:
        assert nothing is None
