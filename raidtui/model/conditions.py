"""Conditions of a benchmark: what is decided by is typed, the rest is shown and compared by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What a benchmark was run under. In files it is one object of texts, name to value."""

    usable_bytes: int | None = None
    """f_blocks times f_frsize of the file system (statvfs); None where no single one was measured"""
    settings: Mapping[str, str] = field(default_factory=dict)
    """kernel, mdadm and fio versions; chunk, stripe_cache_size, group_thread_cnt, scheduler, read-ahead, write cache,
    sync state by array: name to value"""

    @property
    def texts(self) -> dict[str, str]:
        """Name to value, as text."""
        size = {} if self.usable_bytes is None else {"usable_bytes": str(self.usable_bytes)}
        return {**self.settings, **size}

    @classmethod
    def read(cls, texts: Mapping[str, str]) -> Conditions:
        """The conditions of these texts; a size that is no number stays a text."""
        settings = dict(texts)
        size = texts.get("usable_bytes", "")
        usable = int(settings.pop("usable_bytes")) if size.isascii() and size.isdigit() else None
        return cls(usable_bytes=usable, settings=settings)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: type[Any], handler: GetCoreSchemaHandler) -> Any:
        """Read from its texts. Called by pydantic, which start-up does not load."""
        from pydantic_core import core_schema

        return core_schema.no_info_after_validator_function(cls.read, handler.generate_schema(dict[str, str]))
