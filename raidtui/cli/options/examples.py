"""Two calls of each verb, which its --help begins with."""

from __future__ import annotations

from collections.abc import Mapping

EXAMPLES: Mapping[str, tuple[tuple[str, str], tuple[str, str]]] = {
    "disks": (
        ("raidtui disks", "this machine"),
        ("raidtui disks --inventory e2660", "a simulated chassis of 60 disks"),
    ),
    "arrays": (
        ("raidtui arrays", "every md array of this machine"),
        ("raidtui arrays 3f2a", "of a run; first digits of its id"),
    ),
    "audit": (
        ("raidtui audit", "every rule, on this machine"),
        ("raidtui audit --baseline known.json --json", "what is new, for cron"),
    ),
    "replace": (
        ("raidtui replace md0", "the missing member"),
        ("raidtui replace md0 --member 7 --with sdx", "slot 7, which still works"),
    ),
    "extend": (
        ("raidtui extend md0 spare sdx", "a spare more, new or of another array"),
        ("raidtui extend md0 grow", "every member was replaced by a larger one"),
    ),
    "propose": (
        ("raidtui propose --disks 24x8TB --survive 2", "any two disks may fail"),
        ("raidtui propose --compare '2x(10+2)'", "the free disks of this machine"),
    ),
    "model": (
        ("raidtui model '4x(12+2)+4' --disks 60x2TB", "disks to buy"),
        ("raidtui model 'raid10(8)' --ask read,random", "free disks here"),
    ),
    "plan": (
        ("raidtui plan '(6+2)+1' --out new", "plan and scripts in new"),
        ("raidtui plan '(6+2)' --fs ext4 --name backup", "to look at"),
    ),
    "script": (
        ("raidtui script new/plan.json > build.sh", "the script of a plan"),
        ("raidtui script new/plan.json --undo", "the one that takes it back"),
    ),
    "export": (
        ("raidtui export kickstart new/plan.json", "for an installer"),
        ("raidtui export systemd new/plan.json --adopt", "arrays that are built"),
    ),
    "build": (
        ("raidtui build new/plan.json", "asks for a typed phrase"),
        ("raidtui build --attach 3f2a", "follows a run; first digits of its id"),
    ),
    "resume": (
        ("raidtui resume new/plan.json", "continues where the build ended"),
        ("raidtui resume 3f2a", "the same, by the run's id"),
    ),
    "undo": (
        ("raidtui undo new/plan.json", "shows what it removes, then asks"),
        ("raidtui undo 3f2a", "the same, by the run's id"),
    ),
    "status": (
        ("raidtui status", "builds, replacements, benchmarks, trials, drills"),
        ("raidtui status 3f2a", "one run, step by step"),
    ),
    "control": (
        ("raidtui control 3f2a pause", "after the command that runs"),
        ("raidtui control 3f2a limit=50000", "a sync takes 50 MB/s at most"),
    ),
    "watch": (
        ("raidtui watch", "all disks, on a screen"),
        ("raidtui watch sda sdb --plain --count 10", "two disks, ten tables"),
    ),
    "bench": (
        ("raidtui bench /srv/data", "a mounted file system"),
        ("raidtui bench new/plan.json --profile ladder", "what a plan built, to sign"),
    ),
    "tune": (
        ("raidtui tune '(6+2)' --dry-run", "commands and digest; writes nothing"),
        ("raidtui tune '(6+2)' --chunks 64K,512K", "two chunk sizes"),
    ),
    "drill": (
        ("raidtui drill 3f2a", "the first array of a run"),
        ("raidtui drill 3f2a --array 1", "the second one"),
    ),
    "report": (
        ("raidtui report", "the newest run and its benchmarks"),
        ("raidtui report 3f2a --format md,html", "one run, two forms"),
    ),
    "schema": (
        ("raidtui schema plan", "of the file that plan --out writes"),
        ("raidtui schema", "all documents, in one bundle"),
    ),
    "help": (
        ("raidtui help notation", "how a layout is written"),
        ("raidtui help plan", "all options of a command"),
    ),
    "fleet": (
        ("raidtui fleet disks -w node[01-60]", "what sixty hosts have"),
        ("raidtui help fleet plan", "all options of one of its commands"),
    ),
    "fleet disks": (
        ("raidtui fleet disks -w node[01-60]", "a line per machine"),
        ("raidtui fleet disks -w node[01-60] --json > look.json", "kept for plan"),
    ),
    "fleet recipe": (
        ("raidtui fleet recipe '4x(12+2)+4' --out site.toml", "a layout for all"),
        ("raidtui fleet recipe --survive 2 --out site.toml", "each host chooses"),
    ),
    "fleet plan": (
        ("raidtui fleet plan site.toml -w node[01-60] --out sheet", "asks them"),
        ("raidtui fleet plan site.toml --from look.json", "no host is asked"),
    ),
    "fleet check": (
        ("raidtui fleet check sheet", "all hosts of a sheet"),
        ("raidtui fleet check sheet -w node[07-09]", "three of them"),
    ),
    "fleet build": (
        ("raidtui fleet build sheet", "one host, then waves"),
        ("raidtui fleet build sheet -w node[07-09]", "three of its hosts"),
    ),
    "fleet resume": (
        ("raidtui fleet resume sheet", "all hosts that are not done"),
        ("raidtui fleet resume sheet -w node07", "one of them"),
    ),
    "fleet status": (
        ("raidtui fleet status sheet", "how far each host is"),
        ("raidtui fleet status sheet --json", "for a program"),
    ),
    "fleet show": (
        ("raidtui fleet show -w node[01-60]", "their disks, on a screen"),
        ("raidtui fleet show sheet", "checks and builds too"),
    ),
    "fleet undo": (
        ("raidtui fleet undo sheet", "shows what it removes, then asks"),
        ("raidtui fleet undo sheet -w node07", "on one host"),
    ),
}
"""by the verb's name: a command, and what it is for"""
