"""`raidtui model`: sizes, speed and risk of a layout, and which assumptions it takes."""

import pytest

from raidtui.cli import main
from raidtui.values.errors import Exit
from tests.cli.commands import document

FIELD = ("--inventory", "e2660")


def test_model_answers_what_the_outside_relies_on(capsys: pytest.CaptureFixture[str]) -> None:
    said = document(capsys, "model", "4x(12+2)+4", "--chunk", "256K", "--disks", "60x2000398934016")
    assert said["layout"] == "4x(12+2)+4"
    assert len(said["arrays"]) == 4
    first = said["arrays"][0]
    assert {name: first[name] for name in first if name not in ("md_layout", "read_ahead_kib")} == {
        "level": "raid6",
        "members": 14,
        "spares": 1,
        "chunk_bytes": 262144,
        "data_offset_sectors": 264192,
        "component_bytes": 2000263577600,
        "array_bytes": 24003162931200,
        "io_min_bytes": 262144,
        "io_opt_bytes": 3145728,
        "full_stripe_bytes": 3145728,
        "bitmap_chunk_bytes": 67108864,
    }
    assert said["volume_bytes"] == 187524685824 * 512
    xfs = said["filesystem"]
    assert (xfs["type"], xfs["blocks"], xfs["block_bytes"]) == ("xfs", 23440585728, 4096)
    assert (xfs["sunit_blocks"], xfs["swidth_blocks"]) == (64, 3072)
    assert (xfs["agcount"], xfs["agsize_blocks"], xfs["log_blocks"]) == (88, 268435392, 521728)
    assert xfs["total_bytes"] == 23440064000 * 4096
    assert xfs["available_bytes"] == 23276627604 * 4096


def test_a_stated_workload_is_answered(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("--ask", "read,streams=8,size=128K,depth=1", "--ask", "read")
    said = document(capsys, "model", "4x(12+2)+4", "--chunk", "256K", "--disks", "60x2000398934016", *asked)
    first, second = said["asked"]
    assert first["ask"] == {"kind": "read", "random": False, "streams": 8, "size_bytes": 131072, "depth": 1}
    assert (first["bottleneck"], first["touches"]) == (
        "program",
        "1 chunk (128 KiB of 256 KiB) of one array: 1 of 14 members",
    )
    assert first["low"] < first["bytes_per_s"] < first["high"]
    assert first["evidence"] == "no published measurement of md has these streams, size and depth"
    assert second["bytes_per_s"] == said["throughput"]["seq_read"]["bytes_per_s"]


def test_the_text_says_what_a_stated_workload_uses(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "(6+2)", "--disks", "8x4TB", "--ask", "read,random,streams=8,size=4K"]) == Exit.DONE
    said = capsys.readouterr().out
    assert "asked: random read, 8 streams, 4 KiB\n" in said
    assert "  a request uses 1 chunk (4 KiB of 512 KiB) of one array: 1 of 8 members\n" in said
    assert "  held against: 85 rows of one RAID5 of eight disks" in said


def test_small_random_writes_to_parity_are_a_range_alone(capsys: pytest.CaptureFixture[str]) -> None:
    """Two sources of such writes contradict each other by a factor of seven."""
    assert main(["model", "(6+2)", "--disks", "8x4TB", "--ask", "write,random,streams=8,size=4K"]) == Exit.DONE
    said = capsys.readouterr().out
    assert "  not predicted, somewhere from 67.0 to 810 kB/s: raidtui bench measures it\n" in said
    assert "14 of one RAID6 of ten, which gave a fifth" in said


def test_an_invalid_workload_names_the_option_and_the_word(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "(6+2)", "--disks", "8x4TB", "--ask", "read,queue=8"]) == Exit.USAGE
    assert "--ask: invalid word 'queue=8'" in capsys.readouterr().err


def test_ext4_says_stride_and_stripe_width(capsys: pytest.CaptureFixture[str]) -> None:
    said = document(capsys, "model", "(3+1)", "--inventory", "nas4", "--fs", "ext4")
    assert said["filesystem"]["type"] == "ext4"
    assert (said["filesystem"]["stride_blocks"], said["filesystem"]["stripe_width_blocks"]) == (128, 384)


