"""`python -m tests.real_installers FOLDER` holds exports against the installers' own code, and writes CHECKED.md.

FOLDER holds checkouts that are no part of this project: curtin, ignition, disko, nixlib (nixpkgs.lib) and
storage (linux-system-roles); and the programs butane and ignition-validate. nix-instantiate, systemd-analyze and
systemd-repart come from PATH, jsonschema from Python. Needs nothing as root and writes to no device: curtin's handlers
run with every program replaced by a recorder.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import yaml

from raidtui.installers.exported import Export, Way
from raidtui.installers.render import export
from raidtui.values.choices import ExportFormat
from raidtui.values.errors import Refused
from raidtui.values.plan import Plan
from tests.planner.export.installers.reference import reference_export
from tests.planner.export.installers.test_parsers import LAYOUTS, SYNTAXES, kickstart
from tests.planner.plans import plan_of
from tests.regenerate_exports import GOLDENS

TARGET = GOLDENS.parent / "CHECKED.md"
STACKS = ("lvm", "md", "separate")
Check = Callable[[Export], object]
"""raises where the installer would not take the export"""


@dataclass(frozen=True, slots=True)
class Checker:
    """One parser, schema or program."""

    format: ExportFormat
    ways: tuple[Way, ...]
    what: str
    version: str
    check: Check


def plans() -> Iterator[Plan]:
    """Every layout with every stack, both file systems and none, on disks and on partitions."""
    for layout in LAYOUTS:
        for stack in STACKS if "x" in layout else STACKS[:1]:
            for fs in ("xfs", "ext4", "none"):
                yield plan_of(layout, stack=stack, fs=fs, chunk_bytes=256 * 1024)


def _program(*argv: str) -> str:
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(done.stderr.strip() or done.stdout.strip())
    return done.stdout


def _on_file(made: Export, suffix: str, *argv: str) -> str:
    with tempfile.NamedTemporaryFile("w", suffix=suffix) as file:
        file.write(made.files[0].text)
        file.flush()
        return _program(*argv, file.name)


def _module(folder: Path, name: str) -> ModuleType:
    sys.path.insert(0, str(folder))
    return importlib.import_module(name)


def _commit(folder: Path) -> str:
    return _program("git", "-C", str(folder), "log", "-1", "--format=%h of %cs").strip()


def resolved(made: Export) -> list[dict[str, Any]]:
    """The storage actions as Subiquity hands them on to curtin: each match replaced by the disk that it found."""
    actions: list[dict[str, Any]] = yaml.safe_load(made.files[0].text)["autoinstall"]["storage"]["config"]
    disks = [action for action in actions if action["type"] == "disk"]
    for number, disk in enumerate(disks):
        disk["serial"] = disk.pop("match")[0]["serial"]
        disk["path"] = f"/dev/sd{chr(97 + number // 26)}{chr(97 + number % 26)}"
    return actions


def curtin_commands(folder: Path, made: Export) -> list[str]:
    """The commands that curtin's handlers start for an export; none of them runs."""
    block_meta, mdadm = _module(folder, "curtin.commands.block_meta"), _module(folder, "curtin.block.mdadm")
    util, mkfs, lvm = (_module(folder, f"curtin.{name}") for name in ("util", "block.mkfs", "block.lvm"))
    storage = _module(folder, "curtin.storage_config")
    ran: list[str] = []

    def record(argv: list[str], **_: Any) -> tuple[str, str]:
        ran.append(" ".join(argv))
        return ("target\n", "")

    def nothing(*_: Any, **__: Any) -> None: ...

    actions = resolved(made)
    ordered = storage.extract_storage_ordered_dict({"storage": {"version": 1, "config": actions}})
    ordered.version = 1
    context = block_meta.BlockMetaContext({
        "disk": block_meta.disk_handler, "raid": block_meta.raid_handler, "format": block_meta.format_handler,
        "lvm_volgroup": block_meta.lvm_volgroup_handler, "lvm_partition": block_meta.lvm_partition_handler,
        "mount": lambda info, config, _: ran.append(f"fstab: {block_meta.mount_data(info, config).options}"),
    })  # fmt: skip
    with (
        mock.patch.object(util, "subp", record),
        mock.patch.object(block_meta, "v1_get_path_to_disk", lambda disk: disk["path"]),
        mock.patch.object(block_meta, "devsync", nothing),
        mock.patch.object(block_meta, "make_dname", nothing),
        mock.patch.object(block_meta, "check_passed_path", nothing),
        mock.patch.object(block_meta.block, "wipe_volume", nothing),
        mock.patch.object(block_meta.clear_holders, "get_holders", lambda _: []),
        mock.patch.object(block_meta.iscsi, "volpath_is_iscsi", lambda _: False),
        mock.patch.object(util, "FlockEx", mock.MagicMock()),
        mock.patch.object(util, "load_command_environment", lambda **_: {"fstab": None}),
        mock.patch.object(mdadm, "get_holders", lambda _: []),
        mock.patch.object(mdadm, "zero_device", nothing),
        mock.patch.object(mdadm.udev, "udevadm_settle", nothing),
        mock.patch.object(lvm, "lvm_scan", nothing),
        mock.patch.object(mkfs.os.path, "exists", lambda _: True),
        mock.patch.object(mkfs.block, "get_blockdev_sector_size", lambda _: (512, 4096)),
        mock.patch.object(mkfs.distro, "lsb_release", lambda: {"codename": "noble"}),
    ):
        for action in ordered.values():
            context.handlers[action["type"]](action, ordered, context)
    return [line for line in ran if line.startswith(("mdadm", "vgcreate", "lvcreate", "mkfs", "fstab"))]


