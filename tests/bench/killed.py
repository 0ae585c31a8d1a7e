"""Hosts that are killed under load: how soon another one goes on, and whether anything is lost."""

from __future__ import annotations

import asyncio
import time

from .load import Load
from .several_hosts import SeveralHosts
from .table import Row, figure, latency, percentile
from .under_test import APPS
from .verdicts import Story, Verdict, count, examples, first_recovered, judge

SYSTEM = "SAND, 3 hosts"
HOSTS = 3
TAKE_OVER_RATE = 5
TAKE_OVER_STEP_SECONDS = 2
BEFORE_SECONDS = 8
BEHIND_SECONDS = 12
RATE_A_MINUTE = 1000
STEP_SECONDS = 0.2
MINUTE = 60
KILL_AT_SECONDS = 20
AWAY_SECONDS = 15


def take_over(sandbox: str, kills: int) -> list[Row]:
    """From SIGKILL of a host agent to the first event of it that another host runs, while executions of seconds run."""
    with SeveralHosts(HOSTS, sandbox) as platform:
        platform.deploy(APPS / "lasting")
        warm_up(platform)
        taken = []
        verdicts = []
        for turn in range(kills):
            host = platform.hosts[turn % HOSTS]
            load = Load(platform.cluster.server, TAKE_OVER_STEP_SECONDS)
            killed: list[float] = []
            asyncio.run(load.hold(TAKE_OVER_RATE, BEFORE_SECONDS + BEHIND_SECONDS, kill_once(platform, host, killed)))
            taken.append(first_recovered(load.stories, killed[0]))
            verdicts += [judge(story) for story in load.stories]
            platform.launch(host)
            platform.wait_until_owned()
    times = [seconds for seconds in taken if seconds is not None]
    if len(times) < kills:
        raise RuntimeError(f"after {kills - len(times)} of {kills} kills no event was run again: {taken}")
    unlike = sum(verdict != Verdict.RIGHT for verdict in verdicts)
    note = f"{kills} kills, the longest counts; session 3 s; {unlike} of {len(verdicts)} executions not answered right"
    longest = max(times)
    return [
        Row("take-over", SYSTEM, "s", round(percentile(times, 0.5), 2), None, round(longest, 2), "<= 6", longest <= 6, note)
    ]


async def kill_once(platform: SeveralHosts, host: str, killed: list[float]) -> None:
    await asyncio.sleep(BEFORE_SECONDS)
    killed.append(platform.kill(host))


def host_failures(sandbox: str, minutes: int) -> list[Row]:
    """A thousand executions a minute while a host is killed in each minute and started again."""
    with SeveralHosts(HOSTS, sandbox) as platform:
        platform.deploy(APPS / "lasting")
        warm_up(platform)
        load = Load(platform.cluster.server, STEP_SECONDS)
        asyncio.run(load.hold(RATE_A_MINUTE / MINUTE, minutes * MINUTE, kill_each_minute(platform, minutes)))
        platform.wait_until_owned()
        asyncio.run(load.ask_again())
    return rows_of(load.stories, minutes)


async def kill_each_minute(platform: SeveralHosts, minutes: int) -> None:
    """Each host in turn; it is started again when the others have taken its work."""
    began = time.monotonic()
    for minute in range(minutes):
        await asyncio.sleep(began + minute * MINUTE + KILL_AT_SECONDS - time.monotonic())
        host = platform.hosts[minute % HOSTS]
        platform.kill(host)
        await asyncio.sleep(AWAY_SECONDS)
        platform.launch(host)


def rows_of(stories: list[Story], minutes: int) -> list[Row]:
    found = count(stories)
    lost = found[Verdict.LOST] + found[Verdict.REFUSED]
    wrong = found[Verdict.WRONG] + found[Verdict.TWICE]
    again = sum(story.came_back for story in stories)
    asked = f"{len(stories)} asked for in {minutes} min, {minutes} kills; {again} had to be asked for again"
    rows = [
        figure("host-failures-rate", SYSTEM, "1/min", found[Verdict.RIGHT] / minutes, at_least=RATE_A_MINUTE, note=asked),
        figure("host-failures-lost", SYSTEM, "count", lost, at_most=0, note=noted(stories, Verdict.LOST, Verdict.REFUSED)),
        figure("host-failures-wrong", SYSTEM, "count", wrong, at_most=0, note=noted(stories, Verdict.WRONG, Verdict.TWICE)),
        figure("host-failures-failed", SYSTEM, "count", found[Verdict.FAILED], note=noted(stories, Verdict.FAILED)),
    ]
    times = [story.answered - story.asked for story in stories if story.answered is not None]
    if times:
        note = f"from the request to its answer, 0.6 s of it in grains; the longest {max(times):.1f} s"
        rows.append(latency("host-failures-latency", SYSTEM, times, note=note))
    return rows


def noted(stories: list[Story], *verdicts: Verdict) -> str:
    found = count(stories)
    said = [f"{found[verdict]} {verdict}: {'; '.join(examples(stories, verdict))}" for verdict in verdicts if found[verdict]]
    return " ".join(said).replace("|", "/")[:600] or ", ".join(verdicts)


def warm_up(platform: SeveralHosts) -> None:
    """A sandbox on every host, and code that is compiled."""
    load = Load(platform.cluster.server, 0)

    async def nothing() -> None:
        pass

    asyncio.run(load.hold(10, 15, nothing()))
