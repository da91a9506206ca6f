"""What the result pane says of speed, risk and domains; the values are made by hand, the words are written out."""

from __future__ import annotations

import math
from dataclasses import replace

from raidtui.answers.design import changes
from raidtui.answers.figures import layers
from raidtui.answers.risk import cause_rows, domain_row, loss_in_a_year, risk_basis, risk_rows
from raidtui.answers.speed import speed_basis, speed_rows
from raidtui.predict.design import predict
from raidtui.predict.purchase import purchase
from raidtui.values import speed as limit
from raidtui.values.assumptions import DEFAULTS
from raidtui.values.blocks import FigureDifference, FigureRow
from raidtui.values.design import Design
from raidtui.values.location import Certificate, DomainKind, DomainVerdict, Placement
from raidtui.values.notation import parse
from raidtui.values.prediction import Durability, FirstSyncHours, Rebuild, SpareShortage
from raidtui.values.speed import UNKNOWN, BandCause, Ceiling, DiskSpeed, Iops, Limit, Rate, Throughput

DESIGN = Design(layout=parse("4x(12+2)+4"))
DISK = DiskSpeed(
    read_bytes_per_s=130_000_000, write_bytes_per_s=130_000_000, inner_share=0.48, read_iops=180, write_iops=170,
    rotational=True, source="inventory", basis="sequential speed of the chassis",
)  # fmt: skip
LINK = Ceiling(
    name=Limit("PCIe slot", "0000:03:00.0"), rate=3_000_000_000, source="sysfs", formula="8 lanes x 0.5 GB/s x 0.75",
    remedy="a second controller",
)  # fmt: skip
MEMBERS = Ceiling(name=limit.MEMBERS, rate=6_240_000_000, source="table", formula="4 x 12 x 130 MB/s")


