"""`python -m tests.regenerate_mount` writes the tables of the topic mount."""

from __future__ import annotations

from pathlib import Path

from raidtui.programs.mount_options import ALIASES, OF_OTHERS, REFUSED, TABLE, values_of

TOPIC = Path(__file__).resolve().parent.parent / "raidtui" / "topics" / "mount.md"
BEGIN = "<!-- options: python -m tests.regenerate_mount -->\n"


def topic() -> str:
    """The page with its tables made anew."""
    kept, found, _ = TOPIC.read_text().partition(BEGIN)
    assert found
    return f"{kept}{found}\n{_accepted()}\n## Refused\n\n{_refused()}"


def _accepted() -> str:
    lines = ["| option | of | what it does |", "| --- | --- | --- |"]
    for each in TABLE:
        value = f"={values_of(each).replace(', ', ' or ')}" if each.value else ""
        others = sorted({name for kind in each.types for name, own in ALIASES[kind].items() if own == each.name})
        also = f" (also `{'`, `'.join(others)}`)" if others else ""
        lines.append(f"| `{each.name}{value}`{also} | {', '.join(each.types)} | {each.does} |")
    return "\n".join(lines) + "\n"


def _refused() -> str:
    reasons: dict[str, list[str]] = {}
    for name, reason in REFUSED.items():
        reasons.setdefault(reason, []).append(name)
    reasons[OF_OTHERS] = ["x-...", "verity..."]
    lines = ["| option | why |", "| --- | --- |"]
    lines += [f"| `{'`, `'.join(names)}` | {reason} |" for reason, names in reasons.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    TOPIC.write_text(topic())
