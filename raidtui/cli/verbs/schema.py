"""`raidtui schema`: the JSON Schema of a document that raidtui writes."""

from __future__ import annotations

import argparse
import json

from raidtui.cli.schemas import SCHEMAS
from raidtui.model import codec
from raidtui.model.errors import Exit


def schema(options: argparse.Namespace) -> int:
    """Prints the schema of the document that is named."""
    print(json.dumps(codec.schema(options.value, SCHEMAS[options.value]), indent=2))
    return Exit.DONE
