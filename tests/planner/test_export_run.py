"""build.sh from its first line to its last: programs answer what the plan wants to read, and change nothing."""

import hashlib
import re
from pathlib import Path

import pytest

from raidtui.model.plan import Command, Plan
from raidtui.planner.export.bash_script import script
from tests.planner.bash_disks import FakeDisks
from tests.planner.plans import plan_of

pytestmark = pytest.mark.process
ORACLE = """
echo "${0##*/} $*" >>"$STUBS/ran"
if [[ $* == *--add-spare* ]]; then touch "$STUBS/spared"; fi
words="${0##*/} $*"
if [[ -e $STUBS/spared && ${words%% *} == mdadm ]]; then words="spared $words"; fi
key=$(printf '%s' "$words" | /usr/bin/b2sum --length=128)
if [[ -e $STUBS/answers/${key%% *} ]]; then exec /bin/cat "$STUBS/answers/${key%% *}"; fi
"""
REAL = ("install", "sed", "sha256sum")
OTHERS = {
    "lsblk": ORACLE + 'exec /bin/cat "$STUBS/lsblk.txt"',
    "find": ORACLE + 'exec /bin/cat "$STUBS/find.txt"',
    "mount": ORACLE + 'touch "$STUBS/mounted"',
    "findmnt": f"[[ -e $STUBS/mounted ]] || exit 1\n{ORACLE}",
    "stat": "if [[ $1 == --file-system ]]; then\n" + ORACLE + 'fi\nexec /usr/bin/stat "$@"',
}


class Build(FakeDisks):
    def __init__(self, plan: Plan, folder: Path) -> None:
        super().__init__(plan, folder)
        for name in ("etc/mdadm", "etc/udev/rules.d", "srv", "stubs/answers"):
            (folder / name).mkdir(parents=True)
        (folder / "etc/fstab").write_text("# theirs\n")
        actions = [action for step in plan.steps for action in step.actions if isinstance(action, Command)]
        readings = [reading for step in plan.steps for reading in step.after]
        names = {action.argv[0] for action in actions} | {reading.question.argv[0] for reading in readings}
        for name in names - {"cat", "grep", "uname", "cmp", "test", "env", *REAL}:
            self.program(name, OTHERS.get(name, ORACLE))
        self.program("env", ORACLE)
        texts: dict[str, str] = {}
        spared = ""
        for step in plan.steps[1:]:
            spared = "spared " if spared or step.stage == "spare" else ""
            for reading in step.after:
                before = spared if reading.question.argv[0] == "mdadm" else ""
                words = before + self.here(" ".join(reading.question.argv))
                line = f"{reading.key}={reading.answer}\n" if reading.key else f"{reading.answer}\n"
                texts[words] = texts.get(words, "") + line if reading.key else line
        for words, text in texts.items():
            key = hashlib.blake2b(words.encode(), digest_size=16).hexdigest()
            (self.stubs / "answers" / key).write_text(text)

    def here(self, text: str) -> str:
        text = re.sub(r"/(?:etc/mdadm|etc/fstab|etc/udev|srv)(?![\w-])", rf"{self.folder}\g<0>", text)
        return text.replace("/dev/disk/by-id/", f"{self.folder}/")

    def ran(self, word: str) -> list[str]:
        return [line for line in (self.stubs / "ran").read_text().splitlines() if line.split()[0] == word]


BARE = "Until it ends, one failed disk loses a RAID4 or RAID5."


@pytest.mark.parametrize(
    ("layout", "stack", "fs", "minutes", "meanwhile"),
    [
        pytest.param("2x(3+1)+2", "lvm", "xfs", 2, BARE, marks=pytest.mark.thorough),
        ("(3+1)", "lvm", "ext4", 1, BARE),
        ("2x raid1(2)", "md", "xfs", 1, "What is written meanwhile is redundant at once."),
    ],
)
def test_a_whole_build_runs_to_its_end(
    tmp_path: Path, layout: str, stack: str, fs: str, minutes: int, meanwhile: str
) -> None:
    plan = plan_of(layout, stack=stack, fs=fs)
    build = Build(plan, tmp_path)
    done = build.run(build.here(script(plan)), "--yes-erase", plan.digest[-8:])
    assert (done.returncode, done.stderr) == (0, ""), done.stdout[-2000:]
    assert done.stdout.splitlines()[-2:] == [
        f"Done: plan data, digest {plan.digest[:8]}, is built and verified.",
        f"Mounted about {minutes} min after the confirmation; the first sync takes about 5.0 h on idle disks, at most "
        f"54 h on busy ones. {meanwhile}",
    ]
    assert len(build.ran("blkdiscard")) == 3 * len(plan.disks)
    assert len([line for line in build.ran("mdadm") if "--create" in line]) == len(plan.arrays)
    assert f"# raidtui {plan.run_id} begin data\nUUID=" in (tmp_path / "etc/fstab").read_text()
    assert (tmp_path / "etc/fstab").read_text().startswith("# theirs\n")
    assert (tmp_path / f"var/lib/raidtui/{plan.run_id}/before-fstab").read_text() == "# theirs\n"
    assert (tmp_path / "etc/udev/rules.d/90-raidtui-data.rules").exists()


def test_content_that_comes_between_the_checks_and_the_wipe_stops_it(tmp_path: Path) -> None:
    plan = plan_of("(3+1)")
    build = Build(plan, tmp_path)
    third = build.file(plan.disks[2].path)
    build.program("env", f"printf precious | /bin/dd of={third} conv=notrunc status=none")  # step 2 saves signatures
    done = build.run(build.here(script(plan)), "--yes-erase", plan.digest[-8:])
    assert (done.returncode, "STOPPED: a disk is not as planned" in done.stdout) == (4, True), done.stdout[-2000:]
    assert f"{third} (MODEL, serial S003): its content changed since the plan was made" in done.stdout
    assert [line for line in build.ran("wipefs") if "--all" in line] == []
    with third.open("rb") as file:
        assert file.read(8) == b"precious"


def test_a_failure_that_nobody_reckoned_with_is_told_too(tmp_path: Path) -> None:
    plan = plan_of("(3+1)")
    build = Build(plan, tmp_path)
    build.program("readlink", "exit 7")
    done = build.run(build.here(script(plan)), "--check")
    assert done.returncode == 7
    assert "STOPPED: a command of this script failed with exit code 7." in done.stdout
