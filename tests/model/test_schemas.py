"""The committed schemas are those of the values."""

from raidtui.model.schemas import SCHEMAS
from tests.regenerate_schemas import FOLDER, texts


def test_schemas_are_fresh() -> None:
    on_disk = {path.name: path.read_text() for path in FOLDER.glob("*.json")}
    assert on_disk == texts(), "run: python -m tests.regenerate_schemas"


def test_every_field_is_described() -> None:
    from raidtui.model.codec import schema

    bare = [
        f"{name}.{field}"
        for kind in SCHEMAS.values()
        for name, definition in schema(kind)["$defs"].items()
        for field, text in definition.get("properties", {}).items()
        if "description" not in text and field not in ("kind", "type")
    ]
    assert bare == []


def test_what_may_be_unknown_may_be_left_out() -> None:
    """None is never written, so a document without the field must read back."""
    from raidtui.model.codec import schema

    needed = [
        f"{name}.{field}"
        for kind in SCHEMAS.values()
        for name, definition in [(kind.__name__, schema(kind)), *schema(kind)["$defs"].items()]
        for field in definition.get("required", [])
        if {"type": "null"} in definition["properties"][field].get("anyOf", [])
    ]
    assert needed == []
