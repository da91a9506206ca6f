import pytest

from raidtui.predict.design import predict
from raidtui.predict.stated_disks import nvme_link, purchase
from raidtui.values.design import Design
from raidtui.values.errors import BadInput
from raidtui.values.notation import parse


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("60x2TB", [2_000_000_000_000] * 60),
        ("60x2000398934016", [2_000_398_934_016] * 60),
        ("2x1TB,1x250GB", [1_000_000_000_000, 1_000_000_000_000, 250_000_000_000]),
        ("250GB, 2×1TB", [250_000_000_000, 1_000_000_000_000, 1_000_000_000_000]),
        ("4 X 1.5 TiB", [1_649_267_441_664] * 4),
        ("1TB", [1_000_000_000_000]),
    ],
)
def test_exactly_the_bytes_said_in_the_order_said(text: str, sizes: list[int]) -> None:
    assert [disk.size_bytes for disk in purchase(text).disks] == sizes


@pytest.mark.parametrize(
    ("text", "says", "way_out"),
    [
        ("", "empty entry", "60x2TB"),
        ("2x1TB,,1x1TB", "empty entry", "60x2TB"),
        ("0x2TB", "'0x2TB': the count must be at least 1", "60x2TB"),
        ("60x2XB", "'60x2XB': invalid size '2XB'", "60x2TB"),
        ("60xx", "'60xx'", "60x2TB"),
        ("3x1.5", "'3x1.5': 1.5 is too small for a disk", "60x2TB"),
        ("2x1000", "too small", "60x2TB"),
        ("99999999x1TB", "limit of 4096", "60x2TB"),
        ("4095x1TB,2x1TB", "limit is 4096", "60x2TB"),
        ("9" * 5000 + "x1TB", "too many digits", "60x2TB"),
        ("14x99999999999999999999999999TB", "too large", "60x2TB"),
        ("14x2000000TB", "exceeds the limit of 1048576 TiB", "60x2TB"),
        ("14x-2TB", "invalid size", "60x2TB"),
        ("-14x2TB", "invalid size", "60x2TB"),
    ],
)
def test_errors_name_the_entry_and_the_way_out(text: str, says: str, way_out: str) -> None:
    with pytest.raises(BadInput) as caught:
        purchase(text)
    assert says in str(caught.value)
    assert way_out in caught.value.hint


def test_the_title_names_what_was_said() -> None:
    assert purchase("2xST4000DM000,4x8TB@5400@SMR,1x1TB").title == (
        "what if: 2 x 4.00 TB, ST4000DM000, 4 x 8.00 TB, 5400 rpm, SMR, 1 x 1.00 TB"
    )


@pytest.mark.parametrize(
    ("text", "says", "way_out"),
    [
        ("4xST4000DM001", "the table of disks has no model 'ST4000DM001'; did you mean ST4000DM004?", "4x4TB@5400"),
        ("4xQQQQ99", "the table of disks has no model 'QQQQ99'", "4x4TB@5400"),
        ("4xMG04ACA", "Toshiba MG04 (MG04ACA) has several sizes", "4TB@MG04ACA"),
        ("4x4TB@54", "54 rpm: expected 3600 to 15000", "4x4TB@5400"),
        ("4x4TB@", "expected rpm, SMR, SSD or a model behind @, found ''", "4x4TB@5400"),
        ("2x400GB@5400@SSD", "400 GB, 5400 rpm, SSD: a rotating disk is no SSD", "2x1TB@SSD"),
        ("2x400GB@ssd@5400", "400 GB, 5400 rpm, SSD: a rotating disk is no SSD", "2x1TB@SSD"),
        ("2x400GB@SMR@4x4", "400 GB, SMR, NVMe: a rotating disk is no SSD", "2x1TB@SSD"),
        ("2x400GB@4x3", "invalid link '4x3' of an NVMe drive: expected generation 3 to 6, lanes 1 to 16", "4x4"),
        ("4x4TB@fast!", "expected rpm, SMR, SSD or a model behind @, found 'fast!'", "4x4TB@5400"),
    ],
)
def test_what_is_said_wrongly_of_a_disk_is_named(text: str, says: str, way_out: str) -> None:
    with pytest.raises(BadInput) as caught:
        purchase(text)
    assert says in str(caught.value)
    assert way_out in caught.value.hint


def test_flash_beside_rotating_disks() -> None:
    bought = purchase("2x4TB,1x400GB@SSD,1x800GB@4x4")
    assert bought.title == "what if: 2 x 4.00 TB, 1 x 400 GB, SSD, 1 x 800 GB, NVMe"
    assert [(disk.rotational, disk.transport, disk.link_bits_per_s) for disk in bought.disks] == [
        (True, None, None), (True, None, None), (False, None, None), (False, "nvme", 64_000_000_000),
    ]  # fmt: skip


def test_flash_has_no_rpm() -> None:
    with pytest.raises(BadInput, match="a rotating disk, but --ssd or --nvme is given"):
        purchase("4x4TB@5400", rotational=False)


@pytest.mark.parametrize(
    ("text", "sector", "size"),
    [
        ("3x1234567890", 512, 1_234_567_680),
        ("3x1234567890B", 512, 1_234_567_680),
        ("3x1.82TiB", 512, 2_001_111_162_368),
        ("3x250GB", 4096, 249_999_998_976),
        ("3x1000204886017", 512, 1_000_204_886_016),
    ],
)
def test_a_size_of_no_whole_sectors_is_rounded_down_and_said(text: str, sector: int, size: int) -> None:
    inventory = purchase(text, sector=sector)
    assert [disk.size_bytes for disk in inventory.disks] == [size] * 3
    (said,) = [
        finding
        for finding in predict(Design(layout=parse("raid5(2+1)"), chunk_bytes=65536), inventory.disks).findings
        if finding.code == "disk-size-rounded"
    ]
    written = text.removeprefix("3x")
    assert said.message == f"{written} is no whole number of {sector}-byte sectors: 3 disks counted as {size} bytes."


@pytest.mark.parametrize("text", ["", "4", "x4", "2x4", "7x4", "4x3", "4x4x4", "4x999", "٤x٤"])
def test_other_links_are_refused(text: str) -> None:
    with pytest.raises(BadInput, match="expected generation 3 to 6, lanes 1 to 16"):
        nvme_link(text)
