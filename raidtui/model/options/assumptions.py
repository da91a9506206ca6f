"""Options of the speed and risk models: what is assumed of disks and their use."""

from __future__ import annotations

from raidtui.model.options.option import COUNT, FLAG, NUMBER, RATE, SHARE, Option

ASSUMPTIONS = (
    Option(
        key="disk_speed", field="assumptions.disk_bytes_per_s", title="Disk speed", kind=RATE, example="94MB/s",
        range=(100_000, 100_000_000_000),
        sentence="sequential rate of every disk at its outer zone", otherwise="as known",
        more="Known: from a measurement, the inventory, a table of drive families, or the disk's class.",
    ),
    Option(
        key="disk_write_speed", field="assumptions.disk_write_bytes_per_s", title="Disk writes", kind=RATE,
        range=(100_000, 100_000_000_000),
        sentence="sequential writing rate of every disk at its outer zone", otherwise="same as reading",
    ),
    Option(
        key="disk_iops", field="assumptions.disk_iops", title="Disk IOPS", kind=COUNT, range=(1, 100_000_000),
        sentence="random operations per second of every disk", otherwise="as known",
        more="Known: measured, from the table of families, or its class.",
    ),
    Option(
        key="link_ceiling", field="assumptions.link_bytes_per_s", title="Shared link", kind=RATE, example="750MB/s",
        range=(100_000, 10_000_000_000_000),
        sentence="rate of one link that all members share", otherwise="as found",
        more="As found: only the links in the inventory.",
    ),
    Option(
        key="memory", field="assumptions.memory_bytes_per_s", title="Memory", kind=RATE, example="40GB/s",
        range=(100_000_000, 100_000_000_000_000),
        sentence="memory bandwidth, reads and writes together", otherwise="estimated",
    ),
    Option(
        key="md_write", field="assumptions.md_write_bytes_per_s", title="md writes", kind=RATE, example="900MB/s",
        range=(10_000_000, 1_000_000_000_000),
        sentence="rate that md's thread of one parity array writes", otherwise="typical",
        more="Typical: 1.2 GB/s. raidtui bench finds it.",
    ),
    Option(
        key="monitor", field="assumptions.monitor", title="Monitor", kind=FLAG, choices=("not", "runs"),
        sentence="whether mdadm --monitor runs, which the plan enables: without it no spare moves between arrays",
        otherwise="runs",
    ),
    Option(
        key="afr", field="assumptions.afr", title="AFR", kind=SHARE, unit="a year", range=(0.0001, 0.5),
        steps=(0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.06, 0.1),
        sentence="failures per disk and year", otherwise="1.5%",
        more="Backblaze measured about 1.5 % over the years (Drive Stats, lifetime 1.4 to 1.6 %); data sheets promise "
        "half of it, old disks and bad batches reach 4 % and more.",
    ),
    Option(
        key="ure", field="assumptions.ure_per_bit", title="URE", kind=SHARE, unit="per bit", range=(1e-20, 1e-12),
        steps=(1e-17, 1e-16, 3e-16, 1e-15, 1e-14),
        sentence="unrecoverable read errors per bit read", otherwise="1e-15, flash 1e-17",
        more="Data sheets give 1e-15 for nearline and 1e-14 for desktop disks; Gray and van Ingen measured about "
        "3e-16.",
    ),
    Option(
        key="restock_days", field="assumptions.restock_days", title="Restock", kind=NUMBER, unit="days",
        range=(0.04, 3650), steps=(1.0, 3.0, 7.0, 14.0, 30.0, 60.0, 90.0, 180.0, 365.0),
        sentence="days from a disk failure until a replacement is installed as a spare", otherwise="30",
        more="30 is an estimate for ordering, shipping and a visit on site.",
    ),
    Option(
        key="rebuild_share", field="assumptions.rebuild_share", title="Rebuild at", kind=SHARE, unit="of time",
        range=(0.01, 1), steps=(0.1, 0.25, 0.5, 0.75, 1.0),
        sentence="share of the members' time that a rebuild gets beside user load", otherwise="50%",
        more="100 % on an idle array, half is typical under moderate load.",
    ),
    Option(
        key="enclosure_afr", field="assumptions.enclosure_afr", title="Enclosure", kind=SHARE, unit="outages a year",
        range=(0, 0.5), steps=(0.0, 0.005, 0.01, 0.02, 0.05, 0.1),
        sentence="outages per enclosure and year", otherwise="1%, an estimate",
        more="No published figures exist. They count only if an array does not survive one.",
    ),
    Option(
        key="enclosure_loss", field="assumptions.enclosure_loss", title="  destroys", kind=SHARE, unit="of outages",
        range=(0, 1), steps=(0.0, 0.005, 0.01, 0.02, 0.05, 0.1),
        sentence="share of an enclosure's outages that destroy data", otherwise="1%, an estimate",
        more="By inconsistent writes to several members or by a power fault: 1 to 5 %.",
    ),
    Option(
        key="correlation", field="assumptions.correlation", title="Correlation", kind=NUMBER, unit="x",
        range=(1, 1000), steps=(1.0, 3.0, 10.0, 30.0, 100.0),
        sentence="factor by which a further failure is more likely in an array that has lost a member", otherwise="10",
        more="Same batch, temperature and age. Risk results show both 1 and this factor (Schroeder and Gibson, FAST "
        "2007).",
    ),
    Option(
        key="mission_years", field="assumptions.mission_years", title="Mission", kind=NUMBER, unit="years",
        range=(0.1, 50), steps=(1.0, 3.0, 5.0, 10.0, 20.0),
        sentence="years over which mission_loss, a figure of the JSON, sums losses", otherwise="5",
    ),
)  # fmt: skip
"""every field of `Assumptions`, in the order of Design's page"""
