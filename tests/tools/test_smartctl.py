import pytest

from raidtui.programs import smartctl
from raidtui.values.inventory import Smart

ATA = """{"smartctl": {"exit_status": 0}, "device": {"protocol": "ATA"}, "rotation_rate": 7200,
 "smart_status": {"passed": true}, "power_on_time": {"hours": 31337}, "temperature": {"current": 34},
 "ata_smart_attributes": {"table": [
   {"id": 1, "name": "Raw_Read_Error_Rate", "raw": {"value": 99}},
   {"id": 5, "name": "Reallocated_Sector_Ct", "raw": {"value": 8}}]}}"""
SCSI = """{"device": {"protocol": "SCSI"}, "rotation_rate": 7200, "smart_status": {"passed": false},
 "power_on_time": {"hours": 20123, "minutes": 7}, "temperature": {"current": 31, "drive_trip": 65},
 "scsi_grown_defect_list": 3}"""
NVME = """{"device": {"protocol": "NVMe"}, "smart_status": {"passed": true}, "power_on_time": {"hours": 12},
 "temperature": {"current": 41}, "nvme_smart_health_information_log": {"media_errors": 0, "temperature": 41}}"""
QEMU = """{"device": {"protocol": "SCSI"}, "rotation_rate": 7200, "smart_support": {"available": false},
 "temperature": {"current": 0}}"""


@pytest.mark.parametrize(
    ("text", "smart", "rpm"),
    [
        (ATA, Smart(healthy=True, hours=31337, reallocated=8, temperature_c=34), 7200),
        (SCSI, Smart(healthy=False, hours=20123, reallocated=3, temperature_c=31), 7200),
        (NVME, Smart(healthy=True, hours=12, reallocated=0, temperature_c=41), None),
        (QEMU, None, 7200),
        ("", None, None),
        ("[]", None, None),
        ('{"smart_status": "odd", "rotation_rate": 0}', None, None),
    ],
)
def test_health(text: str, smart: Smart | None, rpm: int | None) -> None:
    assert smartctl.parse(text) == (smart, rpm)


def reallocated(raw: str) -> int | None:
    table = f'{{"table": [{{"id": 5, "raw": {raw}}}]}}'
    smart, _ = smartctl.parse(f'{{"smart_status": {{"passed": true}}, "ata_smart_attributes": {table}}}')
    assert smart is not None
    return smart.reallocated


@pytest.mark.parametrize(
    ("raw", "count"),
    [
        ('{"value": 8589934592000, "string": "0 (2000 0)"}', 0),  # 65536 * 131072000, and 0 reallocated sectors
        ('{"value": 131073, "string": "1 (2 0)"}', 1),
        ('{"value": 24, "string": "24"}', 24),
        ('{"value": 81920, "string": "81920"}', 81920),  # raw48: the database says that this drive counts so far
        ('{"value": 4294967298, "string": "256/2"}', 256),
        ('{"value": 12, "string": "0 0 12"}', 12),  # raw16: the highest part is first
        ('{"value": 8589934592012, "string": "2000 0 12"}', None),
        ('{"value": 12, "string": "0x00000000000c"}', 12),
        ('{"value": 8589934592000}', None),
        ('{"value": 65535}', 65535),
        ('{"value": -1, "string": ""}', None),
        ('{"value": true, "string": null}', None),
        ('"odd"', None),
    ],
)  # fmt: skip
def test_reallocated_sectors_are_the_count_that_the_raw_value_begins_with(raw: str, count: int | None) -> None:
    assert reallocated(raw) == count


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"ata_sct_erc": {"read": {"enabled": true, "deciseconds": 70}}}', ("limited", 7.0)),
        ('{"ata_sct_erc": {"read": {"enabled": false}}}', ("unlimited", None)),
        ('{"ata_sct_capabilities": {"value": 61, "error_recovery_control_supported": false}}', ("none", None)),
        ('{"ata_sct_capabilities": {"value": 0}}', ("none", None)),
        ('{"smartctl": {"exit_status": 2}}', None),
        ("", None),
    ],
)
def test_error_recovery(text: str, found: tuple[str, float | None] | None) -> None:
    assert smartctl.recovery(text) == found
