"""`python -m tests.regenerate_schemas` writes schemas/raidtui.json from the values themselves."""

from __future__ import annotations

import json
from pathlib import Path

from raidtui.cli.schemas import SCHEMAS
from raidtui.values.codec import bundle

BUNDLE = Path(__file__).resolve().parent.parent / "schemas" / "raidtui.json"


def text() -> str:
    """The bundle as it is written."""
    return json.dumps(bundle(SCHEMAS), indent=1) + "\n"


if __name__ == "__main__":
    BUNDLE.write_text(text())
