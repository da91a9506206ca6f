"""How every value is read back from a file: unknown keys are refused, docstrings become the schema."""

from __future__ import annotations

STRICT = {"extra": "forbid", "use_attribute_docstrings": True}
"""what pydantic's `TypeAdapter` honours on a standard dataclass, said without importing pydantic"""


class Value:
    """Base of the dataclasses that files hold."""

    __slots__ = ()
    __pydantic_config__ = STRICT
