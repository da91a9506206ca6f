"""Plants random faults in the product and counts which of them the tests find.

    python -m tests.mutants [--seed 1] [--areas geometry,fleet] [--each 6] [--jobs 1] [--commit HEAD] [--tests FOLDER]

Each mutant changes one expression of one module: a comparison, a number, a sign, and/or, what is returned, a call whose
result nobody takes, the branches of an if. It is planted in a copy of that commit, never in this tree, and the area's
fast tests run on it, first those that stand beside the module, then those that come through doors, each until one
fails or its seconds are over. `--tests` takes the tests of another folder, such as those of this tree as they are.
The table says how many died by which; a line follows for each that lived.

An area's tests are collected once; each mutant has a process of its own, forked from there.
"""

from __future__ import annotations

import argparse
import ast
import fnmatch
import gc
import inspect
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import CodeType, FunctionType

import pytest
from _pytest.runner import runtestprotocol

ROOT = Path(__file__).resolve().parent.parent
_SECONDS = 10
"""of the processor (other work changes it little) for the tests beside a module, and again for those through doors"""
_CLOCK = 300
"""seconds of a clock for a mutant; what takes longer counts as found: it never ends"""
_RESULTS = "mutants.jsonl"


@dataclass(frozen=True)
class Area:
    """Modules below `raidtui/` and the tests below `tests/` that reach them: patterns, of earlier layouts too."""

    modules: str
    beside: str
    doors: str


AREAS = {
    "geometry": Area(
        "sizes/* planner/geometry/*",
        "planner/geometry",
        "planner/design planner/compile properties/test_geometry.py planner/test_scenarios.py",
    ),
    "performance": Area(
        "predict/speed/* planner/performance/*",
        "planner/performance",
        "planner/design planner/test_scenarios.py validation properties/test_throughput.py",
    ),
    "reliability": Area(
        "predict/risk/* planner/reliability/*",
        "planner/reliability",
        "planner/design planner/test_scenarios.py validation properties/test_durability.py cli/verbs/test_model.py",
    ),
    "placement": Area(
        "predict/placement/* planner/placement/*",
        "planner/placement",
        "planner/design planner/test_scenarios.py properties/test_placement.py planner/compile",
    ),
    "search": Area(
        "predict/*.py predict/disks/* advice/proposals/* planner/design/* planner/search/*",
        "planner/search planner/design planner/test_holds.py",
        "planner/test_scenarios.py properties/test_search.py tui/screens/compare cli/verbs/test_propose.py",
    ),
    "compile": Area(
        "steps/* planner/compile/*",
        "planner/compile steps",
        "planner/export planner/standing faults/test_tier1.py machine/run machine/arrays",
    ),
    "export": Area(
        "scripts/* installers/* planner/export/*",
        "planner/export planner/test_export_content.py planner/test_export_run.py",
        "cli/verbs/test_plan.py cli/verbs/test_export.py tui/screens/commands release/test_documents.py",
    ),
    "safety": Area(
        "engine/survey*.py engine/ownership.py engine/things.py engine/preflight_facts.py machine/safety/*",
        "machine/safety machine/run/test_preflight_facts.py machine/run/test_whose_content.py",
        "faults/test_tier1.py simulated cli/verbs/test_run.py tui/screens/build",
    ),
    "run": Area(
        "engine/builder.py engine/changes.py engine/executor.py engine/folders.py engine/journal.py engine/living.py"
        " engine/process.py engine/recovery.py engine/runs.py engine/site.py engine/standing.py engine/sync.py"
        " machine/run/*",
        "machine/run planner/journal",
        "faults/test_tier1.py machine/arrays cli/verbs/test_run.py cli/verbs/test_execute.py cli/verbs/test_status.py",
    ),
    "arrays": Area(
        "advice/arrays/* advice/boot/* advice/inferred_design.py machine/arrays/* planner/arrays/*.py planner/boot/*",
        "planner/arrays machine/arrays planner/boot machine/boot planner/design/test_infer_from_arrays.py",
        "cli/verbs/test_arrays.py tui/screens/arrays properties/test_states.py answers",
    ),
    "audit": Area(
        "advice/audit/* planner/arrays/audit/*",
        "planner/arrays",
        "cli/verbs/test_audit.py cli/verbs/test_arrays.py machine/arrays tui/screens/arrays",
    ),
    "inventory": Area(
        "machine/inventory/* machine/system/* machine/device_users/*",
        "machine/inventory machine/system machine/device_users",
        "cli/verbs/test_disks.py tui/screens/disks machine/safety machine/run",
    ),
    "bench": Area(
        "bench/* machine/bench/* machine/trials/* planner/measurement/*",
        "machine/bench machine/trials planner/measurement",
        "cli/verbs/test_bench.py cli/verbs/test_tune.py tui/screens/bench machine/report planner/report",
    ),
    "tools": Area(
        "programs/* tools/*",
        "tools",
        "machine/arrays machine/inventory machine/safety planner/compile planner/geometry properties/test_options.py",
    ),
    "tui": Area(
        "session/* tui/*",
        "tui/fields tui/gauges tui/jobs tui/state tui/terminal tui/widgets tui/test_keys.py tui/test_palette.py",
        "tui/screens tui/test_app.py tui/test_sizes.py tui/test_walk.py tui/test_screenshots.py",
    ),
    "cli": Area(
        "cli/*.py cli/options/* cli/verbs/* cli/arguments/*",
        "cli/arguments cli/test_confirm.py cli/test_main.py cli/test_output.py cli/test_follow_run.py",
        "cli/verbs cli/test_documents.py cli/test_adversary.py",
    ),
    "fleet": Area(
        "fleet/* machine/fleet/* planner/fleet/* model/fleet/* cli/fleet/*",
        "machine/fleet planner/fleet fleet",
        "cli/fleet tui/screens/fleet tui/jobs",
    ),
    "model": Area(
        "values/* model/*.py model/options/*",
        "model planner/test_amounts.py planner/test_figures.py",
        "planner/test_scenarios.py planner/design planner/compile cli/verbs properties/test_options.py",
    ),
    "checks": Area(
        "predict/checks/* planner/checks/* planner/preflight/*",
        "planner/checks planner/preflight",
        "planner/design planner/test_scenarios.py machine/run cli/verbs/test_model.py tui/screens/design",
    ),
}


