"""Every option of a design, its plan, the models and the search."""

from __future__ import annotations

from types import SimpleNamespace

from raidtui.model.options.assumptions import ASSUMPTIONS
from raidtui.model.options.constraints import CONSTRAINTS
from raidtui.model.options.design import PLANNED

OPTIONS = (*PLANNED, *ASSUMPTIONS)
"""those that Design has a field for; Compare has a line for the constraints"""
ROW = SimpleNamespace(**{option.key: option for option in (*OPTIONS, *CONSTRAINTS)})
"""each by its key: `ROW.queue_depth`"""
