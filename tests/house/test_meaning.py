"""Meaning is a typed value: what is decided is never read back from an argv or from text made for people."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import raidtui

ROOT = Path(raidtui.__file__).parent
MAY_READ = {
    "argv": ("programs/", "simulated/", "answers/", "scripts/", "installers/"),
    "text": ("simulated/",),
}
"""the programs' own files, which write argv, the programs that stand in for real ones, what shows or writes commands;
a fault's `what` and a mount's `place` are words and paths of the simulated machine"""
STARTERS = {
    "machine/system/ports.py", "machine/system/runner.py", "machine/system/host.py",
    "bench/child_process.py", "bench/fio_load.py",
}  # fmt: skip
"""modules that start programs: they look the first word up in the search path, or put words before it"""
TEXTS = {
    "about", "adopt_note", "basis", "changed", "consequence", "detail", "evidence", "folder_problem",
    "foreign_program", "formula", "gives_up", "hint", "lost", "message", "native_note", "no_alarm", "no_verdict",
    "not_selectable", "note", "notes", "place", "problem", "reason", "remedy", "sentence", "sentences", "title",
    "undo_note", "unread", "warning", "way_out", "what", "why",
}  # fmt: skip
"""fields that hold sentences"""
ALSO_OTHERS = {
    "after", "aside", "before", "each", "error", "hosts", "kept", "more", "name", "owner", "purpose", "question",
    "refusal", "refused", "result", "stop", "text",
}  # fmt: skip
"""fields that hold sentences in some classes, and closed words, names, numbers or values in others"""
LAYOUTS = {"layout", "asked_layout"}
"""fields that hold a layout; where that is a text of another program's, it is for people"""
SENTENCE = re.compile(r"\bwhy\b|in words|sentence|for a user|\breason\b|what to do|what can be done")
"""what the docstring of such a field says"""
ALLOWED = {
    "argv": {
        "tui/screens/build/lines.py": "shows a command with the disks' slots in place of their paths",
    },
    "text": {
        "steps/preflight.py": "`about` of a reading holds paths of disks",
        "session/fields/field.py": "shows the first clause of a field's meaning",
        "tui/screens/design/screen.py": "shows the first sentence of a result's meaning",
    },
}  # fmt: skip
_TAKES_APART = {"any", "all", "dict", "enumerate", "filter", "frozenset", "len", "list", "map", "max", "min", "next",
                "reversed", "set", "sorted", "zip"}  # fmt: skip
_FINDS = {"count", "get", "index"}
_TESTS = {"count", "endswith", "find", "index", "partition", "removeprefix", "removesuffix", "rpartition", "rsplit",
          "split", "startswith"}  # fmt: skip


def is_argv(node: ast.expr) -> bool:
    match node:
        case ast.Starred(value=inner):
            return is_argv(inner)
        case ast.Name(id="argv"):
            return True
        case ast.Attribute(value=ast.Name(id="sys"), attr="argv"):
            return False
        case ast.Attribute(attr="argv"):
            return True
        case _:
            return False


def is_text(node: ast.expr) -> bool:
    match node:
        case ast.Attribute(attr=name):
            return name in TEXTS
        case ast.Name(id="reason" | "sentence" | "message" | "way_out" | "hint" | "not_selectable"):
            return True
        case _:
            return False


def is_layout(node: ast.expr) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id="options")):
            return False  # what a person typed
        case ast.Attribute(attr=name):
            return name in LAYOUTS
        case _:
            return False


def reads_argv(node: ast.AST) -> bool:
    """True where `node` indexes, compares, walks over or takes apart an argv."""
    match node:
        case ast.Subscript(value=value, slice=index):
            return is_argv(value) or is_argv(index)
        case ast.Compare(left=left, comparators=others):
            return any(map(is_argv, (left, *others)))
        case ast.Match(subject=value) | ast.For(iter=value) | ast.comprehension(iter=value):
            return is_argv(value)
        case ast.Assign(targets=[ast.Name(id="argv")]):
            return False
        case ast.Assign(value=value, targets=[ast.Name() | ast.Tuple() | ast.List()]):
            return is_argv(value)
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=given):
            return (is_argv(value) and name in _TESTS) or (name in _FINDS and any(map(is_argv, given)))
        case ast.Call(func=ast.Name(id=name), args=given):
            return name in _TAKES_APART and any(map(is_argv, given))
        case _:
            return False