@dataclass(frozen=True)
class Mutant:
    """One change of one module: bytes `start` to `end` become `after`."""

    file: str
    line: int
    start: int
    end: int
    before: str
    after: str


@dataclass(frozen=True)
class Verdict:
    """What found a mutant: the first test beside its module, the first through a door; empty where none did."""

    mutant: Mutant
    beside: str
    door: str


def main(arguments: Sequence[str]) -> int:
    """Prints the table; 0 also where mutants lived."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--areas", default=",".join(AREAS), help="names with commas; all where not given")
    parser.add_argument("--each", type=int, default=6, help="mutants of an area")
    parser.add_argument("--jobs", type=int, default=1, help="areas that are tried at once")
    parser.add_argument("--commit", default="HEAD")
    parser.add_argument("--tests", help="take the tests of this folder in place of the commit's")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.inside:
        return inside(asked.areas, asked.seed, asked.each)
    names = asked.areas.split(",")
    with ThreadPoolExecutor(asked.jobs) as pool:
        rows = dict(zip(names, pool.map(lambda name: try_area(name, asked), names), strict=True))
    print("\n| area | killed of | beside | by door | only beside |\n| --- | --- | --- | --- | --- |")
    for name, found in [*rows.items(), ("all", [one for row in rows.values() for one in row])]:
        dead = sum(bool(one.beside or one.door) for one in found)
        only = sum(bool(one.beside and not one.door) for one in found)
        sums = sum(bool(one.beside) for one in found), sum(bool(one.door) for one in found)
        print(f"| {name} | {dead} of {len(found)} | {sums[0]} | {sums[1]} | {only} |")
    print("\nThese lived:")
    for verdict in (one for row in rows.values() for one in row):
        if not (verdict.beside or verdict.door):
            print(said(verdict.mutant))
    return 0


def said(mutant: Mutant) -> str:
    """The mutant in a line."""
    return f"{mutant.file}:{mutant.line}: {' '.join(mutant.before.split())[:100]} -> {mutant.after[:100]}"


def try_area(name: str, asked: argparse.Namespace) -> list[Verdict]:
    """What found the area's mutants, in a copy of the tree."""
    with tempfile.TemporaryDirectory(prefix="raidtui-mutants-") as directory:
        copy = Path(directory)
        packed = subprocess.run(["git", "archive", asked.commit], cwd=ROOT, check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", copy], input=packed, check=True)
        if asked.tests:
            shutil.rmtree(copy / "tests")
            shutil.copytree(asked.tests, copy / "tests")
        shutil.copyfile(__file__, copy / "tests" / "mutants.py")
        environment = {
            **os.environ,
            "RAIDTUI_SUITE": "tests",
            "PYTHONPATH": str(copy),
            "PYTHONPYCACHEPREFIX": str(copy / ".compiled"),
        }
        words = ["--inside", "--areas", name, "--seed", str(asked.seed), "--each", str(asked.each)]
        command = [sys.executable, "-m", "tests.mutants", *words]
        ran = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)
        if ran.returncode:
            print(f"{name}: {ran.stdout[-2000:]}{ran.stderr[-2000:]}", file=sys.stderr, flush=True)
        lines = (copy / _RESULTS).read_text().splitlines() if (copy / _RESULTS).exists() else []
        read = [json.loads(line) for line in lines]
        found = [Verdict(Mutant(**each["mutant"]), each["beside"], each["door"]) for each in read]
        for one in found:
            print(f"{name}: {said(one.mutant)}: beside {one.beside or '-'}, door {one.door or '-'}", flush=True)
        return found


