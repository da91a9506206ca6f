"""POOLS.md: forty pools of disks, what published guides build of them, and what raidtui suggests, with the reason.

`expected` is what should be built and what the tests hold the suggestion to; it was written from the guide named, or,
for about half of the first sixteen, by a storage expert who reviewed earlier answers. `guide` is what the guide builds
where that differs. raidtui's own answers are on the page only: `python -m tests.validation` writes them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from raidtui.advice.proposals.guide import answered, first_answers, wanted
from raidtui.advice.proposals.pick_reasons import suggestion
from raidtui.advice.proposals.propose import propose
from raidtui.predict.stated_disks import purchase
from raidtui.values.assumptions import defaults_for
from raidtui.values.inventory import Inventory
from raidtui.values.proposal import Candidate
from tests.validation.figures import table

PAGE = Path(__file__).with_name("POOLS.md")
EQUALLOGIC = (
    "Dell EqualLogic Configuration Guide 15.2, table 7",
    "https://www.manualshelf.com/manual/mpio/pd-100/technical-information-english/page-26.html",
)
ME4 = (
    "Dell PowerVault ME4 Administrator's Guide, disk count per RAID level, table 41",
    "https://www.dell.com/support/manuals/en-us/powervault-me4012/me4_series_ag_pub/disk-count-per-raid-level"
    "?guid=guid-1ef86fde-ace4-45b6-883e-b27369206166&lang=en-us",
)
SOLARIS = (
    "Oracle Solaris 11.4, non-root pool creation practices",
    "https://docs.oracle.com/en/operating-systems/solaris/oracle-solaris/11.4/manage-zfs/"
    "non-root-pool-creation-practices.html",
)
PROXMOX = (
    "Proxmox VE documentation, ZFS RAID level considerations",
    "https://lists.proxmox.com/pipermail/pve-devel/2020-July/044411.html",
)
VEEAM = (
    "Veeam, hardened repository: requirements",
    "https://helpcenter.veeam.com/docs/backup/hyperv/hardened_repository_limitations.html",
)
NETAPP = (
    "NetApp System Manager, RAID configuration of an aggregate",
    "https://github.com/NetAppDocs/ontap-system-manager-classic/blob/main/online-help-96-97/"
    "task_changing_raid_configuration_when_creating_aggregate.adoc",
)
PIXSTOR = (
    "Dell EMC Ready Solution for HPC PixStor Storage, pages 13 and 14 (a copy)",
    "http://38.142.81.21:8001/manual/dell/storage-solution-resources/1-administrator-guide-english/page-14.html",
)
LUSTRE = (
    "Dell Storage for HPC with Intel EE for Lustre, figure 6 (a copy)",
    "http://38.142.81.21:8001/manual/dell/high-performance-computing-solution-resources/26-25-24-23-22-21-20-19-18-17-"
    "16-15-14-13-12-11-10-9-8-7-6-5-4-3-2-1-white-papers-english/page-11.html",
)
GLUSTER = (
    "Red Hat Gluster Storage 3.1, brick configuration",
    "https://docs.redhat.com/en/documentation/red_hat_gluster_storage/3.1/html/administration_guide/"
    "brick_configuration",
)
SPARES = "a spare that waits is worth a data disk: else a failed disk waits for its replacement, 30 days by default"
"""why a guide that names a width only has one disk more in it"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Disks, what they are for, and what is built of them."""

    disks: str
    """hard disks, then flash: `12x20TB`, `6x8TB + 2x240GB flash`"""
    purpose: str
    expected: str = ""
    """layout that the suggestion is held to; empty where raidtui differs from the guide"""
    guide: str = ""
    """what the guide builds; empty where none was found"""
    source: tuple[str, str] = ("", "")
    """title and address"""
    why: str = ""
    """why raidtui, or the layout held to, differs from the guide"""

    def suggested(self) -> Candidate:
        """What the guide of the program suggests, all other answers as they are picked at first."""
        inventory = machine(self.disks)
        answers = answered(first_answers(inventory.disks), "purpose", self.purpose)
        asked = wanted(answers, defaults_for(inventory.disks), inventory.disks)
        proposal = propose(inventory, inventory.disks, asked.constraints, asked.assumptions)
        found = suggestion(proposal, asked.constraints, asked.assumptions).candidate
        assert found is not None, self.disks
        return found


def machine(disks: str) -> Inventory:
    """A machine with these disks, each with a name of its own."""
    bought = [
        disk
        for part in disks.split(" + ")
        for disk in purchase(part.removesuffix(" flash"), rotational=not part.endswith(" flash")).disks
    ]
    named = tuple(replace(disk, id=f"d{at:02}", by_id=(f"d{at:02}",)) for at, disk in enumerate(bought))
    return Inventory(origin="chassis", name="pool", disks=named)


