"""What each format loses, and the figures of it, with expected values written by hand from the installers' sources."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from raidtui.installers.autoinstall import matches
from raidtui.installers.consequences import change_text, lost_text, plan_disks
from raidtui.installers.exported import Attribute, Carriage, Export
from raidtui.installers.plan_view import MemberView
from raidtui.installers.render import export
from raidtui.predict.design import assess, predict
from raidtui.values.choices import EXPORT_FORMATS, ExportFormat
from raidtui.values.design import Encryption, Partitions
from raidtui.values.errors import Refused
from raidtui.values.plan import Plan
from raidtui.values.target import TargetVersions
from raidtui.values.units import GIB
from tests.planner.export.installers.reference import CHUNK, MIRROR, RAID6, RAID60, pool_of, reference_plan
from tests.planner.plans import disk, disks, machine, plan_of


def fates(made: Export) -> dict[Carriage, set[Attribute]]:
    return {
        kind: {each.attribute for each in made.attributes if each.carriage == kind}
        for kind in ("carried", "default", "lost", "unused")
    }


def lost(made: Export, attribute: Attribute) -> str:
    (found,) = (each for each in made.attributes if each.attribute == attribute and each.carriage == "lost")
    return lost_text(found)


BY_RUN: tuple[ExportFormat, ...] = ("kickstart", "autoinstall", "linux-system-roles")
STATED: tuple[ExportFormat, ...] = ("kickstart", "autoinstall", "linux-system-roles")
BY_OPTIONS: tuple[ExportFormat, ...] = ("butane", "ignition", "disko")
LOST: dict[ExportFormat, set[Attribute]] = {
    "kickstart": {"member device", "array UUID", "tuning", "content check"},
    "autoinstall": {"chunk", "bitmap", "array UUID", "mkfs options", "alert", "tuning", "content check"},
    "butane": {"content check"},
    "ignition": {"content check"},
    "disko": {"spares", "content check"},
    "linux-system-roles": {"array UUID", "alert", "tuning"},
}  # fmt: skip


@pytest.mark.parametrize("name", LOST)
def test_what_one_array_loses(name: ExportFormat) -> None:
    assert fates(export(reference_plan(RAID6), name, "native", None))["lost"] == LOST[name]


def test_values_that_are_the_installer_s_own_are_not_lost() -> None:
    plan = plan_of(RAID6, bitmap="none")
    found = fates(export(plan, "autoinstall", "native", None))
    assert {"chunk", "bitmap", "layout"} <= found["default"]


@pytest.mark.parametrize(
    ("mdadm", "carriage"), [("4.2", "default"), ("4.3", "default"), ("4.4", "lost"), ("4.6", "lost"), (None, "lost")]
)
def test_mdadm_from_4_4_on_makes_no_bitmap_with_run(mdadm: str | None, carriage: Carriage) -> None:
    plan = plan_of("(4+2)", target=TargetVersions(mdadm=mdadm))
    made = export(plan, "autoinstall", "native", None)
    assert next(each.carriage for each in made.attributes if each.attribute == "bitmap") == carriage


@pytest.mark.parametrize(
    ("name", "size", "carriage"),
    [
        ("kickstart", None, "carried"),
        ("kickstart", 1000 * GIB, "carried"),
        ("linux-system-roles", None, "carried"),
        ("linux-system-roles", 1000 * GIB, "lost"),
        ("autoinstall", 1000 * GIB, "carried"),
        ("ignition", 1000 * GIB, "carried"),
    ],
)
def test_members_on_partitions(name: ExportFormat, size: int | None, carriage: Carriage) -> None:
    made = export(plan_of("(4+2)", partitions=Partitions(size_bytes=size)), name, "native", None)
    assert next(each.carriage for each in made.attributes if each.attribute == "member device") == carriage


def test_arrays_that_an_installer_makes_have_their_first_sync() -> None:
    plan = plan_of("(4+2)", found=disks(6, write_zeroes_max_bytes=GIB), first_sync="zeroes")
    for name in (*BY_RUN, *BY_OPTIONS):
        made = export(plan, name, "native", None)
        assert lost(made, "first sync").startswith(
            "first sync (none, zeroes on all members) becomes md's own, for hours. No installer zeroes the members"
        ), name
        assert "assume-clean" not in made.files[0].text
    assert "first sync" in fates(export(plan, "kickstart", "adopt", None))["carried"]


def test_ppl_is_never_taken_for_carried() -> None:
    plan = plan_of("raid5(3+1)", ppl=True)
    for name in BY_RUN:
        assert "bitmap (PPL) becomes" in lost(export(plan, name, "native", None), "bitmap")
    for name in BY_OPTIONS:
        assert "--consistency-policy=ppl" in export(plan, name, "native", None).files[0].text


def test_far_copies_become_near_ones() -> None:
    plan = plan_of("raid10(4,f2)")
    made = export(plan, "kickstart", "native", pool_of(plan))
    assert lost(made, "layout").startswith("layout (f2) becomes n2: sequential write ")
    assert "--layout=f2" in export(plan, "disko", "native", None).files[0].text
    assert "member order" in fates(export(plan, "autoinstall", "native", None))["lost"]


@pytest.mark.parametrize("name", EXPORT_FORMATS)
def test_an_adoption_loses_nothing_of_the_arrays(name: ExportFormat) -> None:
    found = fates(export(reference_plan(RAID60), name, "adopt", None))
    assert found["lost"] <= {"alert", "tuning", "spare group"}


def test_figures_are_those_of_the_model() -> None:
    plan = reference_plan(RAID60)
    pool = pool_of(plan)
    made = export(plan, "autoinstall", "native", pool)
    figures = {each.attribute: {one.figure: one for one in each.figures} for each in made.attributes}

    def full(layout: str, count: int) -> tuple[float, float]:
        asked = plan_of(layout, chunk_bytes=CHUNK).design
        found = disks(count)
        prediction = assess(asked, found, predict(asked, found), machine(*found), pool.assumptions, spread=False)
        assert prediction.throughput is not None and prediction.durability is not None
        rebuild = prediction.durability.rebuild
        assert rebuild is not None
        return prediction.throughput.seq_write.bytes_per_s, rebuild.idle_hours

    both, one = full(RAID60, 13), full("(4+2)", 6)
    write = figures["volume"]["sequential write"]
    assert (write.planned, write.built) == (both[0], one[0])
    resync = figures["bitmap"]["full resync after a power cut"]
    assert (resync.planned, resync.built) == (0, both[1])
    assert change_text(resync).startswith("full resync after a power cut none -> ")
    assert (
        figures["spare group"]["data loss by disks within a year"].built
        > figures["spare group"]["data loss by disks within a year"].planned
    )


def test_without_the_disks_there_are_no_figures() -> None:
    plan = reference_plan(RAID60)
    assert not any(each.modelled or each.figures for each in export(plan, "autoinstall", "native", None).attributes)
    assert plan_disks(plan, machine(*disks(12))) is None
    assert plan_disks(plan, machine(*disks(20))) == disks(13)


@pytest.mark.parametrize(
    ("layout", "options", "name", "reason"),
    [
        ("raid4(3+1)", {}, "autoinstall", "it has no raid4"),
        (RAID60, {}, "ignition", "it has no volume over several arrays"),
        ("2x(4+2)", {"stack": "md"}, "butane", "it has no array over arrays"),
        ("2x(4+2)", {"stack": "md"}, "kickstart", "a raid command takes partitions as members, no arrays"),
        ("(4+2)", {"fs": "none"}, "kickstart", "it makes a file system on every array"),
        ("(4+2)", {"metadata": "0.90"}, "disko", "its mdadm type has no metadata 0.90"),
        *(
            ("raid1(2)", {"partitions": Partitions(leave_bytes=2 * GIB)}, name, "it puts no partition at 2049 MiB")
            for name in ("kickstart", "autoinstall", "linux-system-roles", "systemd")
        ),
    ],
)
def test_an_installer_that_would_build_something_else_is_refused(
    layout: str, options: dict[str, Any], name: ExportFormat, reason: str
) -> None:
    with pytest.raises(Refused) as refused:
        export(plan_of(layout, **options), name, "native", None)
    assert reason in str(refused.value)


def changed(plan: Plan, **fields: str) -> Plan:
    """`plan` whose first disk differs."""
    return replace(plan, disks=(replace(plan.disks[0], **fields), *plan.disks[1:]))  # type: ignore[arg-type]


@pytest.mark.parametrize("path", ["/dev/disk/by-path/pci-0000:00:1f.2-ata-1", "/dev/sda", "/dev/disk/by-id/a b"])
def test_a_disk_without_a_stable_identity_is_refused(path: str) -> None:
    plan = changed(reference_plan(MIRROR), path=path)
    for name in EXPORT_FORMATS:
        with pytest.raises(Refused, match="no stable identity for an installer"):
            export(plan, name, "native", None)


def test_disks_that_an_installer_could_mix_up_are_refused() -> None:
    plan = reference_plan(MIRROR)
    with pytest.raises(Refused, match="two disks of the plan have the WWN '0x5000c50000000002'"):
        export(changed(plan, wwn="0x5000c50000000002"), "autoinstall", "native", None)
    with pytest.raises(Refused, match="two disks of the plan have the path"):
        export(changed(plan, path=plan.disks[1].path), "kickstart", "native", None)


def test_a_name_that_all_disks_report_is_no_match() -> None:
    one = replace(reference_plan(MIRROR).disks[0], wwn="0x5000000000000001", serial="WD-WX01")
    own = replace(one, id="wwn-0x5000000000000001")
    assert [matches(MemberView(disk=each, path=each.path)) for each in (own, replace(one, id="M_WD-WX01"))] == [
        [{"serial": "35000000000000001"}, {"serial": "*_WD-WX01"}, {"serial": "*_WD-WX01_1"}],
        [{"serial": "*_WD-WX01"}, {"serial": "*_WD-WX01_1"}],
    ]


def test_a_serial_number_too_short_to_tell_disks_apart_is_no_match() -> None:
    plan = replace(
        reference_plan(MIRROR),
        disks=tuple(replace(each, wwn=None, serial=str(n)) for n, each in enumerate(reference_plan(MIRROR).disks)),
    )
    with pytest.raises(Refused, match="has no serial number by which Subiquity could tell it from others"):
        export(plan, "autoinstall", "native", None)


def test_a_hybrid_layout_is_refused() -> None:
    found = (disk(1), disk(2), disk(3, size=4_000_787_030_016))
    with pytest.raises(Refused, match="no hybrid layouts"):
        export(plan_of("hybrid(3)", found), "kickstart", "native", None)


@pytest.mark.parametrize("way", ["native", "adopt"])
def test_an_encrypted_plan_is_refused(way: Any) -> None:
    plan = plan_of("(2+1)", encryption=Encryption(key_file="/etc/keys/data.key"))
    with pytest.raises(Refused, match="installers would get no key file"):
        export(plan, "kickstart", way, None)
