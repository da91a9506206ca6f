"""`python -m tests.regenerate_mkfs` writes the tables of the topic mkfs."""

from __future__ import annotations

from pathlib import Path

from raidtui.programs.mkfs_options import FEATURES, REFUSED, WORDS
from raidtui.values.choices import MADE_FILE_SYSTEMS, MadeFileSystem

TOPIC = Path(__file__).resolve().parent.parent / "raidtui" / "topics" / "mkfs.md"
BEGIN = "<!-- options: python -m tests.regenerate_mkfs -->\n"


def topic() -> str:
    """The page with its tables made anew."""
    kept, found, _ = TOPIC.read_text().partition(BEGIN)
    assert found
    return f"{kept}{found}" + "".join(f"\n{_accepted(kind)}\n{_refused(kind)}" for kind in MADE_FILE_SYSTEMS)


def _accepted(kind: MadeFileSystem) -> str:
    lines = [f"## {kind}", "", f"| --mkfs | mkfs.{kind} | what it does |", "| --- | --- | --- |"]
    for word in WORDS[kind]:
        if word.does:
            lines.append(f"| `{word.name}={word.form.hint.replace(', ', ' or ')}` | `{word.of}` | {word.does} |")
    if kind == "ext4":
        lines += [f"| `features={name}` | `-O` | {does} |" for name, does in FEATURES.items()]
    return "\n".join(lines) + "\n"


def _refused(kind: MadeFileSystem) -> str:
    reasons: dict[str, list[str]] = {}
    for name, reason in REFUSED[kind].items():
        reasons.setdefault(reason, []).append(name)
    lines = ["| refused | why |", "| --- | --- |"]
    lines += [f"| `{'`, `'.join(names)}` | {reason} |" for reason, names in reasons.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    TOPIC.write_text(topic())
