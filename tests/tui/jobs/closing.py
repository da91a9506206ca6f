"""An app that closes while its jobs still end."""

from __future__ import annotations

from typing import Any


class Closing:
    """Its screens have gone, a worker or a timer has not."""

    has_page = False

    @property
    def page(self) -> Any:
        raise StopIteration
