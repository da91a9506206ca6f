"""Every option of a design, its plan and the models."""

from __future__ import annotations

from types import SimpleNamespace

from raidtui.model.options.assumptions import ASSUMPTIONS
from raidtui.model.options.design import PLANNED

OPTIONS = (*PLANNED, *ASSUMPTIONS)
ROW = SimpleNamespace(**{option.key: option for option in OPTIONS})
"""each by its key: `ROW.queue_depth`"""
