"""`raidtui schema`: the JSON Schema of a document that raidtui writes."""

from __future__ import annotations

import argparse
import json

from raidtui.cli.schemas import SCHEMAS
from raidtui.model import codec
from raidtui.model.errors import Exit


def schema(options: argparse.Namespace) -> int:
    """Prints the schema of the document that is named, or of all in one bundle."""
    named = options.value
    print(json.dumps(codec.schema(named, SCHEMAS[named]) if named else codec.bundle(SCHEMAS), indent=2))
    return Exit.DONE