def disko_script(folder: Path, made: Export) -> str:
    """The script with which disko would create the devices."""
    with tempfile.NamedTemporaryFile("w", suffix=".nix") as file:
        file.write(made.files[0].text)
        file.flush()
        text = (
            f"let lib = import {folder}/nixlib/lib; disko = import {folder}/disko {{ inherit lib; }}; "
            f"in disko.create (import {file.name})"
        )
        return str(json.loads(_program("nix-instantiate", "--eval", "--strict", "--json", "-E", text)))


def checkers(folder: Path) -> Iterator[Checker]:
    """All that can be had."""
    import jsonschema  # type: ignore[import-untyped]  # of this check alone

    both: tuple[Way, ...] = ("native", "adopt")
    for syntax in SYNTAXES:
        yield Checker(
            "kickstart", both, f"pykickstart, syntax {syntax}", "3.78",
            partial(_kickstart, syntax),
        )  # fmt: skip
    curtin = folder / "curtin"
    validate = _module(curtin, "curtin.storage_config").validate_config
    yield Checker(
        "autoinstall", both, "curtin's validate_config", _commit(curtin),
        lambda made: validate({"version": 1, "config": resolved(made)}),
    )  # fmt: skip
    yield Checker(
        "autoinstall", ("native",), "curtin's storage handlers, programs recorded", _commit(curtin),
        lambda made: curtin_commands(curtin, made),
    )  # fmt: skip
    ignition = folder / "ignition" / "config/v3_3/schema/ignition.json"
    yield Checker(
        "ignition", both, "Ignition's JSON schema 3.3", _commit(folder / "ignition"),
        lambda made: jsonschema.validate(json.loads(made.files[0].text), json.loads(ignition.read_text())),
    )  # fmt: skip
    validator = str(folder / "ignition-validate")
    yield Checker(
        "ignition", both, "ignition-validate", "2.14.0 (Debian 12)",
        lambda made: _on_file(made, ".ign", validator),
    )  # fmt: skip
    yield Checker(
        "butane", both, "butane --strict", _commit(folder / "butane-source"),
        lambda made: _on_file(made, ".bu", str(folder / "butane"), "--strict"),
    )  # fmt: skip
    nix = _program("nix-instantiate", "--version").strip().rpartition(" ")[2]
    yield Checker(
        "disko", both, "nix-instantiate --parse", nix,
        lambda made: _on_file(made, ".nix", "nix-instantiate", "--parse"),
    )  # fmt: skip
    yield Checker(
        "disko", ("native",), "disko's modules, evaluated to its script", _commit(folder / "disko"),
        lambda made: disko_script(folder, made),
    )  # fmt: skip
    role = yaml.safe_load((folder / "storage" / "defaults/main.yml").read_text())
    yield Checker(
        "linux-system-roles", both, "variables of the role's defaults", _commit(folder / "storage"),
        lambda made: _variables(made, role),
    )  # fmt: skip
    systemd = _program("systemd-analyze", "--version").split()[1]
    yield Checker("systemd", both, "systemd-analyze verify", systemd, _units)
    yield Checker("systemd", ("native",), "systemd-repart --dry-run on a file", systemd, _repart)


def _kickstart(syntax: str, made: Export) -> None:
    kickstart(made.files[0].text, syntax)


def _variables(made: Export, role: dict[str, Any]) -> None:
    document = yaml.safe_load(made.files[0].text)
    pools = document.get("storage_pools", [])
    volumes = [*document.get("storage_volumes", []), *(volume for pool in pools for volume in pool["volumes"])]
    unknown = {key for volume in volumes for key in volume} - role["storage_volume_defaults"].keys() - {"name"}
    unknown |= {key for pool in pools for key in pool} - role["storage_pool_defaults"].keys() - {"name"}
    unknown |= document.keys() - role.keys() - {"storage_pools", "storage_volumes"}
    if unknown:
        raise ValueError(f"the role does not know {sorted(unknown)}")


