"""The thread asks in rounds, on request for everything, holds while it is paused, and ends at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest
from textual.message import Message
from textual.message_pump import MessagePump

from raidtui.fleet.engine import Transport
from raidtui.fleet.survey import FleetSurvey, OnNews
from raidtui.fleet.tui import thread as fleet_thread
from raidtui.fleet.tui.thread import AskingFailed, FleetThread, News
from raidtui.fleet.values import FleetOverview
from raidtui.values.errors import BadInput


class Page(MessagePump):
    """Keeps what is posted."""

    def __init__(self) -> None:
        super().__init__()
        self.got: list[Message] = []

    def post_message(self, message: Message) -> bool:
        self.got.append(message)
        return True


class Asked(FleetSurvey):
    """Counts what is asked for."""

    def __init__(self, *, fails: bool = False) -> None:
        super().__init__(overview=FleetOverview(hosts=("n1",)), transport=Transport())
        self.steps: list[str] = []
        self.fails = fails

    def ask_disks(self, on_news: OnNews) -> None:
        self.steps.append("disks")
        on_news(self.overview, "")

    def ask_progress(self, on_news: OnNews) -> None:
        self.steps.append("progress")

    def ask_checks(self, on_news: OnNews) -> None:
        self.steps.append("checks")
        if self.fails:
            raise BadInput("plan.json is damaged", hint="plan the fleet again")


def until(condition: Callable[[], bool]) -> None:
    for _ in range(1000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it never came")


@pytest.fixture
def started() -> Iterator[Callable[..., tuple[FleetThread, Page]]]:
    threads: list[FleetThread] = []

    def start(survey: FleetSurvey, *, interval: float = 0.01) -> tuple[FleetThread, Page]:
        page = Page()
        threads.append(FleetThread(page, survey, interval=interval))
        threads[-1].go()
        return threads[-1], page

    yield start
    for thread in threads:
        thread.stop()


def test_everything_is_asked_once_then_only_how_far_builds_are(
    started: Callable[..., tuple[FleetThread, Page]],
) -> None:
    survey = Asked()
    thread, page = started(survey)
    until(lambda: len(survey.steps) > 4)
    assert survey.steps[:5] == ["progress", "disks", "checks", "progress", "progress"]
    thread.ask_again()
    until(lambda: survey.steps.count("disks") == 2)
    assert isinstance(page.got[0], News)


def test_disks_are_asked_for_again_after_a_while(
    started: Callable[..., tuple[FleetThread, Page]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fleet_thread, "DISKS_EVERY_S", 0.0)
    survey = Asked()
    started(survey)
    until(lambda: survey.steps.count("disks") > 2)


def test_a_pause_asks_nothing_until_it_ends(started: Callable[..., tuple[FleetThread, Page]]) -> None:
    survey = Asked()
    thread, _ = started(survey)
    until(lambda: len(survey.steps) > 4)
    thread.pause(True)
    time.sleep(0.1)
    count = len(survey.steps)
    time.sleep(0.1)
    assert len(survey.steps) == count
    thread.pause(False)
    until(lambda: len(survey.steps) > count)


def test_what_cannot_be_asked_is_told_with_the_way_out_and_asked_again(
    started: Callable[..., tuple[FleetThread, Page]],
) -> None:
    survey = Asked(fails=True)
    _, page = started(survey)
    until(lambda: len(survey.steps) > 4)
    assert [each.reason for each in page.got if isinstance(each, AskingFailed)] == [
        "plan.json is damaged; plan the fleet again"
    ]


def test_stored_answers_start_no_thread_and_a_stop_ends_a_long_round(
    started: Callable[..., tuple[FleetThread, Page]],
) -> None:
    before = threading.active_count()
    started(FleetSurvey(overview=FleetOverview(hosts=("n1",))))
    assert threading.active_count() == before
    survey = Asked()
    thread, _ = started(survey, interval=3600.0)
    until(lambda: len(survey.steps) == 3)
    began = time.monotonic()
    thread.stop()
    assert time.monotonic() - began < 2
    assert survey.transport is not None and survey.transport.given_up is not None and survey.transport.given_up()
