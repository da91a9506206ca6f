"""What others may do to a plan's lines in a file that they write too."""

from __future__ import annotations

from collections.abc import Callable, Mapping

HOME = "/dev/sda2 /home ext4 defaults 0 2\n"
NAS = "nas:/export /mnt/nas nfs defaults 0 0\n"


def _without(number: int, more: str = "") -> Callable[[list[str]], list[str]]:
    return lambda own: [line for at, line in enumerate(own) if at % len(own) != number % len(own)] + [more]


CHANGES: Mapping[str, Callable[[list[str]], list[str]]] = {
    "the end is gone and lines follow": _without(-1, HOME + NAS),
    "the begin is gone": _without(0),
    "both marks are gone": lambda own: own[1:-1],
    "one of the lines is gone": _without(1),
    "the marks are inside out": lambda own: [own[-1], *own[1:-1], own[0], HOME],
    "lines end in CR LF": lambda own: [line.replace("\n", "\r\n") for line in own],
    "a line of others is between": lambda own: [*own[:2], HOME, *own[2:]],
    "a blank line is between": lambda own: [*own[:2], "\n", *own[2:]],
    "a blank is behind a mark": lambda own: [own[0].replace("\n", " \n"), *own[1:]],
    "a mark has a remark": lambda own: [*own[:-1], own[-1].replace("\n", ", do not touch\n")],
    "a line is edited": lambda own: [own[0], own[1].replace("noatime", "nodev").replace("1.2", "1.1"), *own[2:]],
    "a line is commented out": lambda own: [own[0], f"#{own[1]}", *own[2:]],
    "a line was copied behind": lambda own: [*own, HOME, own[1]],
    "the lines are there twice": lambda own: [*own, HOME, *own],
    "a line was moved out": lambda own: [own[0], *own[2:], HOME, own[1]],
}
"""how the plan's lines, each with its line feed, were changed; more lines may follow"""
