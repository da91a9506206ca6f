"""How every value is read back from a file: unknown keys are refused, docstrings become the schema."""

STRICT = {"extra": "forbid", "use_attribute_docstrings": True}
"""what pydantic's `TypeAdapter` honours on a standard dataclass, said without importing pydantic"""
