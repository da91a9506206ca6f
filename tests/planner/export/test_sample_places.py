import subprocess

import pytest

from raidtui.planner.export.bash_functions import bash_text

MIB = 1024 * 1024
CASES = [
    (2_000_398_934_016, (1048576, 1052672, 16777216, 135266304, 1073741824, 484945195008, 969890390016, 1454835585024)),
    (256 * MIB, (1048576, 1052672, 16777216, 135266304, 65073152, 130150400, 195223552)),
    (2 * MIB, ()),
    (2 * MIB + 4096, (1048576,)),
]


@pytest.mark.process
@pytest.mark.parametrize(("size", "places"), CASES)
def test_a_script_reads_at_eight_places_between_the_ends(size: int, places: tuple[int, ...]) -> None:
    text = f"{bash_text('common')}\nbytes={size}\nplaces"
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], capture_output=True, text=True, check=True)
    assert tuple(int(line) for line in done.stdout.split()) == places
