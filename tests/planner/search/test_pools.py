"""What the guide suggests for pools of disks that people have, beside what should be built of them.

The pools, their layouts and the guides that name them stand in `tests/validation/pools.py`.
"""

from __future__ import annotations

import pytest

from tests.validation.pools import PAGE, POOLS, Pool, page


@pytest.mark.parametrize(
    "pool", [pool for pool in POOLS if pool.expected], ids=lambda pool: f"{pool.disks} {pool.purpose}"
)
def test_the_guide_suggests_what_should_be_built(pool: Pool) -> None:
    found = pool.suggested()
    assert found.layout == pool.expected
    assert found.spares >= found.spares_enough


def test_forty_pools_each_have_a_guide_or_say_that_none_was_found() -> None:
    assert len(POOLS) == 40
    assert len({(pool.disks, pool.purpose) for pool in POOLS}) == 40
    assert all(bool(pool.guide) == bool(pool.source[1]) for pool in POOLS)
    assert all(pool.expected or pool.why for pool in POOLS)


def test_the_committed_page_is_fresh() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m tests.validation`"
