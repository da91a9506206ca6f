"""Every format is read back by a real parser, or held against its published grammar, over random plans."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import unquote

import yaml
from hypothesis import given
from hypothesis import strategies as st
from pykickstart.parser import KickstartParser
from pykickstart.version import makeVersion

from raidtui.installers.exported import Export, Way
from raidtui.installers.render import export
from raidtui.values.choices import EXPORT_FORMATS, ExportFormat
from raidtui.values.design import Partitions
from raidtui.values.errors import Refused
from raidtui.values.plan import Plan
from raidtui.values.units import GIB
from tests.planner.export.installers import published
from tests.planner.export.installers.reference import CASES, MIRROR, RAID60, reference_export, reference_plan
from tests.planner.plans import plan_of
from tests.regenerate_exports import TOPIC, golden_path, golden_text, topic
from tests.suite import examples

SYNTAXES = ("RHEL8", "RHEL9", "RHEL10", "F42")
LAYOUTS = (
    "raid0(3)", "raid1(2)", "raid1(3)+1", "raid4(3+1)", "raid5(3+1)+2", "(4+2)+1", "raid10(4)+1", "raid10(5,f2)",
    "raid10(4,o2)", "2x(4+2)+1", "3x raid1(2)+1", "2x(4+2)+1x(3+2)",
)  # fmt: skip


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Plans of every kind that exports know."""
    layout = draw(st.sampled_from(LAYOUTS))
    level5 = layout.startswith("raid5")
    ppl = level5 and draw(st.booleans())
    stack = draw(st.sampled_from(("lvm", "md", "separate")))
    return plan_of(
        layout,
        chunk_bytes=draw(st.sampled_from((64, 256, 512))) * 1024,
        stack=stack,
        fs=draw(st.sampled_from(("xfs", "ext4", "none"))),
        metadata="1.2" if stack == "md" or ppl else draw(st.sampled_from(("1.2", "1.0"))),
        bitmap="auto" if ppl or layout.startswith("raid0") else draw(st.sampled_from(("auto", "none", "internal"))),
        ppl=ppl,
        partitions=draw(st.sampled_from((None, Partitions()))),
    )


def kickstart(text: str, syntax: str = "RHEL9") -> Any:
    """The commands that pykickstart understands."""
    handler = makeVersion(syntax)
    KickstartParser(handler).readKickstartFromString(text)
    return handler


def read(made: Export) -> Any:
    """The document of an export, read and checked."""
    text = made.files[0].text
    match made.format:
        case "kickstart":
            return kickstart(text)
        case "autoinstall":
            document = yaml.safe_load(text)["autoinstall"]
            published.check_curtin(document["storage"]["config"])
            return document
        case "butane":
            return yaml.safe_load(text)
        case "ignition":
            document = json.loads(text)
            published.check_ignition(document)
            return document
        case "linux-system-roles":
            document = yaml.safe_load(text)
            published.check_role(document)
            return document
        case _:
            return text


@given(plans(), st.sampled_from(EXPORT_FORMATS), st.sampled_from(("native", "adopt")))
@examples(40)
def test_every_export_of_every_plan_is_read_back(plan: Plan, name: ExportFormat, way: Way) -> None:
    try:
        made = export(plan, name, way, None)
    except Refused as refused:
        assert "cannot" in str(refused)
        return
    read(made)
    assert sum(made.count(each) for each in ("carried", "default", "lost", "unused")) == len(made.attributes) == 22


def test_pykickstart_reads_the_commands_of_every_release() -> None:
    plan = reference_plan(RAID60)
    for syntax in SYNTAXES:
        for way in ("native", "adopt"):
            found = kickstart(export(plan, "kickstart", way, None).files[0].text, syntax)
            assert len(found.logvol.lvList) == 1


def test_anaconda_gets_the_values_of_the_plan() -> None:
    plan = reference_plan("(4+2)+1")
    found = kickstart(export(plan, "kickstart", "native", None).files[0].text)
    (raid,) = found.raid.raidList
    assert (raid.device, raid.level, raid.spares, raid.chunk_size) == ("data", "RAID6", 1, 256)
    assert (raid.mountpoint, raid.fstype) == ("/srv/data", "xfs")
    assert raid.fsopts == "noatime,nofail,x-systemd.device-timeout=5min"
    assert f"-m uuid={plan.filesystems[0].uuid},rmapbt=0,reflink=1" in raid.mkfsopts
    assert "su=262144,sw=4" in raid.mkfsopts
    assert [part.disk for part in found.partition.partitions] == [
        f"disk/by-id/wwn-0x5000c500{number:08x}" for number in range(1, 8)
    ]
    assert found.clearpart.drives == [part.disk for part in found.partition.partitions]
    assert raid.members == [part.mountpoint for part in found.partition.partitions]


