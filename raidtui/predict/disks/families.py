"""Sustained and random rates of drive families by model string, from the vendors' public data sheets.

Sources: product manuals and data sheets of Seagate (Barracuda, Constellation ES.3, Enterprise Capacity, Exos,
IronWolf), Western Digital and HGST (Red, Re, Ultrastar), Toshiba (MG), Samsung, Intel and Solidigm, Micron, Kioxia.
Data sheets give maxima: for rotating disks the outermost zone (Toshiba gives MiB/s, converted to MB/s), for flash a
fresh large model at depth. Shingled (SMR) models have the rate that they read at: what they write over again is slower.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache

from raidtui.values.inventory import Disk

MB = 1_000_000
_SECTORS_OF_50_GB, _SECTORS_OF_A_GB = 97_696_368, 1_953_504
"""IDEMA LBA1-03: sectors of 512 bytes of a disk of 50 GB, and of each further one"""


@dataclass(frozen=True, slots=True)
class Family:
    """Drives with a word in their model string that begins with `prefix`; bytes and operations per second."""

    prefix: str
    name: str
    read_bytes_per_s: int
    write_bytes_per_s: int
    rotational: bool
    rpm: int | None = None
    read_iops: int | None = None
    write_iops: int | None = None
    gigabytes: int | None = None
    """capacity; None where the prefix stands for several"""
    shingled: bool = False
    """drive-managed SMR"""

    @property
    def size_bytes(self) -> int | None:
        """Capacity as all makers give it (IDEMA LBA1-03)."""
        if self.gigabytes is None:
            return None
        return (_SECTORS_OF_50_GB + _SECTORS_OF_A_GB * (self.gigabytes - 50)) * 512


def family_of(model: str | None) -> Family | None:
    """The family of `model`: the longest prefix of any of its words; None for an unknown model."""
    return _family_of(model) if model else None


@lru_cache(maxsize=1024)
def _family_of(model: str) -> Family | None:
    words = model.upper().split()
    return next((family for family in _FAMILIES if any(word.startswith(family.prefix) for word in words)), None)


def is_shingled(disk: Disk) -> bool:
    """True for drive-managed SMR: said, or a model that the table knows as such."""
    family = None if disk.smr else family_of(disk.model)
    return disk.smr or (family is not None and family.shingled)


def like_model(model: str) -> str:
    """The model of the table that is spelt most like `model`; empty if none is."""
    return next(iter(get_close_matches(model.upper(), [family.prefix for family in _FAMILIES], n=1, cutoff=0.8)), "")


_DISKS = (
    ("Seagate Barracuda", 7200, "ST1000DM003:210:1 ST1000DM010:210:1 ST2000DM001:210:2 ST3000DM001:210:3"),
    ("Seagate Desktop HDD", 5900, "ST4000DM000:180:4"),
    ("Seagate Constellation ES.3", 7200, "ST1000NM0033:175:1 ST2000NM0033:175:2 ST3000NM0033:175:3 ST4000NM0033:175:4"),
    ("Seagate Enterprise Capacity", 7200, "ST6000NM0024:226:6 ST8000NM0055:237:8 ST10000NM0016:249:10"),
    ("Seagate Exos X12", 7200, "ST12000NM0007:261:12"),
    ("Seagate Exos X16", 7200, "ST10000NM001G:245:10 ST12000NM001G:245:12 ST14000NM001G:261:14 ST16000NM001G:261:16"),
    ("Seagate Exos X18", 7200, "ST16000NM000J:270:16 ST18000NM000J:270:18"),
    ("Seagate Exos X20", 7200, "ST18000NM003D:285:18 ST20000NM007D:285:20"),
    ("Seagate Exos X24", 7200, "ST20000NM002H:285:20 ST24000NM002H:285:24"),
    ("Seagate Exos 10E2400", 10500, "ST2400MM0129:266:2.4"),
    ("Seagate IronWolf", 5980, "ST4000VN008:180:4"),
    ("Seagate IronWolf", 7200, "ST8000VN004:210:8"),
    ("Seagate IronWolf Pro", 7200, "ST16000NE000:255:16 ST20000NE000:285:20"),
    (
        "WD Red",
        5400,
        "WD20EFRX:147:2 WD30EFRX:147:3 WD40EFRX:150:4 WD60EFRX:175:6 WD80EFZX:178:8 WD80EFAX:210:8 WD100EFAX:210:10",
    ),
    ("WD Re", 7200, "WD2000FYYZ:171:2 WD3000FYYZ:171:3 WD4000FYYZ:171:4"),
    ("HGST Ultrastar 7K4000", 7200, "HUS724020:171:2 HUS724030:171:3 HUS724040:171:4"),
    ("HGST Ultrastar 7K6000", 7200, "HUS726040:227:4 HUS726050:227:5 HUS726060:227:6"),
    ("HGST Ultrastar He8", 7200, "HUH728080:205:8"),
    ("HGST Ultrastar He10", 7200, "HUH721010:249:10"),
    ("WD Ultrastar HC310", 7200, "HUS726T6:255:6"),
    ("WD Ultrastar HC520", 7200, "HUH721212:255:12"),
    ("WD Ultrastar HC530", 7200, "WUH721414:267:14"),
    ("WD Ultrastar HC550", 7200, "WUH721818:269:18"),
    ("WD Ultrastar HC560", 7200, "WUH722020:269:20"),
    ("WD Ultrastar HC570", 7200, "WUH722222:291:22"),
    ("Toshiba MG04", 7200, "MG04ACA:205 MG04SCA:205"),
    ("Toshiba MG06", 7200, "MG06ACA10:249:10 MG06SCA10:249:10"),
    ("Toshiba MG07", 7200, "MG07ACA14:260:14 MG07SCA14:260:14"),
    ("Toshiba MG08", 7200, "MG08ACA16:275:16 MG08SCA16:275:16"),
    ("Toshiba MG09", 7200, "MG09ACA18:281:18 MG09SCA18:281:18"),
    ("Toshiba MG10", 7200, "MG10ACA20:281:20 MG10SCA20:281:20"),
    ("Toshiba MG11", 7200, "MG11ACA24:309:24 MG11SCA24:309:24"),
)
"""name, revolutions per minute, and model:MB/s of the outermost zone:terabytes"""

_SHINGLED = (
    ("Seagate Archive HDD", 5900, "ST8000AS0002:190:8"),
    ("Seagate Barracuda", 7200, "ST2000DM008:220:2"),
    ("Seagate Barracuda", 5400, "ST4000DM004:190:4 ST8000DM004:190:8"),
    ("WD Red", 5400, "WD20EFAX:180:2 WD30EFAX:180:3 WD40EFAX:180:4 WD60EFAX:180:6"),
)
"""the same of drive-managed SMR"""

_FLASH = (
    ("Samsung PM883", "MZ7LH", 550, 520, 98, 28),
    ("Samsung PM893", "MZ7L3", 550, 520, 98, 30),
    ("Samsung SM863a", "MZ7KM", 520, 485, 97, 28),
    ("Samsung PM1643", "MZILT", 2100, 2000, 400, 90),
    ("Samsung PM983", "MZQLB", 3200, 2000, 540, 50),
    ("Samsung PM9A3", "MZQL2", 6800, 4000, 1000, 180),
    ("Samsung PM1733", "MZWLJ", 7000, 3800, 1450, 135),
    ("Intel DC S3500", "SSDSC2BB", 500, 450, 75, 11),
    ("Intel DC S3700", "SSDSC2BA", 500, 460, 75, 36),
    ("Intel D3-S4510", "SSDSC2KB", 560, 510, 97, 36),
    ("Intel DC P4510", "SSDPE2KX", 3000, 2900, 625, 110),
    ("Intel DC P4610", "SSDPE2KE", 3200, 3000, 640, 200),
    ("Intel D7-P5500", "SSDPF2KX", 7000, 4300, 930, 130),
    ("Intel Optane P4800X", "SSDPE21K", 2400, 2000, 550, 500),
    ("Micron 5200 or 5300", "MTFDDAK", 540, 520, 95, 35),
    ("Micron 9300", "MTFDHAL", 3500, 3500, 835, 150),
    ("Micron 7450", "MTFDKCC", 6800, 5600, 1000, 215),
    ("Kioxia CD6", "KCD6", 6200, 4000, 1000, 85),
    ("Kioxia CM6", "KCM6", 6900, 4200, 1400, 170),
    ("Kioxia CD8", "KCD8", 7200, 6000, 1250, 200),
)
"""name, prefix, MB/s read and written, thousands of random reads and sustained random writes per second"""


def _families() -> tuple[Family, ...]:
    disks = (
        _disk(model.split(":"), name, rpm, shingled=shingled)
        for table, shingled in ((_DISKS, False), (_SHINGLED, True))
        for name, rpm, models in table
        for model in models.split()
    )
    flash = (
        Family(prefix, name, read * MB, write * MB, False, None, reads * 1000, writes * 1000)
        for name, prefix, read, write, reads, writes in _FLASH
    )
    return tuple(sorted((*disks, *flash), key=lambda family: -len(family.prefix)))


def _disk(model: list[str], name: str, rpm: int, *, shingled: bool) -> Family:
    prefix, rate, *terabytes = model
    size = round(1000 * float(terabytes[0])) if terabytes else None
    return Family(prefix, name, int(rate) * MB, int(rate) * MB, True, rpm, gigabytes=size, shingled=shingled)


_FAMILIES = _families()