def reads_text(node: ast.AST) -> bool:
    """True where `node` compares or searches a sentence."""
    match node:
        case ast.Compare(ops=[ast.Is() | ast.IsNot()]):
            return False
        case ast.Compare(left=left, comparators=others):
            return any(map(is_text, (left, *others)))
        case ast.Match(subject=value):
            return is_text(value)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="re")), args=given):
            return any(map(is_text, given))
        case ast.Call(func=ast.Name(id="parse"), args=given):
            return any(map(is_layout, given))
        case ast.Call(func=ast.Attribute(value=value, attr=name)):
            return (is_text(value) or is_layout(value)) and name in _TESTS
        case _:
            return False


def sources(words: str) -> Iterator[tuple[str, ast.Module]]:
    """Modules of the product in whose text the pattern `words` is found: parsing all takes a second."""
    for path in sorted(ROOT.rglob("*.py")):
        text = path.read_text("utf-8")
        if re.search(words, text):
            yield path.relative_to(ROOT).as_posix(), ast.parse(text)


def found(kind: str) -> list[str]:
    rule, words = (reads_argv, r"\bargv\b") if kind == "argv" else (reads_text, rf"\b({'|'.join(TEXTS | LAYOUTS)})\b")
    return [
        f"{name}:{getattr(node, 'lineno', 0) or node.iter.lineno}"  # type: ignore[attr-defined]
        for name, tree in sources(words)
        if not name.startswith(MAY_READ[kind]) and name not in STARTERS and name not in ALLOWED[kind]
        for node in ast.walk(tree)
        if rule(node)
    ]


def test_no_exception_is_of_a_file_that_is_gone() -> None:
    named = {*STARTERS, *ALLOWED["argv"], *ALLOWED["text"], *MAY_READ["argv"]}
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("kind", ["argv", "text"])
def test_meaning_is_not_read_back(kind: str) -> None:
    assert found(kind) == []


@pytest.mark.parametrize(
    "code",
    [
        "command.argv[0]", "argv[:2] == start", "'--create' in argv", "known[argv]", "known.get(record.argv)",
        "[word for word in action.argv]", "words = command.argv", "name, *rest = argv", "set(command.argv)",
        "argv.index('x')",
    ],
)  # fmt: skip
def test_an_argv_that_is_read_is_found(code: str) -> None:
    assert any(map(reads_argv, ast.walk(ast.parse(code))))


@pytest.mark.parametrize(
    "code", ["run(command.argv)", "argv = sys.argv[1:]", "Command(argv=argv)", "render(step.argv)"]
)
def test_an_argv_that_is_handed_on_is_not(code: str) -> None:
    assert not any(map(reads_argv, ast.walk(ast.parse(code))))


@pytest.mark.parametrize(
    "code",
    [
        "reading.what == said", "step.title.startswith('Wipe')", "'md' in finding.message", "row.note.split('; ')",
        "disk.place.partition(', enclosure ')", "re.split(' of ', disk.place)", "sentence.partition(':')",
        "parse(report.layout)", "bench.layout.split('+')",
    ],
)  # fmt: skip
def test_a_sentence_that_is_compared_is_found(code: str) -> None:
    assert any(map(reads_text, ast.walk(ast.parse(code))))


def test_every_field_that_holds_a_sentence_is_known() -> None:
    unknown = {
        f"{name}: {made.name}.{field.target.id}"
        for name, tree in sources("str")
        for made in ast.walk(tree)
        if isinstance(made, ast.ClassDef)
        for field, said in zip(made.body, made.body[1:], strict=False)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if ast.unparse(field.annotation) in ("str", "str | None", "tuple[str, ...]")
        if isinstance(said, ast.Expr) and isinstance(said.value, ast.Constant)
        if SENTENCE.search(str(said.value.value)) and field.target.id not in TEXTS | ALSO_OTHERS
    }
    assert unknown == set(), "add it to TEXTS"


def is_plural_by_hand(node: ast.AST) -> bool:
    """True for `'' if count == 1 else 's'` and its like."""
    match node:
        case ast.IfExp(body=ast.Constant(value=one), orelse=ast.Constant(value=other)):
            return {one, other} == {"", "s"}
        case _:
            return False


def test_one_function_makes_plurals() -> None:
    assert is_plural_by_hand(ast.parse("'s' if count > 1 else ''").body[0].value)  # type: ignore[attr-defined]
    found = [
        f"{name}:{node.lineno}"
        for name, tree in sources(r"""(["'])s\1""")
        for node in ast.walk(tree)
        if isinstance(node, ast.IfExp) and is_plural_by_hand(node)
    ]
    assert found == [], "use raidtui.values.units"