def _mirrors(disks: str, layout: str) -> Pool:
    return Pool(disks=disks, purpose="databases", expected=layout, guide=layout, source=EQUALLOGIC)


POOLS: tuple[Pool, ...] = (
    Pool(disks="4x18TB", purpose="streams", expected="(2+2)", guide="(2+2)", source=ME4),
    Pool(disks="12x20TB", purpose="streams", expected="(9+2)+1", guide="(10+2)", source=GLUSTER, why=SPARES),
    Pool(disks="60x2TB", purpose="streams", expected="4x(12+2)+4", guide="4x(12+2)+4",
         source=("field report S3, its chosen layout", "FIELD.md")),
    Pool(disks="84x10TB", purpose="streams", expected="5x(14+2)+4", guide="8x(8+2)+4", source=PIXSTOR,
         why="as many spares; arrays of 16 in place of 10: 70 disks hold data in place of 64"),
    Pool(disks="36x16TB", purpose="streams", expected="3x(9+2)+3", guide="groups of 12 to 20", source=NETAPP,
         why="three groups of twelve, of which one disk each is the spare"),
    Pool(disks="3x1TB", purpose="streams", expected="(2+1)", guide="(2+1)", source=SOLARIS),
    Pool(disks="6x8TB + 2x240GB flash", purpose="streams", expected="(4+2)", guide="(4+2)", source=SOLARIS),
    Pool(disks="6x12TB + 2x960GB flash", purpose="streams", expected="(4+2)", guide="(4+2)", source=SOLARIS),
    Pool(disks="1x250GB,6x4TB", purpose="backup", expected="(4+2)", guide="(4+2)", source=SOLARIS),
    _mirrors("24x7680GB flash", "raid10(22)+2"),
    _mirrors("8x1920GB flash", "raid10(6)+2"),
    Pool(disks="6x12TB + 2x960GB flash", purpose="databases", expected="raid10(6)", guide="raid10(4)+2 or raid10(6)",
         source=EQUALLOGIC, why="its policy without spares: two of six disks idle are a third of the room"),
    Pool(disks="6x8TB + 2x240GB flash", purpose="databases", expected="raid10(6)", guide="raid10(4)+2 or raid10(6)",
         source=EQUALLOGIC, why="its policy without spares: two of six disks idle are a third of the room"),
    Pool(disks="12x20TB", purpose="databases", expected="raid10(10)+2", guide="raid10(10)+2", source=EQUALLOGIC,
         why="a later Dell paper does not recommend RAID 10 on disks over 6 TB: raidtui shows that risk beside it"),
    Pool(disks="60x2TB", purpose="databases", expected="raid10(58)+2", guide="raid10(46)+2 of 48", source=EQUALLOGIC,
         why="the table ends at 48 disks; as many spares"),
    Pool(disks="4x18TB", purpose="databases", expected="raid10(4)", guide="2 mirrors of 2", source=PROXMOX),
    _mirrors("12x4TB", "raid10(10)+2"),
    _mirrors("14x2TB", "raid10(12)+2"),
    _mirrors("16x2TB", "raid10(14)+2"),
    _mirrors("24x2TB", "raid10(22)+2"),
    _mirrors("48x2TB", "raid10(46)+2"),
    _mirrors("8x2TB", "raid10(6)+2"),
    _mirrors("12x960GB flash", "raid10(10)+2"),
    Pool(disks="4x960GB flash", purpose="databases", expected="raid10(4)", guide="2 mirrors of 2", source=PROXMOX),
    Pool(disks="2x4TB", purpose="streams", expected="raid1(2)", guide="RAID 1", source=(
        "Hitachi HA800 G3, about RAID arrays: two drives are RAID 1",
        "https://www.easymanua.ls/hitachi/ha800-g3-series/manual?p=22")),
    Pool(disks="2x960GB flash", purpose="databases", expected="raid1(2)", guide="RAID 1 for the system", source=VEEAM),
    Pool(disks="6x4TB", purpose="streams", expected="(4+2)", guide="(4+2)", source=ME4),
    Pool(disks="10x8TB", purpose="streams", guide="(8+2)", source=ME4, why=SPARES),
    Pool(disks="20x8TB", purpose="streams", guide="2x(8+2)", source=ME4,
         why=f"two arrays of nine and a spare each: {SPARES}"),
    Pool(disks="8x8TB", purpose="streams", guide="RAID 6 of 8, no spare", source=(
        "raidtips.com, hot spares: in a NAS of 8 bays RAID 6 rather than RAID 5 and a spare",
        "https://www.raidtips.com/hot-spares.aspx"), why=SPARES),
    Pool(disks="16x8TB", purpose="backup", guide="2x(6+2)", source=(
        "PAC Storage PS 3012 hardware manual: arrays of 8 members for RAID 6",
        "https://manualarchiveguide.com/manuals/PAC-STORAGE-PS-3012-Hardware-Manual-4045016?page=32"),
        why="eight members fill one of its host ports; one array of fifteen and a spare has one data disk more"),
    Pool(disks="24x4TB", purpose="streams", guide="(16+2) and (4+2)", source=(
        "Louwrentius, 71 TiB DIY NAS", "https://louwrentius.com/71-tib-diy-nas-based-on-zfs-on-linux.html"),
        why="equal arrays: a volume over unequal ones is as fast as the narrow one; none wider than 16"),
    Pool(disks="45x2TB", purpose="streams", guide="(41+2)+2",
         source=("field report S1, its chosen layout", "FIELD.md"),
         why="43 members of RAID6 are more than any guide here has; three arrays rebuild and fail on their own"),
    Pool(disks="20x4TB", purpose="backup", guide="17+3, one disk in each of 20 machines", source=(
        "Backblaze, resiliency of a vault",
        "https://www.backblaze.com/docs/cloud-storage-resiliency-durability-and-availability"),
        why="md has no third parity"),
    Pool(disks="60x16TB", purpose="streams", guide="6x(8+2)", source=LUSTRE,
         why="the same 48 data disks in four arrays, and four spares in place of four parity disks"),
    Pool(disks="56x600GB", purpose="streams", guide="9x(4+2)+2", source=(
        "L. Spagnol, ZFS on a PowerVault MD3060e", "https://www.github.com/lspagnol/jbod"),
        why="small groups for requests a second; for big files nine data disks of eleven hold more"),
    Pool(disks="14x4TB", purpose="streams", guide="2x(6+1) or 2x(5+2)", source=(
        "Oracle Solaris ZFS Administration Guide (Chinese): better two groups of 7 than one of 14",
        "https://docs.oracle.com/cd/E19253-01/819-7065/gamtu/index.html"),
        why="there a group of more than nine disks is slow in requests; md reads single chunks"),
    Pool(disks="12x12TB + 2x480GB flash", purpose="backup", expected="(9+2)+1", guide="RAID 6 or 60",
         source=VEEAM, why="it names neither width nor spare; the system is on the flash there too"),
    Pool(disks="90x16TB", purpose="backup", guide="a spare for 18 to 20 disks: 5", source=(
        "IBM System Storage DS3500, hot spares", "https://www.easymanua.ls/ibm/ds3500/manual/163769?p=293"),
        why="spares are counted from failures within the days of restocking, not from disks"),
    Pool(disks="23x3TB", purpose="backup", expected="2x(9+2)+1"),
)  # fmt: skip


