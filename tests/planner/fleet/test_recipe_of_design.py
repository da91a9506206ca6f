"""A design as a recipe: the same design comes back, and what it cannot hold is said."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.fleet.recipe import DesignRecipe, decision_of, read_recipe, recipe_of_design, recipe_toml, usable_disks
from raidtui.machine.inventory import shipped
from raidtui.values.assumptions import Assumptions
from raidtui.values.decision import Decision
from raidtui.values.design import (
    Alert,
    Design,
    Encryption,
    Ext4Options,
    FileSystemOptions,
    MountOption,
    Partitions,
    XfsOptions,
)
from raidtui.values.errors import Refused
from raidtui.values.inventory import Inventory, Lun
from raidtui.values.notation import DecimalSize, Share, parse
from tests.planner.fleet.hosts import rack, with_files
from tests.properties.layouts import any_layouts

HOST = rack(1)["node1"]
XFS = FileSystemOptions(xfs=XfsOptions(rmapbt=True), mount=(MountOption(name="pquota"),))
EXT4 = FileSystemOptions(ext4=Ext4Options(reserved_percent=1.0, quotas=("user",)))


def made(design: Design, host: Inventory = HOST, **more: Any) -> DesignRecipe:
    disks = more.pop("disks", host.free)
    return recipe_of_design(Decision(design=design, **more), host, disks, initramfs="debian")


SIZES = st.none() | st.integers(1, 10**9)


@given(
    st.builds(
        Design,
        layout=any_layouts(),
        chunk_bytes=st.integers(2, 2**14).map(lambda count: count * 4096),
        metadata=st.sampled_from(("1.2", "1.0")),
        bitmap=st.sampled_from(("auto", "internal", "none")),
        bitmap_chunk_bytes=SIZES,
        data_offset_bytes=SIZES,
        member_bytes=SIZES,
        stack=st.sampled_from(("lvm", "md", "separate")),
        partitions=st.none() | st.builds(Partitions, size_bytes=SIZES),
        read_ahead_bytes=SIZES,
        io_scheduler=st.none() | st.just("bfq"),
        queue_depth=st.none() | st.integers(1, 32),
        first_sync=st.none() | st.just("zeroes"),
    ),
    st.sampled_from([("xfs", None), ("xfs", XFS), ("ext4", EXT4), ("none", None)]),
)
def test_the_design_comes_back(design: Design, formatted: Any) -> None:
    design = replace(design, fs=formatted[0], fs_options=formatted[1])
    recipe = read_recipe(recipe_toml(made(design).recipe).encode(), source="x")
    assert recipe.layout is not None
    assert decision_of(recipe, recipe.layout.layout).design == design


def test_names_alerts_and_assumptions_come_back() -> None:
    said = replace(Assumptions(), afr=0.02, correlation=5.0, monitor=False)
    alert = Alert(mail="storage@example.org")
    recipe = made(
        Design(layout=parse("(3+1)")), plan_name="scratch", mount_point="/mnt/fast", alert=alert, assumptions=said,
        spread=False, initramfs="dracut",
    ).recipe  # fmt: skip
    back = decision_of(recipe, parse("(3+1)"), HOST.free)
    assert (back.plan_name, back.mount_point, back.alert) == ("scratch", "/mnt/fast", alert)
    assert back.assumptions == said
    assert recipe.assumptions is not None
    assert recipe.assumptions.afr == Share(0.02)
    assert (recipe.spread, recipe.initramfs) == (False, "dracut")


def test_disks_of_another_size_are_left_out_by_a_rule() -> None:
    small = replace(HOST.disks[0], size_bytes=500_107_862_016)
    host = replace(HOST, disks=(small, *HOST.disks[1:]))
    found = made(Design(layout=parse("(2+1)")), host, disks=host.disks[1:])
    assert found.recipe.disks is not None
    assert found.recipe.disks.at_least == DecimalSize(3_960_778_588_160)
    assert found.lost == ()
    assert usable_disks(found.recipe, host) == host.disks[1:]


def test_disks_that_no_rule_tells_apart_are_said() -> None:
    found = made(Design(layout=parse("(2+1)")), disks=HOST.disks[1:])
    assert found.recipe.disks is None
    assert found.lost == ("1 disk left out one by one: a recipe names no disk",)
    held = with_files(0)(HOST)
    assert made(Design(layout=parse("(3+1)")), held, disks=held.disks).lost == (
        "1 disk with content: a recipe uses free disks only",
    )


def test_luns_of_one_geometry() -> None:
    lun = Lun(data=12, parity=2, chunk_bytes=262_144, drive_bytes_per_s=130_000_000)
    disks = tuple(replace(disk, lun=lun) for disk in shipped.load("e2660-luns").disks)
    design = Design(layout=parse("4x disk"))
    recipe = made(design, disks=disks).recipe
    assert recipe.lun == "12+2,256KiB,130MB/s"
    read_recipe(recipe_toml(recipe).encode(), source="x")
    with pytest.raises(Refused, match="the LUNs differ in geometry"):
        made(design, disks=(replace(disks[0], lun=None), *disks[1:]))


@pytest.mark.parametrize("encryption", [Encryption(), Encryption(key_file="/etc/keys/data.key", passphrase=True)])
def test_a_recipe_has_no_passphrase(encryption: Encryption) -> None:
    with pytest.raises(Refused, match="a recipe has no passphrase: no person types one on each host"):
        made(Design(layout=parse("(2+1)"), encryption=encryption))
