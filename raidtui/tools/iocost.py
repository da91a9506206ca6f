"""Lines for io.cost.model and io.cost.qos of the root cgroup (Documentation/admin-guide/cgroup-v2.rst)."""

from __future__ import annotations

from raidtui.model.iocost import COEFFICIENTS, IoCost

MODEL_FILE = "/sys/fs/cgroup/io.cost.model"
QOS_FILE = "/sys/fs/cgroup/io.cost.qos"


def coefficients(cost: IoCost) -> str:
    """`rbps=174019176 rseqiops=41708 ...`."""
    return " ".join(f"{name}={getattr(cost, name)}" for name in COEFFICIENTS)


def model_line(number: str, cost: IoCost) -> str:
    """The line of the disk with this number, `MAJOR:MINOR`."""
    return f"{number} ctrl=user model=linear {coefficients(cost)}"


def enable_line(number: str) -> str:
    """The line that turns the controller on for the disk."""
    return f"{number} enable=1"
