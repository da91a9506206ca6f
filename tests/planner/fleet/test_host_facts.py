"""What is said of each host, which of it comes first, and how hosts are folded."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.fleet.facts import NOTHING, Fact, HostFacts, gravity, headline_counts, host_facts, host_groups
from raidtui.fleet.values import (
    Change,
    CheckedHost,
    FleetCheck,
    FleetOverview,
    FleetRun,
    FleetRunHost,
    HostProblem,
    HostStage,
)
from raidtui.values.findings import Finding
from tests.planner.fleet.hosts import without_disk
from tests.tui.fleets import building, looked, machines, status

HOSTS = machines(4, "nas4", {"node3": without_disk(1)})


def facts(overview: FleetOverview) -> dict[str, HostFacts]:
    return {each.host: each for each in host_facts(overview)}


def run(host: str, stage: HostStage, done: int | None = None, reason: str = "") -> FleetRunHost:
    return FleetRunHost(host=host, stage=stage, reason=reason, run=status(done) if done is not None else None)


def test_a_look_tells_machines_apart_and_names_who_is_silent() -> None:
    silent = HostProblem(state="timed-out", sentence="no answer within \x1b[31m9 s", hint="look there")
    found = facts(looked(HOSTS, {"node4": silent}))
    assert found["node1"].machine.text == "alike"
    assert found["node1"].machine.reason == "4 x 3.96 TB SIM4000NAS firmware SIM1, alike"
    assert found["node3"].machine == Fact(
        "differs", "warn", reason="bay 2 empty (3.96 TB ATA SIM4000NAS elsewhere)"
    )  # as `raidtui fleet disks` prints it
    assert found["node4"].machine == Fact(
        "no answer", "silent", reason="timed out: no answer within \\e[31m9 s", hint="look there"
    )


def test_a_disk_that_is_gone_since_the_last_look_is_a_worry_and_new_content_is_none() -> None:
    overview = looked(HOSTS)
    assert overview.look is not None
    since = "2026-11-23T11:00:00Z"
    gone = Change(hosts=("node1",), since=since, kind="disk-gone", places=("bay 3",), disks=("wwn-1",))
    built = Change(hosts=("node2",), since=since, kind="content", places=("bay 3",), before="blank", after="md-member")
    found = facts(replace(overview, look=replace(overview.look, changes=(gone, built))))
    assert found["node1"].headline == Fact(
        "changed", "warn", reason="changed since the last look: bay 3: wwn-1 is gone"
    )
    assert found["node2"].machine.text == "alike"


def test_checks_say_ready_refused_stale_or_why_not() -> None:
    warned = (Finding(severity="warning", code="no-mailer", message="m", way_out="w"),)
    checked = FleetCheck(
        sheet_digest="d",
        hosts=(
            CheckedHost(host="node1", verdict="ready", findings=warned),
            CheckedHost(host="node2", verdict="stale", sentence="slot 7: another disk", hint="plan the fleet again"),
            CheckedHost(host="node3", verdict="no answer", sentence="timed out"),
        ),
    )
    found = facts(replace(looked(HOSTS), check=checked))
    assert found["node1"].check == Fact("ready", "plain", reason="warnings: no-mailer")
    assert found["node2"].headline == Fact("stale", "bad", reason="slot 7: another disk", hint="plan the fleet again")
    assert found["node3"].check.concern == "silent"
    assert found["node4"].check == NOTHING


@pytest.mark.parametrize(
    ("host", "word", "concern"),
    [
        (run("node1", "waiting"), "waiting", "off"),
        (run("node1", "building", 2), "step 3 of 15", "busy"),
        (run("node1", "built", 15), "built", "good"),
        (run("node1", "failed", 9), "failed", "bad"),
        (run("node1", "refused"), "refused", "bad"),
        (run("node1", "other-machine"), "other machine", "bad"),
        (run("node1", "lost"), "no answer", "silent"),
        (run("node1", "undone", 0), "undone", "off"),
    ],
)
def test_builds_say_how_far_they_are(host: FleetRunHost, word: str, concern: str) -> None:
    rest = run("node2", "built", 15)
    found = facts(replace(looked(HOSTS), run=FleetRun(sheet_digest="d", hosts=(host, rest))))
    assert (found["node1"].build.text, found["node1"].build.concern) == (word, concern)


def test_a_host_that_builds_is_no_worry_because_it_differs_and_its_check_is_over() -> None:
    checked = FleetCheck(sheet_digest="d", hosts=(CheckedHost(host="node3", verdict="ready"),))
    runs = FleetRun(sheet_digest="d", hosts=(run("node3", "building", 2),))
    found = facts(replace(looked(HOSTS), check=checked, run=runs))["node3"]
    assert found.machine.text == "differs"
    assert found.check == NOTHING
    assert found.headline.text == "step 3 of 15"


def test_a_build_in_progress_folds_to_a_few_rows_gravest_first() -> None:
    groups = host_groups(host_facts(building()[0]))
    assert [(group.headline.text, group.name) for group in groups] == [
        ("failed", "node17"),
        ("no answer", "node44"),
        ("differs", "node[59-60]"),
        ("differs", "node58"),
        ("building", "node[18-25]"),
        ("built", "node[01-16]"),
        ("waiting", "node[26-43,45-57]"),
    ]
    assert groups[0].headline.reason == "11 of 15 steps done: mkfs.xfs exited with 1: No space left on device"
    assert groups[4].headline.reason == "at step 4 to 11 of 15"
    assert headline_counts(host_facts(building()[0])) == (
        (1, "failed", "bad"), (1, "no answer", "silent"), (3, "differ", "warn"), (8, "building", "busy"),
        (16, "built", "good"), (31, "waiting", "off"),
    )  # fmt: skip


def test_the_same_problem_of_several_hosts_is_one_row_that_names_none_of_them() -> None:
    silent = {
        host: HostProblem(state="unreachable", sentence=f"ssh: connect to host {host}: No route") for host in HOSTS
    }
    (group,) = host_groups(host_facts(looked(HOSTS, silent)))
    assert (group.name, group.headline.reason) == ("node[1-4]", "unreachable: ssh: connect to host HOST: No route")


FACTS = st.builds(
    Fact, st.sampled_from(("alike", "built", "failed")), st.sampled_from(("bad", "silent", "warn", "good", "plain"))
)


@given(st.lists(st.tuples(FACTS, FACTS, FACTS, FACTS), max_size=40))
def test_every_host_is_in_one_group_and_the_gravest_group_is_first(
    columns: list[tuple[Fact, Fact, Fact, Fact]],
) -> None:
    hosts = [HostFacts(f"n{number}", *column) for number, column in enumerate(columns)]
    groups = host_groups(hosts)
    assert sorted(host.host for group in groups for host in group.hosts) == sorted(host.host for host in hosts)
    grave = [gravity(group.headline.concern) for group in groups]
    assert grave == sorted(grave)
    assert all(host.headline.concern == group.headline.concern for group in groups for host in group.hosts)
    assert sum(count for count, _, _ in headline_counts(hosts)) == len(hosts)
