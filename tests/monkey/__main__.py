"""`python -m tests.monkey --seed N --sessions N [--load N]`: plays sessions, prints faults as short calls of `--play`.

A session is drawn from the seed and its number: `--seed 7 --first 12 --sessions 1` plays the twelfth of seed 7 alone.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict

from tests.monkey.acts import Session, drawn
from tests.monkey.session import Fault, play
from tests.monkey.shrink import shrunk


def main() -> int:
    """1 if a session failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.monkey", description=__doc__)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--sessions", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="number of the first session")
    parser.add_argument("--load", type=int, default=0, help="busy processes beside it")
    parser.add_argument("--no-shrink", action="store_true", help="print the whole session")
    parser.add_argument("--play", metavar="SESSION", help="play one session, as it was printed")
    options = parser.parse_args()
    if options.play:
        found = play(Session(**ast.literal_eval(options.play)))
        print(found or "no fault")
        return int(found is not None)
    begun, wrong = time.monotonic(), 0
    with _loaded(options.load):
        for number in range(options.first, options.first + options.sessions):
            session = drawn(f"{options.seed} {number}")
            if (fault := play(session)) is not None:
                wrong += 1
                _tell(number, session, fault, short=not options.no_shrink)
            print(f"{number}: {'fault' if fault else 'ok'}", file=sys.stderr, flush=True)
    last, seconds = options.first + options.sessions - 1, time.monotonic() - begun
    print(
        f"seed {options.seed}, sessions {options.first} to {last}, load {options.load}: {wrong} faults, {seconds:.0f} s"
    )
    return int(wrong > 0)


def _tell(number: int, session: Session, fault: Fault, *, short: bool) -> None:
    if short:

        def fails(other: Session) -> bool:
            found = play(other)
            return found is not None and found.what == fault.what

        session = shrunk(session, fails)
    print(f"session {number}: {fault.what}", fault.shown, f'--play "{asdict(session)}"', sep="\n", flush=True)


@contextlib.contextmanager
def _loaded(count: int) -> Iterator[None]:
    """`count` processes that only compute, until the end."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


if __name__ == "__main__":
    sys.exit(main())