def inside(name: str, seed: int, each: int) -> int:
    """Tries an area's mutants on the copy that is the current directory; the verdicts go to a file there."""
    area = AREAS[name]
    chosen = random.Random(f"{seed} {name}").sample(list(mutants(Path(), area.modules)), each)
    places = [f"tests/{place}" for place in (*area.beside.split(), *area.doors.split())]
    there = [place for place in dict.fromkeys(places) if Path(place).exists()]
    words = ["-q", "-s", "-p", "no:cacheprovider", "-p", "no:xdist", *there]
    return int(pytest.main(words, plugins=[Trial(area, chosen)]) not in (0, 1, 5))


@dataclass
class Trial:
    """In place of pytest's loop: a process for each mutant, which runs the tests until one fails."""

    area: Area
    chosen: list[Mutant]
    failing: dict[str, bool] = field(default_factory=dict)
    """tests that failed on a mutant, and whether they do without one"""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Writes a verdict for each mutant."""
        with Path(_RESULTS).open("w") as file:
            for mutant in self.chosen:
                print(json.dumps(asdict(self.verdict(session.items, mutant))), file=file, flush=True)
        return True

    def verdict(self, items: Sequence[pytest.Item], mutant: Mutant) -> Verdict:
        """Tests that fail without the mutant too say nothing of it."""
        while True:
            usable = [item for item in items if not self.failing.get(item.nodeid)]
            beside, doors = (self.ordered(usable, places, mutant) for places in (self.area.beside, self.area.doors))
            found = forked(mutant, beside), forked(mutant, doors)
            unknown = [item for item in usable if item.nodeid in found and item.nodeid not in self.failing]
            for item in unknown:
                self.failing[item.nodeid] = bool(forked(None, [item]))
            if not any(self.failing[item.nodeid] for item in unknown):
                return Verdict(mutant, *found)

    def ordered(self, items: Sequence[pytest.Item], places: str, mutant: Mutant) -> list[pytest.Item]:
        """The tests below those places: first the files that name the module, then one of each file after the other."""
        stem = Path(mutant.file).stem
        below = [item for item in items if any(f"tests/{place}" in item.nodeid for place in places.split())]
        names = {item.path: stem in item.path.read_text() for item in below}
        count: dict[Path, int] = {}

        def place(item: pytest.Item) -> tuple[bool, int]:
            count[item.path] = count.get(item.path, 0) + 1
            return not names[item.path], count[item.path] // 5

        return sorted(below, key=place)


def forked(mutant: Mutant | None, items: Sequence[pytest.Item]) -> str:
    """The first of the tests that fails, in a process of its own; `no end` where it hangs or crashes."""
    if not items:
        return ""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        quiet = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(quiet, number)
        signal.alarm(_CLOCK)
        resource.setrlimit(resource.RLIMIT_CPU, (40, 40))
        code = 1
        try:
            if mutant:
                plant(mutant)
            os.write(writing, run_until_failure(items).encode())
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        failed = pipe.read()
    _, status = os.waitpid(child, 0)
    if mutant:
        path = Path(mutant.file)
        path.write_bytes(path.with_suffix(".whole").read_bytes())
    return failed if status == 0 else "no end"


def run_until_failure(items: Sequence[pytest.Item]) -> str:
    """The first that fails; empty where none does before the seconds are over."""
    for item, after in zip(items, [*items[1:], None], strict=True):
        if any(report.failed for report in runtestprotocol(item, log=False, nextitem=after)):
            return item.nodeid
        if sum(os.times()[:4]) > _SECONDS:
            break
    return ""


def plant(mutant: Mutant) -> None:
    """Changes the file, for what imports it later, and the code of the function where it was imported already."""
    path = Path(mutant.file)
    source = path.read_bytes()
    path.with_suffix(".whole").write_bytes(source)
    changed_source = source[: mutant.start] + mutant.after.encode() + source[mutant.end :]
    path.write_bytes(changed_source)
    where = str(path.resolve())
    old = [each for each in outer_functions(compile(source, where, "exec")) if mutant.line in lines_of(each)]
    new = {each.co_qualname: each for each in outer_functions(compile(changed_source, where, "exec"))}
    gc.unfreeze()  # tests/conftest.py hides what it collected from the collector
    for found in [each for each in gc.get_objects() if isinstance(each, FunctionType)]:
        code = found.__code__
        for one in old:
            if (code.co_filename, code.co_qualname, code.co_firstlineno) == (
                where,
                one.co_qualname,
                one.co_firstlineno,
            ):
                found.__code__ = new[one.co_qualname]


def outer_functions(code: CodeType) -> Iterator[CodeType]:
    """The functions of a module and of its classes; those inside functions belong to them."""
    for each in code.co_consts:
        if isinstance(each, CodeType):
            if each.co_flags & inspect.CO_OPTIMIZED:
                yield each
            else:
                yield from outer_functions(each)


def lines_of(code: CodeType) -> set[int]:
    """The lines of a function, with those of functions in it."""
    own = {line for _, _, line in code.co_lines() if line}
    return own.union(*(lines_of(each) for each in code.co_consts if isinstance(each, CodeType)))


def mutants(copy: Path, patterns: str) -> Iterator[Mutant]:
    """All changes of the modules that match."""
    for file in sorted((copy / "raidtui").rglob("*.py")):
        name = str(file.relative_to(copy / "raidtui"))
        if not any(belongs(name, pattern) for pattern in patterns.split()):
            continue
        source = file.read_bytes()
        starts = [0]
        for line in source.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        for node, after in changes(ast.parse(source)):
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
            before = source[start:end].decode()
            yield Mutant(f"raidtui/{name}", node.lineno, start, end, before, after)


def belongs(name: str, pattern: str) -> bool:
    """True for all that is below a pattern which ends in `/*`, else for what is in its folder itself."""
    return fnmatch.fnmatch(name, pattern) and (pattern.endswith("/*") or name.count("/") == pattern.count("/"))


def changes(tree: ast.Module) -> Iterator[tuple[ast.expr, str]]:
    """Each expression that can be changed, and what it becomes; those inside functions alone."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for statement in function.body:
                yield from below(statement)


