"""Man pages and completions as files below a `share` directory."""

from __future__ import annotations

from pathlib import Path

from tests.release.completions import PLACES, completions
from tests.release.manual import pages


def write_documents(share: Path, epoch: int) -> list[Path]:
    """Writes them below `share`; returns the files. `epoch`: the date of the pages, seconds since 1970."""
    texts = {f"man/man{name[-1]}/{name}": text for name, text in pages(epoch).items()}
    texts |= {PLACES[shell]: text for shell, text in completions().items()}
    for name, text in texts.items():
        (share / name).parent.mkdir(parents=True, exist_ok=True)
        (share / name).write_text(text, "utf-8")
    return [share / name for name in sorted(texts)]