def _units(made: Export) -> None:
    with tempfile.TemporaryDirectory() as place:
        for file in made.files:
            if file.name.endswith(".mount"):
                unit = Path(place) / file.name.rpartition("/")[2]
                unit.write_text(file.text)
                argv = ("systemd-analyze", "verify", "--man=no", str(unit))
                done = subprocess.run(argv, capture_output=True, text=True, check=False)
                if done.returncode or done.stderr:  # an unknown key is a warning to it
                    raise ValueError(done.stderr)


def _repart(made: Export) -> None:
    definitions = [file for file in made.files if file.name.startswith("repart.d/")]
    for file in definitions:
        size = next(line for line in file.text.splitlines() if line.startswith("SizeMinBytes=")).partition("=")[2]
        with tempfile.TemporaryDirectory() as place:
            (Path(place) / "50-member.conf").write_text(file.text)
            disk = Path(place) / "disk.img"
            with disk.open("wb") as image:
                image.truncate(int(size) + 4 * 1024 * 1024)
            answer = _program(
                "systemd-repart", "--dry-run=yes", "--empty=force", f"--definitions={place}", "--json=short", str(disk)
            )
            if json.loads(answer)[0]["raw_size"] != int(size):
                raise ValueError(answer)


BROKEN: dict[ExportFormat, tuple[str, str]] = {
    "kickstart": ("--level=", "--lvl="), "autoinstall": ('"raidlevel"', '"raidlvl"'),
    "butane": ('"level": "raid', '"level": "rad'), "ignition": ('"options": [', '"options": [7, '),
    "disko": ('"mdadm";', '"mdadm" {;'), "linux-system-roles": ('"raid_level"', '"raid_lvl"'),
    "systemd": ("Where=", "Wer="),
}  # fmt: skip
"""an error in each format, which its parsers must find"""


def finds_errors(checker: Checker, plan: Plan) -> bool:
    """True if the checker refuses an export of `plan` with an error in it."""
    made = export(plan, checker.format, "native", None)
    old, new = ("SizeMinBytes=", "SizeMinBytes=x") if "repart" in checker.what else BROKEN[checker.format]
    assert any(old in file.text for file in made.files), checker
    files = tuple(replace(file, text=file.text.replace(old, new)) for file in made.files)
    try:
        checker.check(replace(made, files=files))
    except Exception:  # whatever the installer raises
        return True
    return False


def document(folder: Path) -> str:
    """CHECKED.md."""
    rows = []
    made = list(plans())
    partitioned = [plan_of("(4+2)+1", partitions=_partitions()), plan_of("raid1(2)", partitions=_partitions())]
    for each in checkers(folder):
        passed = refused = 0
        kinds = partitioned if "repart" in each.what or "mount" in each.what else made
        for plan in (*kinds, *(partitioned if kinds is made and "handlers" not in each.what else ())):
            for way in each.ways:
                try:
                    exported = export(plan, each.format, way, None)
                except Refused:
                    refused += 1
                    continue
                each.check(exported)
                passed += 1
        error = "refused" if finds_errors(each, partitioned[1]) else "NOT SEEN"
        rows.append(f"| {each.format} | {each.what} | {each.version} | {passed} | {refused} | {error} |")
        print(rows[-1], flush=True)
    commands = "\n".join(curtin_commands(folder / "curtin", reference_export("autoinstall", "native")))
    script = disko_script(folder, reference_export("disko", "native"))
    built = "\n".join(line.strip() for line in script.splitlines() if "--chunk" in line or "--stripes" in line)
    return HEAD + "\n".join(rows) + f"\n\n{CURTIN}\n```text\n{commands}\n```\n\n{DISKO}\n```text\n{built}\n```\n"


def _partitions() -> Any:
    from raidtui.values.design import Partitions  # beside its use

    return Partitions()


HEAD = """\
# Exports held against the installers' own code

Written by `python -m tests.real_installers FOLDER`. Each row: that many exports were read, all without an error; plans
that the installer cannot build are refused by `raidtui export` itself; and an error put into an export on purpose.

| format | read by | version | exports read | plans refused | an export with an error |
| --- | --- | --- | --- | --- | --- |
"""
CURTIN = """\
## What curtin would run for the golden of autoinstall

Its storage handlers ran with every program replaced by a recorder. The losses are there to see: no chunk, no bitmap,
no UUID, with --run, and a logical volume without stripes.
"""
DISKO = """\
## What disko would run for the golden of disko

Lines of the script that its modules evaluate to: the options of the plan reach mdadm and lvcreate.
"""


if __name__ == "__main__":
    TARGET.write_text(document(Path(sys.argv[1]).resolve()), "utf-8")
