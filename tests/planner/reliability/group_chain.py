"""The plain chain of one group, as the literature has it, solved by the model's own elimination."""

from __future__ import annotations

from typing import Literal, assert_never

from raidtui.predict.risk.spare_pool import MatrixRow, life

Repair = Literal["md", "serial", "parallel"]


def group_mttdl(n: int, tolerance: int, failure_per_hour: float, repair_hours: float, repair: Repair = "md") -> float:
    """Mean hours until more than `tolerance` of `n` members are missing at once, spares being always at hand.

    `md`: one pass restores every missing member, since recovery starts over at the smallest recovery offset when a
    spare is added (kernel, drivers/md/md.c, md_do_sync). `serial`: one member after the other. `parallel`: each on
    its own. Raises ValueError unless n > tolerance >= 0 and both rates are above 0.
    """
    if not (n > tolerance >= 0 and failure_per_hour > 0 and repair_hours > 0):
        raise ValueError(f"no chain of {n} members, {tolerance} to spare, {failure_per_hour}/h, {repair_hours} h")
    rows: list[MatrixRow] = []
    for missing in range(tolerance + 1):
        row = {missing + 1: (n - missing) * failure_per_hour} if missing < tolerance else {}
        if missing:
            row |= _repair(missing, 1 / repair_hours, repair)
        rows.append(row)
    losses = [0.0] * tolerance + [(n - tolerance) * failure_per_hour]
    return 1 / life(rows, losses).loss_per_hour


def _repair(missing: int, rate: float, repair: Repair) -> MatrixRow:
    match repair:
        case "md":
            return {0: rate}
        case "serial":
            return {missing - 1: rate}
        case "parallel":
            return {missing - 1: missing * rate}
        case never:
            assert_never(never)
