"""`raidtui replace`: which disk of an array goes, which takes its place, and what to type; with --begin it is done."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from functools import partial

from raidtui.advice.arrays import words
from raidtui.answers.acts import confirm_phrase, extension_blocks, replacement_blocks
from raidtui.cli.confirm import NOTHING, answer_change, confirm_change, refuse_locked
from raidtui.cli.inputs import names_disks
from raidtui.cli.output import narrate, working
from raidtui.cli.verbs.arrays import machine_of, site_of
from raidtui.engine.changes import asked_replacement, extension
from raidtui.engine.site import Site
from raidtui.machine.arrays.read import ArraysLook
from raidtui.machine.system.ports import MachineReader
from raidtui.values.acts import Extension, Replacement
from raidtui.values.arrays import ObservedArray
from raidtui.values.errors import BadInput, Refused
from raidtui.values.inventory import Inventory
from raidtui.values.safe import safe
from raidtui.values.units import counted

_DISK = re.compile(r"/dev/|(?:sd|vd)[a-z]+$|nvme\d")


def replace(options: argparse.Namespace) -> int:
    """Prints the answer, and carries it out with --begin; exit code 1 where a finding is an error."""
    from raidtui.engine.living import unfinished  # only for a machine that has disks

    if options.run is not None and _DISK.match(options.run):
        raise BadInput(
            f"{safe(options.run)} is a disk; behind the array stands a run",
            hint=f"--member {safe(options.run)} names the disk that goes, --with DISK the one that comes",
        )
    begun = () if names_disks(options) else unfinished(site_of(options).root, Replacement)
    with working("reading the arrays"):
        reader, inventory = machine_of(options)
        found = asked_replacement(reader, inventory, options.array, member=options.member, new=options.new, begun=begun)
    return answer_change(options, found, replacement_blocks, lambda each: _begin(each, inventory, options, begun))


def _begin(found: Replacement, inventory: Inventory, options: argparse.Namespace, begun: Sequence[Replacement]) -> None:
    """Asks, then carries the steps out."""
    if found.new is None:
        raise Refused(f"no new disk is chosen; {NOTHING}", hint="name one: --with DISK")
    site = site_of(options)
    tell = partial(narrate, simulated=found.simulated)
    if found.steps:
        confirm_change(options, found, "replace", confirm_phrase(found), begun)
        _carry_out(found, site, options)
        site = site_of(options)  # as the executor left it
    arrays = ArraysLook(site.reader(), inventory, around=False).take().arrays
    for array in (each for each in arrays if each.name in (found.array, *found.also)):
        tell(_ended(array))


def _carry_out(found: Replacement | Extension, site: Site, options: argparse.Namespace) -> None:
    from raidtui.cli.follow import carry_out  # only to begin

    refuse_locked(site)
    carry_out(found, site, speed_up=options.speed_up)


def _ended(array: ObservedArray) -> str:
    title = words.name(array)
    if array.lacks:
        lost = counted(array.lacks, "other member")
        return f"{title} lost {lost} during the replacement: raidtui replace {array.name}"
    checked = array.sync is not None and array.sync.action == "check"
    return f"{title} is whole{', and is being checked' if checked else ''}"


# `raidtui extend`: a spare more, another bitmap, larger members used to their end; with --begin it is done.


def extend(options: argparse.Namespace) -> int:
    """Prints the answer, and carries it out with --begin; exit code 1 where a finding is an error."""
    with working("reading the arrays"):
        reader, inventory = machine_of(options)
        found = _extension(options, inventory, reader)
    return answer_change(options, found, extension_blocks, lambda each: _extend_begin(each, inventory, options))


def _extension(options: argparse.Namespace, inventory: Inventory, reader: MachineReader) -> Extension:
    return extension(reader, inventory, options.array, options.kind, options.what)


def _extend_begin(found: Extension, inventory: Inventory, options: argparse.Namespace) -> None:
    """Asks, then carries the steps out."""
    from raidtui.engine.living import unfinished  # only to begin

    if found.kind == "reshape":
        raise Refused(f"raidtui carries no reshape out; {NOTHING}", hint="read what each step risks, and the safer way")
    tell = partial(narrate, simulated=found.simulated)
    if found.steps:
        confirm_change(options, found, "extend", confirm_phrase(found), unfinished(site_of(options).root, Extension))
        _carry_out(found, site_of(options), options)
    for array in ArraysLook(site_of(options).reader(), inventory, around=False).take().arrays:
        if array.uuid == found.uuid:
            tell(words.after_act(array, "is as asked"))
