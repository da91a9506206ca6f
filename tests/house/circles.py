"""Prints what stands in the way of a map: `python -m tests.house.circles`.

Import circles among modules and among folders, imports inside functions, and the largest folder.
"""

from collections import Counter
from collections.abc import Iterator

from tests.house.imports import HERE, Level, circles, imports, modules, of_folders, of_modules

_TITLES = {
    Level.MODULE: "module level",
    Level.TYPE_CHECKING: "with TYPE_CHECKING",
    Level.FUNCTION: "with imports inside functions",
}


def lines() -> Iterator[str]:
    """The report, line by line."""
    known = modules()
    found = imports(known)
    for level, title in _TITLES.items():
        graph = of_modules(found, level)
        for what, each in (("modules", graph), ("folders", of_folders(graph, known))):
            rings = circles(each)
            yield f"circles of {what}, {title}: {len(rings)}"
            yield from (f"  {len(ring):3} {' '.join(ring)}" for ring in rings)
    inside = Counter(str(each.file.relative_to(HERE)) for each in found if each.level == Level.FUNCTION)
    bare = sum(each.level == Level.FUNCTION and not each.explained for each in found)
    yield f"imports inside functions: {inside.total()} in {len(inside)} files, {bare} without a reason beside them"
    yield from (f"  {count:3} {name}" for name, count in inside.most_common())
    (folder, count) = Counter(path.parent for path in known.values() if path.name != "__init__.py").most_common(1)[0]
    yield f"largest folder: {folder.relative_to(HERE)}, {count} modules"


if __name__ == "__main__":
    print("\n".join(lines()))
