"""JSON of no type of ours: the one place that reads it, since text of any depth comes from hosts, tools and files."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any


def parsed(text: str | bytes, *, number: Callable[[str], object] | None = None) -> Any:
    """What a JSON text holds; `number` reads what is no integer. Raises ValueError, also for text nested too deeply."""
    try:
        return json.loads(text, parse_float=number, parse_constant=number)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
