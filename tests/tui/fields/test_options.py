"""Options typed on the Design screen are those of the command line, and lead to the same plan."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest

from raidtui.cli.options.parser import parser
from raidtui.cli.verbs.plan import planned_by
from raidtui.machine.inventory.shipped import load
from raidtui.programs.mkfs_options import parse_mkfs, stated
from raidtui.session.fields.all_fields import fields
from raidtui.session.saved_designs import decision_of, saved_of
from raidtui.session.session import Session
from raidtui.values.codec import to_json
from raidtui.values.decision import Decision
from raidtui.values.design import Design, Ext4Options, FileSystemOptions, XfsOptions
from raidtui.values.notation import parse
from raidtui.values.speed import ask_words, parse_ask
from tests.tui.robot import RUN_ID, robot

FIRST = Decision(design=Design(layout=parse("(2+2)")))


def typed(key: str, text: str, decision: Decision = FIRST) -> Decision:
    read = next(found for found in fields(decision, 4) if found.key == key).read
    assert read is not None
    return read(text)


@pytest.mark.parametrize(
    ("key", "text", "options"),
    [
        ("members", "partitions", ("--members", "partitions")),
        ("partition_size", "3.9TB", ("--partition-size", "3.9TB")),
        ("leave", "2GiB", ("--leave", "2GiB")),
        ("data_offset", "1M", ("--data-offset", "1M")),
        ("bitmap_chunk", "256M", ("--bitmap-chunk", "256M")),
        ("read_ahead", "24M", ("--read-ahead", "24M")),
        ("io_scheduler", "mq-deadline", ("--io-scheduler", "mq-deadline")),
        ("queue_depth", "16", ("--queue-depth", "16")),
        ("first_sync", "zeroes", ("--first-sync", "zeroes")),
        ("mkfs", "rmapbt=1,bigtime=1", ("--mkfs", "rmapbt=1,bigtime=1")),
        ("mount_options", "pquota,largeio", ("--mount-options", "pquota,largeio")),
        ("key_file", "/etc/keys/data.key", ("--encrypt", "volume", "--key-file", "/etc/keys/data.key")),
        ("passphrase", "asked", ("--passphrase",)),
        ("mail", "storage@example.org", ("--mail", "storage@example.org")),
        ("alert_program", "/usr/local/sbin/page", ("--alert-program", "/usr/local/sbin/page")),
        ("host", "stor01", ("--host", "stor01")),
        ("initramfs", "dracut", ("--initramfs", "dracut")),
        ("kernel", "6.1", ("--kernel", "6.1")),
        ("mdadm", "4.2", ("--mdadm", "4.2")),
        ("xfsprogs", "6.1", ("--xfsprogs", "6.1")),
        ("e2fsprogs", "1.47", ("--e2fsprogs", "1.47")),
    ],
)
def test_a_field_and_an_option_make_the_same_plan(key: str, text: str, options: tuple[str, ...]) -> None:
    session = Session(load("nas4"), run_id=RUN_ID)
    plain = session.plan().digest
    session.decide(typed(key, text, session.decision))
    plan = session.plan()
    with patch("raidtui.cli.verbs.plan.secrets.token_hex", return_value=plan.run_id):
        other = planned_by(parser().parse_args(["plan", "(2+2)", "--inventory", "nas4", *options]))
    assert plan.digest == other.digest
    assert plan.digest != plain


def test_a_benchmark_that_follows_is_the_option_of_the_command_line_with_ext4_only() -> None:
    session = Session(load("nas4"), run_id=RUN_ID)
    session.decide(typed("fs", "ext4", session.decision))
    plain = session.plan().digest
    session.decide(typed("benchmark_follows", "by mkfs", session.decision))
    plan = session.plan()
    with patch("raidtui.cli.verbs.plan.secrets.token_hex", return_value=plan.run_id):
        words = ["plan", "(2+2)", "--inventory", "nas4", "--fs", "ext4", "--benchmark-follows"]
        other = planned_by(parser().parse_args(words))
    assert plan.digest == other.digest != plain
    back = typed("benchmark_follows", "by kernel", session.decision)
    assert back.design.options.ext4 == Ext4Options()
    fixed = next(each for each in fields(FIRST, 4) if each.key == "benchmark_follows")
    assert fixed.fixed and fixed.shown == "none"


def test_host_and_initramfs_are_saved_and_loaded_with_the_design() -> None:
    decision = replace(FIRST, homehost="stor01", initramfs="dracut")
    saved = saved_of(decision, "nas4")
    assert decision_of(saved) == decision
    assert "homehost" not in to_json(saved_of(FIRST, "nas4"))


@pytest.mark.parametrize(
    ("key", "text", "reason"),
    [
        ("queue_depth", "0", "0 is out of range: 1 to 10240"),
        ("mail", "a b", "'a b' is not a mail address: expected one such as storage@example.org, or a user's name"),
        ("mkfs", "rmap=1", "unknown option 'rmap' of mkfs.xfs: raidtui help mkfs lists all"),
        ("host", "a b", "'a b' is not a valid host name: use the one that `uname -n` prints on that machine"),
        ("initramfs", "mkinitcpio", "Initramfs: expected one of as found, debian, dracut"),
        ("kernel", "six", "invalid version 'six': write for example 6.1 or 4.2"),
        ("ask", "read,depth=0", "invalid depth '0': expected 1 to 65536"),
        ("parity_threads", "many", "'many' is not a whole number"),
    ],
)
def test_what_an_option_cannot_be_is_refused_with_the_reason(key: str, text: str, reason: str) -> None:
    with pytest.raises(ValueError) as caught:
        typed(key, text)
    assert str(caught.value) == reason


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("partition_size", "3.9TB"), ("leave", "2GiB"), ("data_offset", "1M"), ("read_ahead", "24M"),
        ("queue_depth", "16"), ("mkfs", "rmapbt=1"), ("mount_options", "pquota"), ("mail", "root@x.org"),
        ("kernel", "6.1"), ("ask", "write,random,streams=8,size=16K,depth=4"), ("memory", "40GB/s"),
        ("parity_threads", "4"),
    ],
)  # fmt: skip
def test_an_option_can_be_emptied_again(key: str, text: str) -> None:
    set_by_hand = typed(key, text)
    assert set_by_hand != FIRST
    assert next(found for found in fields(set_by_hand, 4) if found.key == key).typed
    emptied = typed(key, "", set_by_hand)
    parted = replace(emptied, design=replace(emptied.design, partitions=None))
    assert (parted if key in ("partition_size", "leave") else emptied) == FIRST


def test_options_of_a_file_system_do_not_pass_to_another() -> None:
    said = typed("mount_options", "largeio")
    assert typed("fs", "xfs", said) == said
    assert typed("fs", "ext4", said).design.fs_options is None


@pytest.mark.parametrize("options", [XfsOptions(), XfsOptions(reflink=False, bigtime=True), XfsOptions(rmapbt=True)])
def test_words_of_xfs_read_back(options: XfsOptions) -> None:
    words = ",".join(text for _, text in stated(FileSystemOptions(xfs=options), "xfs"))
    assert parse_mkfs(words, "xfs") == options


@pytest.mark.parametrize(
    "options",
    [
        Ext4Options(), Ext4Options(reserved_percent=0.5, quotas=("user", "project"), lazy_itable_init=False),
        Ext4Options(block_bytes=1024, inode_ratio=65536, lazy_journal_init=True),
    ],
)  # fmt: skip
def test_words_of_ext4_read_back(options: Ext4Options) -> None:
    words = ",".join(text for _, text in stated(FileSystemOptions(ext4=options), "ext4"))
    assert parse_mkfs(words, "ext4") == options


@pytest.mark.parametrize(
    "text", ["read", "write,random", "read,streams=8,size=128KiB,depth=1", "mixed,read=70,random", "read,degraded"]
)
def test_words_of_a_workload_read_back(text: str) -> None:
    assert ask_words(parse_ask(text)) == text


async def test_options_are_a_page_of_the_form() -> None:
    async with robot("nas4") as user:
        await user.press("2", "end", "up")
        assert user.app.page.query_one("#form").field.key == "options"  # type: ignore[attr-defined]
        await user.press("enter")
        assert user.sees("── Options ─")
        await user.press(*["down"] * 14)
        assert user.sees("Queue depth   unchanged")
        await user.press("enter")
        await user.answers("64")
        assert user.sees("Queue depth   64")
        assert user.sees("SATA disks take at") and user.sees("most 32 requests")
        await user.press("enter")
        await user.answers("16")
        await user.press("home", "left")
        assert user.sees("Options     › 1 set")
        await user.press("4")
        await user.settle()
        await user.press("y")
        assert 'ATTR{device/queue_depth}="16"' in user.app.clipboard


async def test_a_workload_is_asked_on_the_page_of_assumptions() -> None:
    async with robot("nas4") as user:
        await user.press("2", "end", "right", "down", "enter")
        await user.answers("read,streams=8,size=128K,depth=1")
        assert user.sees("── Assumptions ─")
        line = next(row for row in user.lines() if "Asked" in row)
        assert "MB/s" in line


async def test_the_chunk_that_suits_the_use_is_advised() -> None:
    async with robot(height=43) as user:
        await user.press("2", *["down"] * 7)
        assert user.sees("Use           big files ›")
        await user.press("right")
        assert user.sees("‹ 512 KiB  › 64KiB?")
        assert user.sees("note: Chunk 64 KiB is advised for small")
        await user.press("down", "f1")
        assert user.sees("fill whole stripes sooner")
        assert user.sees("raidtui tune measures chunk sizes")
        await user.press("escape", "left", "left", "left")
        assert not user.sees("64KiB?") and not user.sees("is advised for")


def test_every_line_has_its_meaning() -> None:
    every: list[Any] = [found for found in fields(FIRST, 4) if found.key != "back"]
    assert len({found.key for found in every}) == len(every)
    assert all(found.about and len(found.title) <= 12 for found in every)
