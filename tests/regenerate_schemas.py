"""`python -m tests.regenerate_schemas` writes schemas/ from the values themselves."""

from __future__ import annotations

import json
from pathlib import Path

from raidtui.cli.schemas import SCHEMAS
from raidtui.model.codec import schema

FOLDER = Path(__file__).resolve().parent.parent / "schemas"


def texts() -> dict[str, str]:
    """File name to content."""
    return {f"{name}.json": json.dumps(schema(kind), indent=2) + "\n" for name, kind in SCHEMAS.items()}


if __name__ == "__main__":
    for name, text in texts().items():
        (FOLDER / name).write_text(text)