def test_the_nas_in_the_field_had_chunks_of_64k_once(capsys: pytest.CaptureFixture[str]) -> None:
    said = document(capsys, "model", "(3+1)", "--inventory", "nas4", "--chunk", "64K")
    assert said["arrays"][0]["array_bytes"] == 11603447232 * 1024


def test_a_refused_layout_still_answers(capsys: pytest.CaptureFixture[str]) -> None:
    said = document(capsys, "model", "(12+2)", "--disks", "3x2TB", code=1)
    assert [finding["code"] for finding in said["findings"] if finding["severity"] == "error"] == ["not-enough-disks"]
    assert all(finding["way_out"] for finding in said["findings"])


def test_a_model_has_throughput_and_durability(capsys: pytest.CaptureFixture[str]) -> None:
    model = document(capsys, "model", "4x(12+2)+4", *FIELD, "--chunk", "256K")
    speed, risk = model["throughput"], model["durability"]
    assert {"seq_read", "seq_read_one_stream", "seq_write", "rand_read", "rand_write"} <= set(speed)
    assert {"bytes_per_s", "low", "high", "bottleneck", "ceilings"} <= set(speed["seq_read"])
    assert {"iops", "low", "high"} <= set(speed["rand_write"])
    assert speed["seq_read"]["ceilings"]["members"] == 6_240_000_000
    assert {"annual_array_loss_probability", "annual_sector_loss_probability", "mttdl_hours"} <= set(risk)
    assert 5.8 < risk["rebuild_hours"] / 2 < 5.9


def test_what_is_said_of_disks_and_links_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    said = ("--disk-speed", "94MB/s", "--disk-iops", "120", "--link-ceiling", "750MB/s")
    speed = document(capsys, "model", "raid0(8)", "--disks", "8x2TB", *said)["throughput"]
    assert speed["disk"]["source"] == "said"
    assert (speed["seq_read"]["ceilings"]["members"], speed["seq_read"]["ceilings"]["stated link"]) == (
        752_000_000,
        750_000_000,
    )
    assert speed["seq_read"]["bottleneck"] == "stated link"
    assert speed["rand_read"]["ceilings"]["members"] == 960


def test_more_failures_mean_more_loss(capsys: pytest.CaptureFixture[str]) -> None:
    layout = ("model", "4x(12+2)+4", *FIELD)
    usual = document(capsys, *layout)["durability"]["any_loss_1y"]
    assert document(capsys, *layout, "--afr", "4%")["durability"]["any_loss_1y"] > usual
    assert document(capsys, *layout, "--restock-days", "365")["durability"]["any_loss_1y"] > usual
    assert document(capsys, *layout, "--no-monitor")["durability"]["spares_counted"] == 1


def test_spread_takes_the_disks_so_that_an_expander_may_go(capsys: pytest.CaptureFixture[str]) -> None:
    placed = document(capsys, "model", "4x(12+2)+4", *FIELD)["placement"]["certificates"]
    assert {each["verdict"] for each in placed if each["kind"] == "expander"} == {"degraded"}
    as_they_come = document(capsys, "model", "4x(12+2)+4", *FIELD, "--no-spread")["placement"]["certificates"]
    assert "lost" in {each["verdict"] for each in as_they_come if each["kind"] == "expander"}


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--afr", "often", "--afr: invalid share 'often'"),
        ("--afr", "80%", "--afr: 0.8 is out of range: 0.0001 to 0.5"),
        ("--disk-speed", "fast", "--disk-speed: invalid rate 'fast'"),
        ("--restock-days", "0", "--restock-days: 0 is out of range: 0.04 to 3650"),
        ("--ure", "1", "--ure: 1.0 is out of range: 1e-20 to 1e-12"),
    ],
)
def test_what_cannot_be_is_named(capsys: pytest.CaptureFixture[str], option: str, value: str, message: str) -> None:
    assert main(["model", "(3+1)", "--disks", "4x2TB", option, value]) == Exit.USAGE
    mistake, way_out = capsys.readouterr().err.splitlines()
    assert message in mistake
    assert way_out.strip() == f"raidtui help model describes {option}"