def below(node: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """The changes of `node` and of what it holds; functions in it come by themselves; f-strings stay."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.JoinedStr):
        return
    if isinstance(node, ast.expr) and (after := changed(node)):
        yield node, after
    match node:
        case ast.Expr(value=ast.Call() as call):
            yield call, "None"
        case ast.If(test=test) | ast.IfExp(test=test):
            yield test, f"(not ({ast.unparse(test)}))"
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield value, "None"
    for name, child in ast.iter_fields(node):
        if name != "annotation":
            for one in child if isinstance(child, list) else [child]:
                if isinstance(one, ast.AST):
                    yield from below(one)


_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_COUNTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
}


def changed(node: ast.expr) -> str | None:
    """The expression with its operator or number changed; None where it has none."""
    match node:
        case ast.Compare(left=left, ops=[first, *others], comparators=right) if type(first) in _COMPARED:
            return f"({ast.unparse(ast.Compare(left, [_COMPARED[type(first)](), *others], right))})"
        case ast.BoolOp(op=op, values=values):
            return f"({ast.unparse(ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values))})"
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _COUNTED and not isinstance(left, ast.JoinedStr):
            return f"({ast.unparse(ast.BinOp(left, _COUNTED[type(op)](), right))})"
        case ast.Constant(value=bool() as value):
            return str(not value)
        case ast.Constant(value=int() | float() as value):
            return str(value + 1)
        case _:
            return None


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
