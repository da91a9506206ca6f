"""Which path root writes or mounts on: root's alone from / to its end, no link, and a file only in place of a file."""

from __future__ import annotations

import pytest

from raidtui.values.paths import PathFault, PathKind, PathPart, SeenPath, place_fault, written_fault


def parts(path: str, last: PathKind = "file", **changes: PathPart) -> SeenPath:
    """Every component of `path` as root made it; `changes`: those of some names."""
    names = path.split("/")[1:]
    found = [PathPart(path="/", kind="directory", owner=0, mode=0o755)]
    for number, name in enumerate(names):
        end = number == len(names) - 1
        here = "/" + "/".join(names[: number + 1])
        made = PathPart(path=here, kind=last if end else "directory", owner=0, mode=0o644 if end else 0o755)
        found.append(changes.get(name, made))
    return SeenPath(path=path, parts=tuple(found))


def part(path: str, **more: object) -> PathPart:
    return PathPart(**{"path": path, "kind": "directory", "owner": 0, "mode": 0o755, **more})  # type: ignore[arg-type]


def test_what_is_roots_alone_is_written_and_mounted_on() -> None:
    whole = parts("/etc/mdadm/mdadm.conf")
    assert written_fault(whole) is None
    assert written_fault(SeenPath(path=whole.path, parts=whole.parts[:-1])) is None
    assert place_fault(parts("/srv/data", "directory")) is None
    for seen in range(1, 4):
        assert place_fault(SeenPath(path="/srv/a/b", parts=parts("/srv/a/b", "directory").parts[:seen])) is None


def test_a_mount_point_may_belong_to_whom_it_will_be_for() -> None:
    assert place_fault(parts("/srv/data", data=part("/srv/data", owner=1000, mode=0o2775))) is None


@pytest.mark.parametrize(
    ("last", "what"),
    [
        ("pipe", "a pipe"), ("socket", "a socket"), ("character device", "a character device"),
        ("block device", "a block device"), ("directory", "a directory"),
    ],
)  # fmt: skip
def test_only_a_regular_file_is_replaced(last: PathKind, what: str) -> None:
    assert written_fault(parts("/etc/fstab", last)) == PathFault(
        message=f"/etc/fstab is {what}, not a regular file", way_out="move it away"
    )


def test_the_text_of_a_link_is_harmless_and_its_target_whole() -> None:
    link = part("/etc/fstab", kind="link", mode=0o777, target="../a\x1b[2J b")
    fault = written_fault(parts("/etc/fstab", fstab=link))
    assert fault is not None
    assert fault.message == "/etc/fstab is a symbolic link to ../a\\e[2J b, not a regular file"
    assert fault.way_out == ("move it away; if its content shall stay: cp --remove-destination '/a\\e[2J b' /etc/fstab")


def test_a_directory_that_is_missing_is_named() -> None:
    seen = SeenPath(path="/etc/udev/rules.d/x.rules", parts=(part("/"), part("/etc")))
    assert written_fault(seen) == PathFault(
        message="there is no directory /etc/udev/rules.d", way_out="mkdir /etc/udev/rules.d"
    )
    assert written_fault(SeenPath(path="/fstab", parts=(part("/"),))) is None