def rate(value: int, bottleneck: Limit = limit.MEMBERS, following: Limit = UNKNOWN) -> Rate:
    return Rate(
        bytes_per_s=value, low=value * 8 // 10, high=value * 11 // 10, bottleneck=bottleneck, next=following,
        ceilings={bottleneck: value * 10 // 9},
    )  # fmt: skip


def iops(value: int) -> Iops:
    return Iops(
        iops=value,
        low=value // 2,
        high=value * 2,
        bottleneck=limit.MEMBERS,
        next=UNKNOWN,
        ceilings={limit.MEMBERS: value},
    )


SPEED = Throughput(
    seq_read=rate(2_870_000_000, LINK.name, limit.MEMBERS), seq_read_one_stream=rate(520_000_000),
    seq_write=rate(1_550_000_000), seq_write_one_stream=rate(490_000_000), rand_read=iops(10_080),
    rand_write=iops(640), degraded_seq_read=rate(2_400_000_000), rebuilding_seq_read=rate(1_200_000_000),
    mean_share=0.77, inner_share=0.48, disk=DISK,
    explained={"seq_read": (LINK, MEMBERS), "rand_write": (replace(MEMBERS, rate=1_600, formula="56 x 170 / 6"),)},
)  # fmt: skip
RISK = Durability(
    rebuild_hours=11.6,
    rebuild=Rebuild(
        hours=11.6, idle_hours=5.8, slow_hours=23.2, bytes_per_s=96_000_000, limit=Limit("member"),
        formula="2 TB at 96 MB/s on average, half of the time",
    ),
    annual_array_loss_probability=5.2e-8, annual_sector_loss_probability=3.8e-5, annual_sector_loss_measured=1.1e-5,
    annual_sector_loss_correlated=3.8e-4, annual_array_loss_correlated=5.2e-6,
    annual_enclosure_loss_probability=0.0, any_loss_1y=3.8e-5, any_loss_1y_correlated=3.85e-4, any_loss_5y=1.9e-4,
    any_loss_5y_correlated=0.00192, mission_loss=1.9e-4, mttdl_hours=1.7e11, spares_run_out_probability=0.002,
    spares_counted=4, spare_shortages=(SpareShortage(spares=4, per_failure=0.001, per_year=0.002),), spares_enough=1,
    degraded_hours_per_year=10.4, expected_bytes_lost_per_year=0.1,
    formulas={
        "any_loss_1y": "1 - (1 - 5.2e-8)(1 - 3.8e-5)", "any_loss_1y_correlated": "1 - (1 - 5.2e-6)(1 - 3.8e-5)",
        "spare_shortages": "Poisson",
    },
    limits=("theft, fire and people", "age"),
)  # fmt: skip


def line(results: tuple[FigureRow, ...], title: str) -> FigureRow:
    return next(result for result in results if result.title == title)


def certificate(kind: DomainKind, verdict: DomainVerdict) -> Certificate:
    return Certificate(
        kind=kind, domain=f"{kind} 1", members_lost=(12, 2), spares_lost=0, verdict=verdict, reason="12 of 14 members"
    )


def test_speed_stands_in_the_order_an_admin_reads_it() -> None:
    assert [(result.label, result.value) for result in speed_rows(SPEED)] == [
        ("Seq read", "2.87 GB/s"),
        ("  limit", "PCIe slot 0000:03:00.0"),
        ("Seq write", "1.55 GB/s"),
        ("  limit", "members"),
        ("One stream", "520 / 490 MB/s"),
        ("Rand read 4k", "10.1k IOPS"),
        ("Rand write 4k", "640 IOPS"),
        ("Degraded read", "2.40 GB/s"),
        ("  in rebuild", "1.20 GB/s"),
    ]


def test_bands_and_the_next_limit_stand_beside() -> None:
    read, limit, *_ = speed_rows(SPEED)
    assert read.notes == ("2.30-3.16 GB/s",)
    assert limit.notes == ("next members",)
    assert line(speed_rows(SPEED), "Rand write 4k").notes == ("320-1280 IOPS", "limit members")


def test_what_is_not_known_of_the_way_to_the_disks_is_said_in_the_line_and_on_f1() -> None:
    results = speed_rows(replace(SPEED, unknown=("the link of the controller", "the expander's wide port")))
    assert results[1].notes == ("2 unknown", "next members")
    assert "Unknown, possibly lower: the link of the controller." in results[0].formula


def test_f1_shows_every_ceiling_with_its_numbers_and_sources_lowest_first() -> None:
    assert speed_rows(replace(SPEED, notes=("md reads twice",)))[0].formula == (
        "2.87 GB/s (2.30-3.16 GB/s): bound by PCIe slot 0000:03:00.0, then members. "
        "0.90 of the lowest ceiling is expected. Nine of ten measurements fall into the band.",
        "1. PCIe slot 0000:03:00.0: 3.00 GB/s = 8 lanes x 0.5 GB/s x 0.75 (read from this machine). "
        "To raise it: a second controller.",
        "2. members: 6.24 GB/s = 4 x 12 x 130 MB/s (from a table).",
        "The slowest disk reads 130 MB/s, 0.48 of it at the inner zone, 180 IOPS read, 170 IOPS written. "
        "From the inventory: sequential speed of the chassis.",
        "Note: md reads twice.",
    )
    assert "1. members: 1.60k IOPS = 56 x 170 / 6 (from a table)." in line(speed_rows(SPEED), "Rand write 4k").formula


def test_a_level_that_survives_nothing_has_no_degraded_speed() -> None:
    assert line(speed_rows(replace(SPEED, degraded_seq_read=None)), "Degraded read").value == "none: no redundancy"


def test_a_rate_that_is_not_known_is_not_zero() -> None:
    read = speed_rows(replace(SPEED, seq_read=rate(0, UNKNOWN)))
    assert (read[0].value, read[0].notes, read[1].value) == ("unknown", ("",), "unknown")


def test_risk_has_two_digits_and_the_interval_for_failures_that_come_together() -> None:
    assert [(result.title, result.value, result.notes) for result in risk_rows(DESIGN.layout, RISK, DEFAULTS)] == [
        ("Rebuild", "12 h", ("5.8 h to 23 h", "limit member")),
        ("Loss in 5 y", "1 in 5 300", ("at worst 1 in 520", "with correlated failures")),
        ("Spares", "4; 1 is enough for 30 days", ("restock",)),
    ]
    lost = "4 KiB of a file, at 1e-15 errors a bit, assumed"
    assert [(result.title, result.value, result.notes) for result in cause_rows(RISK, DEFAULTS)] == [
        ("Array loss", "< 1 in 1 000 000", ("at worst 1 in 190 000", "with correlated failures", "a volume is gone")),
        (
            "Sector loss",
            "1 in 26 000",
            ("at worst 1 in 2 600", "with correlated failures", f"{lost}; 1 in 91 000 at 3e-16, as measured"),
        ),
    ]


def test_what_figures_rest_on_stands_below_them() -> None:
    wide = BandCause(driver="link", factor=1.4)
    speed = replace(SPEED, seq_read=replace(SPEED.seq_read, spread=wide), unknown=("the link of the controller",))
    assert [(row.title, row.value, row.notes) for row in (*speed_basis(speed), *risk_basis(RISK))] == [
        ("Disk speed", "130 MB/s", ("77 % on average, 48 % at the inner zone", "sequential speed of the chassis")),
        ("Read band", "x1.4", ("x1.4 from the links", "measure them with raidtui disks --measure, or state what they "
         "carry with --link-ceiling")),
        ("Unknown", "the link of the controller", ()),
        ("Degraded", "10 h a year", ("with any member missing",)),
        ("No spare left", "with 4 spares", ("1 in 1 000 failures, 1 in 500 years",)),
        ("Not modelled", "theft, fire and people", ()),
        ("Not modelled", "age", ()),
    ]  # fmt: skip


def test_the_limits_of_the_model_stand_beside_every_chance() -> None:
    formula = loss_in_a_year(RISK, DEFAULTS).formula
    assert formula == (
        "Chance = 1 - (1 - 5.2e-8)(1 - 3.8e-5).",
        "With correlation = 1 - (1 - 5.2e-6)(1 - 3.8e-5).",
        "Not in the model: theft, fire and people; age.",
    )
    assert line(risk_rows(DESIGN.layout, RISK, DEFAULTS), "Spares").formula == ("Shortage = Poisson.",)


def test_enclosures_are_a_cause_where_they_can_destroy_data() -> None:
    results = cause_rows(replace(RISK, annual_enclosure_loss_probability=1e-4), DEFAULTS)
    assert (results[2].title, results[2].value) == ("Encl. loss", "1 in 10 000")
    assert results[2].notes == ("a year, assumed",)


def test_spares_are_answered_in_words() -> None:
    def said(enough: int) -> str:
        return line(risk_rows(DESIGN.layout, replace(RISK, spares_enough=enough), DEFAULTS), "Spares").value

    assert said(2) == "4; 2 are enough for 30 days"
    assert said(0) == "4; none needed for 30 days"
    bare = Design(layout=parse("4x(12+2)"))
    assert line(risk_rows(bare.layout, RISK, DEFAULTS), "Spares").value == "0; 1 is needed for 30 days"


def test_a_level_that_rebuilds_nothing_says_so() -> None:
    results = risk_rows(DESIGN.layout, replace(RISK, rebuild=None, rebuild_hours=0.0), DEFAULTS)
    assert results[0].value == "never"
    assert line(results, "Spares").value == "none: nothing to rebuild"


def test_domains_are_summed_up_by_their_worst_certificate() -> None:
    def said(*certificates: Certificate) -> tuple[str, tuple[str, ...]]:
        result = domain_row(Placement(disks=(), certificates=certificates, findings=()))
        return result.value, result.notes

    assert said() == ("unknown", ("none in the inventory",))
    assert said(certificate("enclosure", "degraded"), certificate("controller", "survives")) == (
        "survives any one",
        ("enclosure, controller",),
    )
    mixed = (certificate("enclosure", "lost"), certificate("expander", "degraded"), certificate("expander", "survives"))
    assert said(*mixed) == ("lost with one enclosure", ("survives any expander",))
    both = (certificate("enclosure", "lost"), certificate("drawer", "degraded"), certificate("drawer", "lost"))
    assert said(*both) == ("lost with one enclosure", ("or drawer",))


def test_a_file_system_names_what_df_and_mkfs_print() -> None:
    """The 45 disks of the field report: df -h showed 79T, mkfs.xfs imaxpct=1 and a log stripe unit of 64 blocks."""
    disks = purchase("45x2000398934016").disks
    found_layers = layers(predict(Design(layout=parse("raid6(43+2)"), chunk_bytes=256 * 1024), disks))
    assert [layer.title for layer in found_layers] == ["MD", "XFS"]
    found = {row.title: (row.value, *row.notes) for layer in found_layers for row in layer.rows}
    assert found["df size"] == ("86 009 196 838 912 bytes", "78.22 TiB", "79T in df -h")
    assert found["usable"] == ("85 409 492 197 376 bytes", "77.68 TiB", "78T in df -h")
    assert found["log"] == ("521728 blocks", "stripe unit 64 blocks")
    assert found["inodes"] == ("imaxpct=1", "1 % of the space")


def test_the_first_sync_of_raid6_has_two_times_and_the_way_round_the_long_one() -> None:
    """RAID6 of four used disks of 2 TB took 18 to 36 h in public reports, zeroed ones a fourth of that."""
    wiped = replace(RISK, first_sync=FirstSyncHours(hours=7.6, least_used_hours=17.0, most_used_hours=38.0))
    row = risk_basis(wiped)[0]
    assert (row.title, row.value) == ("First sync", "7.6 h")
    assert row.notes == (
        "on idle disks that are zero",
        "17 h to 38 h on used ones, whose parity is rewritten: --first-sync zeroes avoids that",
    )
    assert risk_basis(replace(RISK, first_sync=FirstSyncHours(hours=98.0)))[0].notes == ("on idle disks",)
    assert risk_basis(RISK)[0].title == "Degraded"


def test_a_difference_has_its_sign_its_unit_and_whether_it_is_better() -> None:
    rows, loss = risk_rows(DESIGN.layout, RISK, DEFAULTS), loss_in_a_year(RISK, DEFAULTS)
    rebuild = line(rows, "Rebuild")
    for row, before, words, kind in (
        (rebuild, 8.6, "+3.0 h", "worse"), (rebuild, 12.1, "-30 min", "better"), (rebuild, 11.6, "=", "equal"),
        (loss, math.log(3.8e-6), "10x as likely", "worse"), (loss, math.log(3.8e-4), "10x less likely", "better"),
        (line(rows, "Spares"), 3, "+1 spare", "other"),
    ):  # fmt: skip
        assert row.difference(before) == FigureDifference(words=words, kind=kind)  # type: ignore[arg-type]
    assert rebuild.difference(None) is None


def test_a_change_is_told_in_one_line_that_reads_forward() -> None:
    usable = FigureRow(title="Usable", value="", number=10, better="more", delta=lambda gap: f"{gap:+d} TiB")
    hours = FigureRow(title="Rebuild", value="", number=12, better="less", delta=lambda gap: f"{gap:+d} h")
    spares = FigureRow(title="Spares", value="", number=2, delta=lambda gap: f"{gap:+d} spares" if gap else "=")
    before = (replace(usable, number=12), replace(hours, number=15), replace(spares, number=4))
    assert changes(before, (usable, hours, spares)) == ("Worse: usable -2 TiB", "Better: rebuild -3 h", "-2 spares")
    assert changes((spares, replace(hours, number=15)), (spares, hours)) == (
        "Better: rebuild -3 h",
        "The rest is equal",
    )
    assert changes((spares,), (spares,)) == ("All figures are equal",)
    assert changes((), (spares,)) == ()