def test_an_adoption_formats_nothing() -> None:
    found = kickstart(reference_export("kickstart", "adopt").files[0].text)
    (volume,) = found.logvol.lvList
    assert volume.preexist and not volume.format and volume.mountpoint == "/srv/data"
    assert not found.partition.partitions and not found.raid.raidList and found.clearpart.type is None
    actions = read(reference_export("autoinstall", "adopt"))["storage"]["config"]
    assert all(action["preserve"] is True for action in actions if action["type"] != "mount")
    assert not any("wipe" in action for action in actions)
    for name in ("butane", "ignition"):
        assert read(reference_export(name, "adopt"))["storage"].keys() == {"files"}
    role = read(reference_export("linux-system-roles", "adopt"))
    assert role["storage_volumes"][0]["type"] == "disk" and "raid_level" not in role["storage_volumes"][0]


def test_a_disk_is_never_matched_by_less_than_its_serial_number() -> None:
    actions = read(reference_export("autoinstall", "native"))["storage"]["config"]
    disks = [action for action in actions if action["type"] == "disk"]
    assert disks[0]["match"] == [{"serial": "35000c50000000001"}, {"serial": "*_S001"}, {"serial": "*_S001_1"}]
    assert len({json.dumps(disk["match"]) for disk in disks}) == 13


def test_ignition_gets_mdadm_s_own_options_and_the_system_s_files() -> None:
    document = read(reference_export("ignition", "native"))
    (raid,) = document["storage"]["raid"]
    assert (raid["name"], raid["level"], raid["spares"], len(raid["devices"])) == ("data", "raid6", 1, 7)
    assert raid["options"] == [
        "--metadata=1.2", "--uuid=42dbae94:1561526f:8ca5d025:9d816dee", "--layout=left-symmetric", "--chunk=256K",
        "--size=1953382400", "--bitmap=internal",
    ]  # fmt: skip
    files = {file["path"]: unquote(file["contents"]["source"].removeprefix("data:,")) for file in
             document["storage"]["files"]}  # fmt: skip
    assert files["/etc/mdadm.conf"].startswith("ARRAY /dev/md/data metadata=1.2 UUID=42dbae94:1561526f:8ca5d025")
    assert "read_ahead_kb" in files["/etc/udev/rules.d/90-raidtui-data.rules"]
    assert [unit["name"] for unit in document["systemd"]["units"]] == ["srv-data.mount", "mdmonitor.service"]


def test_ignition_and_butane_get_the_place_and_size_of_a_partition_in_mib() -> None:
    plan = plan_of(MIRROR, partitions=Partitions(size_bytes=1000 * GIB))
    keys: dict[ExportFormat, tuple[str, str]] = {
        "ignition": ("startMiB", "sizeMiB"), "butane": ("start_mib", "size_mib"),
    }  # fmt: skip
    for name, (start, size) in keys.items():
        for disk in read(export(plan, name, "native", None))["storage"]["disks"]:
            (partition,) = disk["partitions"]
            assert (partition[start], partition[size]) == (1, 1_024_000)
    left = plan_of(MIRROR, partitions=Partitions(size_bytes=1000 * GIB, leave_bytes=2 * GIB))
    for name, (start, size) in keys.items():
        for disk in read(export(left, name, "native", None))["storage"]["disks"]:
            (partition,) = disk["partitions"]
            assert (partition[start], partition[size]) == (2049, 1_024_000)
    assert 'start = "2049M";' in export(left, "disko", "native", None).files[0].text


def test_goldens_are_what_is_exported() -> None:
    for name, way in CASES:
        assert golden_path(name, way).read_text("utf-8") == golden_text(name, way), (name, way)


def test_the_topic_s_tables_are_those_of_today() -> None:
    assert TOPIC.read_text("utf-8") == topic()
