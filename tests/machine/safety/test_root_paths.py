"""A user who can change a directory, or put a link there, chooses neither what root writes nor where root mounts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from raidtui.engine import journal
from raidtui.engine.folders import ControlRequest
from raidtui.engine.journal import Journal
from raidtui.engine.process import carry_out, checked
from raidtui.engine.site import SimulatedSite
from raidtui.engine.standing import findings
from raidtui.engine.survey import survey
from raidtui.machine.system.ports import AS_NAMED, Mounted
from raidtui.predict.stated_disks import purchase
from raidtui.simulated.state import SimulatedMount
from raidtui.values.errors import RaidtuiError, Refused, Stale
from raidtui.values.run import RunPurpose
from tests.planner.plans import plan_of
from tests.simulated.machine import FaultyMachine

BOUGHT = purchase("4x2TB")
CONF, FSTAB, RULE = "/etc/mdadm/mdadm.conf", "/etc/fstab", "/etc/udev/rules.d/90-raidtui-data.rules"
HOME = "/home/u/data"
ARRAY = "/dev/md/data"
Deed = Callable[[FaultyMachine], None]


class Meddled(FaultyMachine):
    """Somebody does something right before or right after the first command that begins with these words."""

    before: dict[tuple[str, ...], Deed]
    after: dict[tuple[str, ...], Deed]

    def run(self, argv: tuple[str, ...], output: int, devices: Mapping[str, str] = AS_NAMED, *, stdin: str = "") -> int:
        self._meddle(self.before, argv)
        code = super().run(argv, output, devices, stdin=stdin)
        self._meddle(self.after, argv)
        return code

    def write_text(self, path: str, text: str, mode: int) -> None:
        self._meddle(self.before, ("write", path))
        super().write_text(path, text, mode)

    def _meddle(self, deeds: dict[tuple[str, ...], Deed], words: Sequence[str]) -> None:
        for known in list(deeds):
            if tuple(words[: len(known)]) == known:
                deeds.pop(known)(self)


class Build:
    """A plan, a machine and the run of one on the other."""

    def __init__(self, root: Path, mount_point: str = "/srv/data", **asked: Any) -> None:
        self.plan = plan_of(
            "raid1(2)", BOUGHT.disks[:2], inventory=BOUGHT, host="purchase", mount_point=mount_point, **asked
        )
        self.machine = Meddled(BOUGHT, speed_up=1e7)
        self.machine.before, self.machine.after = {}, {}
        self.site = SimulatedSite(root, self.machine)
        self.folder = journal.create(root, self.plan)

    def does(self, purpose: RunPurpose) -> int:
        """Exit code of one executor."""
        book = Journal(self.folder, purpose)
        try:
            return carry_out(self.plan, self.site, self.machine, book, lambda: ControlRequest(during_sync=True))
        finally:
            book.close()

    def refuses(self, purpose: RunPurpose) -> RaidtuiError:
        """Its refusal before the first command and the first byte."""
        before = (self.machine.commands, self.machine.writes())
        with pytest.raises(RaidtuiError) as refused:
            self.does(purpose)
        assert (self.machine.commands, self.machine.writes()) == before
        return refused.value


# Files of /etc.

IN_THE_WAY: dict[str, tuple[Deed, str, str]] = {
    "a link to a device": (
        lambda machine: machine.put_link(CONF, "/dev/null"),
        f"The build writes {CONF}, but {CONF} is a symbolic link to /dev/null, not a regular file.",
        f"move it away; if its content shall stay: cp --remove-destination /dev/null {CONF}",
    ),
    "a link to a file": (
        lambda machine: machine.put_link(FSTAB, "/home/u/fstab"),
        f"The build writes {FSTAB}, but {FSTAB} is a symbolic link to /home/u/fstab, not a regular file.",
        f"move it away; if its content shall stay: cp --remove-destination /home/u/fstab {FSTAB}",
    ),
    "a link above": (
        lambda machine: machine.put_link("/etc/mdadm", "/home/u"),
        f"The build writes {CONF}, but /etc/mdadm is a symbolic link to /home/u, not a directory.",
        "name the path without the link: /home/u in place of /etc/mdadm",
    ),
    "a pipe": (
        lambda machine: machine.obstruct(FSTAB, "pipe"),
        f"The build writes {FSTAB}, but {FSTAB} is a pipe, not a regular file.",
        "move it away",
    ),
    "a device": (
        lambda machine: machine.obstruct(CONF, "character device"),
        f"The build writes {CONF}, but {CONF} is a character device, not a regular file.",
        "move it away",
    ),
    "a file of a user": (
        lambda machine: machine.open_up(FSTAB),
        f"The build writes {FSTAB}, but {FSTAB} belongs to user 1000, who could change what is in it.",
        f"check its content, then chown root {FSTAB}",
    ),
    "a file for everybody": (
        lambda machine: machine.open_up(CONF, 0o666),
        f"The build writes {CONF}, but {CONF} is writable by others than its owner (mode 0666).",
        f"check its content, then chmod go-w {CONF}",
    ),
    "a directory of a user": (
        lambda machine: machine.open_up("/etc/udev/rules.d"),
        f"The build writes {RULE}, but /etc/udev/rules.d belongs to user 1000, who could change what is in it.",
        "check its content, then chown root /etc/udev/rules.d",
    ),
    "a directory for everybody": (
        lambda machine: machine.open_up("/etc/mdadm", 0o1777),
        f"The build writes {CONF}, but /etc/mdadm is writable by others than its owner (mode 1777).",
        "",
    ),
}


@pytest.mark.parametrize("what", IN_THE_WAY)
def test_a_file_that_is_not_roots_alone_refuses_the_build_before_the_first_byte(what: str, tmp_path: Path) -> None:
    deed, message, way_out = IN_THE_WAY[what]
    build = Build(tmp_path)
    assert checked(build.plan, build.site, "", during_sync=False) == ()
    deed(build.machine)
    found = [each for each in checked(build.plan, build.site, "", during_sync=False) if each.code == "file-not-roots"]
    assert [(each.severity, each.message, each.way_out) for each in found] == [("error", message, way_out)]
    refused = build.refuses("build")
    assert isinstance(refused, Refused)


def test_a_directory_that_is_missing_is_named_before_the_first_byte(tmp_path: Path) -> None:
    build = Build(tmp_path)
    build.machine._state.folders.remove("/etc/udev/rules.d")
    assert str(build.refuses("build")).startswith(
        f"The build writes {RULE}, but there is no directory /etc/udev/rules.d."
    )


@pytest.mark.parametrize("path", [CONF, FSTAB, RULE])
@pytest.mark.parametrize("what", ["link", "pipe", "owner"])
def test_what_takes_the_place_of_a_file_during_the_build_is_not_written(path: str, what: str, tmp_path: Path) -> None:
    build = Build(tmp_path)

    def meddle(machine: FaultyMachine) -> None:
        before[path] = machine._state.files.get(path, "")
        match what:
            case "link":
                machine.put_link(path, "/etc/shadow")
                machine._state.files["/etc/shadow"] = "root:x\n"
            case "pipe":
                machine.obstruct(path, "pipe")
            case _:
                machine._state.files.setdefault(path, "")
                machine.open_up(path)

    before: dict[str, str] = {}
    build.machine.before[("write", path)] = meddle
    with pytest.raises(RaidtuiError) as refused:
        build.does("build")
    words = {"link": "is a symbolic link to /etc/shadow, not a regular file", "pipe": "is a pipe, not a regular file"}
    assert str(refused.value) == f"{path} " + words.get(what, "belongs to user 1000, who could change what is in it")
    assert build.machine._state.files.get("/etc/shadow", "root:x\n") == "root:x\n"
    assert build.machine._state.files.get(path, before[path]) == before[path]
    state = build.machine._state
    state.symlinks.clear()
    state.no_files.clear()
    state.of_others.clear()
    if before[path] == "" and path == RULE:
        state.files.pop(path, None)
    else:
        state.files[path] = before[path]
    assert build.does("resume") == 0


@pytest.mark.parametrize("what", ["link", "pipe", "owner", "directory"])
def test_an_undo_is_refused_before_its_first_command(what: str, tmp_path: Path) -> None:
    build = Build(tmp_path)
    assert build.does("build") == 0
    text = build.machine.read_text(FSTAB) or ""
    match what:
        case "link":
            build.machine.put_link(FSTAB, "/dev/null")
        case "pipe":
            build.machine.obstruct(FSTAB, "pipe")
        case "owner":
            build.machine.open_up(FSTAB)
        case _:
            build.machine.open_up("/etc", 0o777)
    refused = build.refuses("undo")
    assert str(refused).startswith(f"root does not change {FSTAB if what != 'directory' else CONF}: ")
    assert "(chown root, chmod go-w)" in refused.hint
    state = build.machine._state
    state.symlinks.clear()
    state.no_files.clear()
    state.of_others.clear()
    state.modes.pop("/etc", None)
    state.files[FSTAB] = text
    assert build.does("undo") == 0


# Mount points.


@pytest.mark.parametrize(
    ("deed", "what", "way_out"),
    [
        (
            lambda machine: machine.open_up("/home/u"),
            "/home/u belongs to user 1000, who could change what is in it",
            "check its content, then chown root /home/u; or choose another --mount and plan again",
        ),
        (
            lambda machine: machine.open_up("/home", 0o775),
            "/home is writable by others than its owner (mode 0775)",
            "check its content, then chmod go-w /home; or choose another --mount and plan again",
        ),
        (
            lambda machine: machine.open_up("/home", 0o1777),
            "/home is writable by others than its owner (mode 1777)",
            "choose another --mount and plan again",
        ),
        (
            lambda machine: machine.put_link("/home", "/data"),
            "/home is a symbolic link to /data, not a directory",
            "name the path without the link: /data in place of /home",
        ),
        (
            lambda machine: machine.obstruct("/home/u", "file"),
            "/home/u is a file, not a directory",
            "move it away",
        ),
    ],
)
def test_a_directory_above_the_mount_point_that_is_not_roots_alone_refuses_the_build(
    deed: Deed, what: str, way_out: str, tmp_path: Path
) -> None:
    build = Build(tmp_path, HOME)
    build.machine._state.folders += ["/home", "/home/u"]
    assert checked(build.plan, build.site, "", during_sync=False) == ()
    deed(build.machine)
    found = checked(build.plan, build.site, "", during_sync=False)
    assert [(each.code, each.message, each.way_out) for each in found] == [
        ("mount-point-not-roots", f"The build mounts on {HOME}, but {what}.", way_out)
    ]
    assert what in str(build.refuses("build"))


def test_directories_that_root_makes_above_the_mount_point_are_fine(tmp_path: Path) -> None:
    build = Build(tmp_path, HOME)
    assert build.does("build") == 0
    seen, array = build.machine.mount_at(HOME), build.machine.pin(ARRAY)
    assert seen is not None and array is not None and seen.is_whole(array.number)
    assert build.does("undo") == 0
    assert build.machine.mount_at(HOME) is None


@pytest.mark.parametrize("at", [("install",), ("write", FSTAB), ("systemctl", "daemon-reload"), ("mkfs.xfs",)])
def test_a_link_that_is_swapped_in_meanwhile_leads_no_mount_elsewhere(at: tuple[str, ...], tmp_path: Path) -> None:
    build = Build(tmp_path, HOME)
    build.machine._state.folders += ["/home", "/home/u", "/etc/ssh", "/etc/ssh/data"]

    def swap(machine: FaultyMachine) -> None:
        machine.put_link("/home/u", "/etc/ssh")

    (build.machine.after if at[0] != "write" else build.machine.before)[at] = swap
    with pytest.raises(Refused) as refused:
        build.does("build")
    assert str(refused.value) == (
        f"root mounts nothing on {HOME}: /home/u is a symbolic link to /etc/ssh, not a directory"
    )
    assert build.machine.mount_at("/etc/ssh/data") is None
    build.machine._state.symlinks.clear()
    assert build.does("resume") == 0


@pytest.mark.parametrize(
    ("deed", "what"),
    [
        (
            lambda machine: machine.stand(ARRAY, "hidden"),
            "device 0:77 is mounted on /srv/data, not 9:127 (/dev/md/data)",
        ),
        (
            lambda machine: machine._state.mounts.append(SimulatedMount(place="/srv/data", key="d3", uuid="other")),
            "device 8:48 is mounted on /srv/data, not 9:127 (/dev/md/data)",
        ),
        (
            lambda machine: machine.stand(ARRAY, "bind", "/srv/data"),
            "only /letters of /dev/md/data is mounted on /srv/data",
        ),
        (lambda machine: machine.put_link("/srv", "/mnt"), "the path /srv/data has a symbolic link: /srv"),
    ],
    ids=["tmpfs", "another disk", "a part", "link"],
)
def test_after_the_mount_what_is_mounted_is_read_from_the_mount(deed: Deed, what: str, tmp_path: Path) -> None:
    """findmnt names the plan's file system in each of these cases but the last."""
    build = Build(tmp_path)
    build.machine._state.folders.append("/mnt/data")
    build.machine.after[("mount", "/srv/data")] = deed
    with pytest.raises(Stale) as stale:
        build.does("build")
    if "link" not in what:
        assert str(stale.value) == what
        assert stale.value.hint == "see findmnt /srv/data; unmount what does not belong there, then resume"