def test_the_way_out_names_the_verb_of_the_fleet(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fleet", "recipe", "(3+1)", "--afr", "often"]) == Exit.USAGE
    assert capsys.readouterr().err.splitlines()[1].strip() == "raidtui help fleet recipe describes --afr"


def test_members_on_partitions_give_less_by_the_table_and_the_alignment(capsys: pytest.CaptureFixture[str]) -> None:
    """A 2 TB disk has room for a partition of 3 907 026 944 sectors (sfdisk); its data starts 264 192 sectors later."""
    asked = ("model", "(4+2)", "--disks", "6x2000398934016")
    whole = document(capsys, *asked)["arrays"][0]["component_bytes"]
    assert document(capsys, *asked, "--members", "disks")["arrays"][0]["component_bytes"] == whole == 2000263577600
    largest = document(capsys, *asked, "--members", "partitions")
    assert largest["arrays"][0]["component_bytes"] == (3_907_026_944 - 264_192) * 512
    smaller = document(capsys, *asked, "--partition-size", "1.9TB")
    assert smaller["arrays"][0]["component_bytes"] == 1_855_336_448 * 1024
    assert {"partition-rounded", "partition-replacement"} <= {finding["code"] for finding in smaller["findings"]}


def test_a_partition_size_without_partitions_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["model", "(4+2)", "--disks", "6x2TB", "--members", "disks", "--partition-size", "1TB"]
    assert main(asked) == Exit.USAGE
    assert "--partition-size needs partitions" in capsys.readouterr().err
    assert main(["model", "(4+2)", "--disks", "6x2TB", "--partition-size", "2TB"]) == Exit.REFUSED
    assert "[partition-too-large]" in capsys.readouterr().out


def test_room_that_members_leave_is_not_theirs(capsys: pytest.CaptureFixture[str]) -> None:
    """2 GiB and its first MiB are in front of the partition; 1 byte more than that takes a whole MiB."""
    asked = ("model", "(4+2)", "--disks", "6x2000398934016")
    found = document(capsys, *asked, "--leave", "2GiB")
    whole = (3_907_026_944 - 264_192) * 512
    assert found["arrays"][0]["component_bytes"] == whole - 2 * 1024**3
    assert {"partition-room", "partition-replacement"} <= {finding["code"] for finding in found["findings"]}
    odd = document(capsys, *asked, "--leave", str(2 * 1024**3 + 1))
    assert odd["arrays"][0]["component_bytes"] == whole - 2 * 1024**3 - 1024**2
    assert (
        document(capsys, *asked, "--leave", "2GiB", "--partition-size", "1.9TB")["arrays"][0]["component_bytes"]
        == 1_855_336_448 * 1024
    )


def test_room_needs_partitions_and_disks_that_are_larger(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "(4+2)", "--disks", "6x2TB", "--members", "disks", "--leave", "2GiB"]) == Exit.USAGE
    assert "--leave needs partitions" in capsys.readouterr().err
    assert main(["model", "(4+2)", "--disks", "6x2TB", "--leave", "1000"]) == Exit.USAGE
    assert main(["model", "(4+2)", "--disks", "6x1GB", "--leave", "1GiB"]) == Exit.REFUSED
    assert "[partition-too-large]" in capsys.readouterr().out
    assert main(["model", "hybrid(3)", "--disks", "3x1GB", "--leave", "1GiB"]) == Exit.REFUSED
    assert "[band-too-small]" in capsys.readouterr().out


@pytest.mark.parametrize("verb", [["model", "hybrid(4)"], ["propose"]])
def test_a_disk_too_small_for_a_partition_is_refused_or_left_out_of_bands(
    verb: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    code = main([*verb, "--disks", "3x4TB,1x1MiB"])
    shown = capsys.readouterr()
    assert "Traceback" not in shown.err
    if verb == ["propose"]:
        assert "hybrid" not in shown.out
    else:
        assert code == 1
        assert "error: purchase-04 of 1.05 MB has no room for a partition. [band-too-small]" in shown.out


def test_it_ends_with_the_commands_that_follow(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "4x(12+2)+4", "--inventory", "e2660"]) == Exit.DONE
    assert capsys.readouterr().out.splitlines()[-4:] == [
        "What follows, with the other options given here",
        "  raidtui propose --inventory e2660",
        "  raidtui plan '4x(12+2)+4' --inventory e2660 --out new",
        "  raidtui build new/plan.json",
    ]
