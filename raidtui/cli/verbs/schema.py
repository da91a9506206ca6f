"""`raidtui schema`: the JSON Schema of a document that raidtui writes."""

from __future__ import annotations

import argparse
import json

from raidtui.model import codec
from raidtui.model.errors import Exit
from raidtui.model.schemas import SCHEMAS


def schema(options: argparse.Namespace) -> int:
    """Prints the schema of the document that is named."""
    print(json.dumps(codec.schema(SCHEMAS[options.value]), indent=2))
    return Exit.DONE