@cache
def suggestions() -> tuple[Candidate, ...]:
    """What raidtui suggests for each pool."""
    return tuple(pool.suggested() for pool in POOLS)


def page() -> str:
    """The whole text."""
    pairs = list(zip(POOLS, suggestions(), strict=True))
    guided = [(pool, found) for pool, found in pairs if pool.guide]
    equal = sum(pool.expected == found.layout and not pool.why for pool, found in guided)
    lines = [
        f"# {len(POOLS)} pools of disks",
        "",
        "Written by `python -m tests.validation`; a test fails when it is not what the program answers. For each pool:",
        "what a published guide builds of it, what raidtui suggests with all answers as they are picked at first, and",
        "why the two differ. Guides of hardware controllers and of ZFS are taken where a ratio carries over to md.",
        "",
        f"* A guide was found for {len(guided)}; for {len(pairs) - len(guided)} none was.",
        f"* raidtui suggests what the guide has, or what its policy comes to, for {equal} of {len(guided)}. For the",
        "  others the last column says why not: most often a spare in place of a data disk.",
        f"* Tests hold {sum(bool(pool.expected) for pool in POOLS)} suggestions to the layout that should be built.",
        "* Guides have no spare, two, or one for so many disks (IBM: 18 to 20). raidtui counts the failures until",
        "  restocking.",
        "",
    ]
    head = ["disks", "for", "guide", "raidtui", "spares", "held to", "source", "why it differs"]
    return "\n".join([*lines, *table(head, [_cells(pool, found) for pool, found in pairs])])


def _cells(pool: Pool, found: Candidate) -> list[str]:
    title, address = pool.source
    source = f"{title}: {address}" if title else "no published guide found; an engineer's answer"
    held = f"`{pool.expected}`" if pool.expected else "-"
    guide = pool.guide or "-"
    return [
        pool.disks, pool.purpose, guide, f"`{found.layout}`", str(found.spares), held, source, pool.why,
    ]  # fmt: skip
