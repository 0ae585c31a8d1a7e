"""A client that asks for executions at a fixed rate and does not let go of one before it knows what became of it."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Coroutine
from typing import Any

import httpx

from .verdicts import Answer, Story

TARGET = "lasting/main"
PATIENCE_SECONDS = 90
REQUEST_SECONDS = 70
FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 1
CONNECTIONS = 1000


class Load:
    """Executions of `lasting/main`, each under an Idempotency-Key of its own; every second one is accepted for later."""

    def __init__(self, server: str, seconds: float) -> None:
        """:param seconds: how long each step of an execution takes"""
        self.stories: list[Story] = []
        self._server = server
        self._seconds = seconds
        self._run = uuid.uuid4().hex

    async def hold(self, rate: float, seconds: float, meanwhile: Coroutine[Any, Any, None]) -> None:
        """Asks for `rate` executions a second, whatever becomes of them, and waits for the end of all, and of `meanwhile`."""
        limits = httpx.Limits(max_connections=CONNECTIONS, max_keepalive_connections=64)
        async with (
            httpx.AsyncClient(base_url=self._server, timeout=REQUEST_SECONDS, limits=limits, trust_env=False) as http,
            asyncio.TaskGroup() as group,
        ):
            group.create_task(meanwhile)
            began = time.monotonic()
            for number in range(round(rate * seconds)):
                await asyncio.sleep(began + number / rate - time.monotonic())
                story = Story(number, time.monotonic())
                self.stories.append(story)
                group.create_task(self._follow(http, story))

    async def ask_again(self) -> None:
        """Asks for everything that was answered once more, under its key: the answer is to be the same."""
        for story in self.stories:
            story.location = None
            story.before_repeat = len(story.turned_away)
        limits = httpx.Limits(max_connections=8)
        # Those that wait for one of the few connections are not late.
        timeout = httpx.Timeout(REQUEST_SECONDS, pool=None)
        async with httpx.AsyncClient(base_url=self._server, timeout=timeout, limits=limits, trust_env=False) as http:
            await asyncio.gather(*(self._follow(http, story) for story in self.stories if story.answers))

    async def _follow(self, http: httpx.AsyncClient, story: Story) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        pause = FIRST_PAUSE_SECONDS
        before = len(story.answers)
        while time.monotonic() < deadline:
            try:
                answer = await self._ask(http, story)
            except httpx.HTTPError as error:
                story.turned_away.append(repr(error))
                answer = None
            if answer is not None:
                story.answers.append(answer)
                if before == 0:
                    story.answered = time.monotonic()
                return
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)

    async def _ask(self, http: httpx.AsyncClient, story: Story) -> Answer | None:
        """The end, or None: it still runs, or is to be asked for again."""
        if story.location is None:
            headers = {"Idempotency-Key": f"{self._run}-{story.number}"}
            if story.number % 2:
                headers["Prefer"] = "respond-async"
            body = {"value": story.number, "seconds": self._seconds, "attempts": []}
            response = await http.post(f"/invoke/{TARGET}", json=body, headers=headers)
            if response.status_code != 202:
                return end_of(response, story)
            story.accepted = True
            story.location = response.headers["Location"]
        return end_recorded(await http.get(story.location + "/output"), story)


def end_of(response: httpx.Response, story: Story) -> Answer | None:
    """What the answer to a request says of its execution's end; when it says to come back, that is noted."""
    if response.status_code == 200:
        return Answer(response.headers["Sand-Execution-Id"], response.json())
    problem = problem_of(response)
    if problem is None or problem.get("retryable"):
        story.turned_away.append(f"{response.status_code} {response.text[:300]}")
        return None
    return failed(response, problem)


def end_recorded(response: httpx.Response, story: Story) -> Answer | None:
    """The end in an execution's record. An accepted one has a record from then on, so a 404 is no end of it."""
    if response.status_code == 200:
        return Answer(response.headers["Sand-Execution-Id"], response.json())
    problem = problem_of(response)
    if problem is not None and "Sand-Execution-Id" in response.headers:
        return failed(response, problem)
    if response.status_code != 202:
        story.turned_away.append(f"{response.status_code} {response.text[:300]}")
    return None


def failed(response: httpx.Response, problem: dict[str, Any]) -> Answer:
    return Answer(response.headers.get("Sand-Execution-Id"), None, f"{problem.get('type')}: {problem.get('detail')}")


def problem_of(response: httpx.Response) -> dict[str, Any] | None:
    """The platform's own; None for an answer that nginx gave."""
    return response.json() if "problem+json" in response.headers.get("Content-Type", "") else None
