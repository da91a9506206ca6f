import pytest

from raidtui.programs import nvme
from raidtui.values.inventory import Smart


@pytest.mark.parametrize(
    ("text", "smart"),
    [
        (
            '{"critical_warning":0,"temperature":314,"power_on_hours":1200,"media_errors":0}',
            Smart(healthy=True, hours=1200, reallocated=0, temperature_c=41),
        ),
        (
            '{"critical_warning":{"value":4,"available_spare":0},"temperature":300,"power_on_hours":"1,200","media_errors":"7"}',
            Smart(healthy=False, hours=1200, reallocated=7, temperature_c=27),
        ),
        (
            '{"critical_warning":0,"temperature":70000,"power_on_hours":"\u00b2","media_errors":true}',
            Smart(healthy=True),
        ),
        ("{}", None),
        ("no JSON", None),
    ],
)
def test_health(text: str, smart: Smart | None) -> None:
    assert nvme.parse(text) == smart


def test_the_question() -> None:
    assert nvme.argv("/dev/nvme0n1") == ("nvme", "smart-log", "--output-format=json", "/dev/nvme0n1")
