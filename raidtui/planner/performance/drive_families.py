"""Sustained and random rates of drive families by model string, from the vendors' public data sheets.

Sources: product manuals and data sheets of Seagate (Barracuda, Constellation ES.3, Enterprise Capacity, Exos,
IronWolf), Western Digital and HGST (Red, Re, Ultrastar), Toshiba (MG), Samsung, Intel and Solidigm, Micron, Kioxia.
Data sheets give maxima: for rotating disks the outermost zone (Toshiba gives MiB/s, converted to MB/s), for flash a
fresh large model at depth. SMR models are excluded, since their sustained write rate is far lower.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

MB = 1_000_000


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


def family_of(model: str | None) -> Family | None:
    """The family of `model`: the longest prefix of any of its words; None for an unknown model."""
    return _family_of(model) if model else None


@lru_cache(maxsize=1024)
def _family_of(model: str) -> Family | None:
    words = model.upper().split()
    return next((family for family in _FAMILIES if any(word.startswith(family.prefix) for word in words)), None)


_DISKS = (
    ("Seagate Barracuda", 7200, "ST1000DM003:210 ST1000DM010:210 ST2000DM001:210 ST3000DM001:210"),
    ("Seagate Desktop HDD", 5900, "ST4000DM000:180"),
    ("Seagate Constellation ES.3", 7200, "ST1000NM0033:175 ST2000NM0033:175 ST3000NM0033:175 ST4000NM0033:175"),
    ("Seagate Enterprise Capacity", 7200, "ST6000NM0024:226 ST8000NM0055:237 ST10000NM0016:249"),
    ("Seagate Exos X12", 7200, "ST12000NM0007:261"),
    ("Seagate Exos X16", 7200, "ST10000NM001G:245 ST12000NM001G:245 ST14000NM001G:261 ST16000NM001G:261"),
    ("Seagate Exos X18", 7200, "ST16000NM000J:270 ST18000NM000J:270"),
    ("Seagate Exos X20", 7200, "ST18000NM003D:285 ST20000NM007D:285"),
    ("Seagate Exos X24", 7200, "ST20000NM002H:285 ST24000NM002H:285"),
    ("Seagate Exos 10E2400", 10500, "ST2400MM0129:266"),
    ("Seagate IronWolf", 5980, "ST4000VN008:180"),
    ("Seagate IronWolf", 7200, "ST8000VN004:210"),
    ("Seagate IronWolf Pro", 7200, "ST16000NE000:255 ST20000NE000:285"),
    ("WD Red", 5400, "WD20EFRX:147 WD30EFRX:147 WD40EFRX:150 WD60EFRX:175 WD80EFZX:178 WD80EFAX:210 WD100EFAX:210"),
    ("WD Re", 7200, "WD2000FYYZ:171 WD3000FYYZ:171 WD4000FYYZ:171"),
    ("HGST Ultrastar 7K4000", 7200, "HUS724020:171 HUS724030:171 HUS724040:171"),
    ("HGST Ultrastar 7K6000", 7200, "HUS726040:227 HUS726050:227 HUS726060:227"),
    ("HGST Ultrastar He8", 7200, "HUH728080:205"),
    ("HGST Ultrastar He10", 7200, "HUH721010:249"),
    ("WD Ultrastar HC310", 7200, "HUS726T6:255"),
    ("WD Ultrastar HC520", 7200, "HUH721212:255"),
    ("WD Ultrastar HC530", 7200, "WUH721414:267"),
    ("WD Ultrastar HC550", 7200, "WUH721818:269"),
    ("WD Ultrastar HC560", 7200, "WUH722020:269"),
    ("WD Ultrastar HC570", 7200, "WUH722222:291"),
    ("Toshiba MG04", 7200, "MG04ACA:205 MG04SCA:205"),
    ("Toshiba MG06", 7200, "MG06ACA10:249 MG06SCA10:249"),
    ("Toshiba MG07", 7200, "MG07ACA14:260 MG07SCA14:260"),
    ("Toshiba MG08", 7200, "MG08ACA16:275 MG08SCA16:275"),
    ("Toshiba MG09", 7200, "MG09ACA18:281 MG09SCA18:281"),
    ("Toshiba MG10", 7200, "MG10ACA20:281 MG10SCA20:281"),
    ("Toshiba MG11", 7200, "MG11ACA24:309 MG11SCA24:309"),
)
"""name, revolutions per minute, and model:MB/s of the outermost zone"""

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
        Family(prefix, name, int(rate) * MB, int(rate) * MB, True, rpm)
        for name, rpm, models in _DISKS
        for prefix, rate in (model.split(":") for model in models.split())
    )
    flash = (
        Family(prefix, name, read * MB, write * MB, False, None, reads * 1000, writes * 1000)
        for name, prefix, read, write, reads, writes in _FLASH
    )
    return tuple(sorted((*disks, *flash), key=lambda family: -len(family.prefix)))


_FAMILIES = _families()