# Unmounting.


@pytest.mark.parametrize("what", ["tmpfs", "another disk"])
def test_an_undo_unmounts_nothing_that_was_mounted_over_ours_meanwhile(what: str, tmp_path: Path) -> None:
    build = Build(tmp_path)
    assert build.does("build") == 0

    def cover(machine: FaultyMachine) -> None:
        if what == "tmpfs":
            machine.stand(ARRAY, "hidden")
        else:
            machine._state.mounts.append(SimulatedMount(place="/srv/data", key="d3", uuid="other"))

    build.machine.after[("rm",)] = cover
    with pytest.raises(Stale) as stale:
        build.does("undo")
    number = "0:77" if what == "tmpfs" else "8:48"
    assert str(stale.value) == f"device {number} is mounted on /srv/data, not 9:127 (/dev/md/data)"
    assert stale.value.hint.startswith("see findmnt /srv/data; unmount what does not belong there, ")
    seen = build.machine.mount_at("/srv/data")
    assert seen is not None and seen.number == number
    state = build.machine._state
    state.used.clear()
    state.mounts = [each for each in state.mounts if each.uuid != "other"]
    assert build.does("undo") == 0


def test_an_undo_does_not_go_on_while_its_file_system_is_mounted_elsewhere(tmp_path: Path) -> None:
    build = Build(tmp_path)
    assert build.does("build") == 0
    build.machine.after[("umount",)] = lambda machine: machine._state.mounts.append(
        SimulatedMount(place="/srv/second", key="md127", uuid=build.plan.filesystems[0].uuid)
    )
    with pytest.raises(Stale, match=r"^/dev/md/data is still mounted on /srv/second$"):
        build.does("undo")
    assert build.plan.run_id in (build.machine.read_text(CONF) or "")
    build.machine._state.mounts.clear()
    assert build.does("undo") == 0


def test_an_undo_unmounts_nothing_through_a_link(tmp_path: Path) -> None:
    build = Build(tmp_path, HOME)
    assert build.does("build") == 0
    machine = build.machine
    machine._state.folders += ["/etc/ssh", "/etc/ssh/data"]
    machine.put_link("/home/u", "/etc/ssh")
    assert machine.mount_at(HOME) == Mounted(link="/home/u")
    message = f"root does not change {HOME}: /home/u is a symbolic link to /etc/ssh, not a directory"
    assert message in [each.message for each in findings(survey(build.plan, machine))]
    build.refuses("undo")
