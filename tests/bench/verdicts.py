"""What became of executions, judged from what a client saw of them. Pure: used by the rows that kill hosts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Verdict(StrEnum):
    RIGHT = "answered once, with the right result"
    FAILED = "failed with a cause"
    REFUSED = "never accepted"
    WRONG = "answered with a wrong result"
    TWICE = "answered with two results"
    LOST = "accepted and never answered"


@dataclass(frozen=True)
class Answer:
    """An end that the platform told: an output, or a problem's type and detail."""

    execution: str | None
    output: Any = None
    problem: str | None = None


@dataclass
class Story:
    """One execution as its client saw it. `location`: where its end will be told; `turned_away`: answers that said to come
    back, and connections that broke."""

    number: int
    asked: float
    accepted: bool = False
    location: str | None = None
    answered: float | None = None
    answers: list[Answer] = field(default_factory=list)
    turned_away: list[str] = field(default_factory=list)
    before_repeat: int | None = None

    @property
    def came_back(self) -> bool:
        """Whether the client had to ask again for its answer, before it asked for all of them a second time."""
        return bool(self.turned_away[: self.before_repeat])


def expected(number: int) -> int:
    """What the workflow `lasting/main` makes of a value: two steps, the second twice, and the sum."""
    return 2 * (3 * (3 * number + 1) + 1)


def judge(story: Story) -> Verdict:
    """Every answer of an execution counts, those to repeated questions too."""
    if not story.answers:
        return Verdict.LOST if story.accepted else Verdict.REFUSED
    if len({(answer.execution, repr(answer.output), answer.problem) for answer in story.answers}) > 1:
        return Verdict.TWICE
    answer = story.answers[0]
    if answer.problem is not None:
        return Verdict.FAILED
    right = isinstance(answer.output, dict) and answer.output.get("value") == expected(story.number)
    return Verdict.RIGHT if right else Verdict.WRONG


def count(stories: Iterable[Story]) -> Counter[Verdict]:
    return Counter(judge(story) for story in stories)


def first_recovered(stories: Iterable[Story], killed: float) -> float | None:
    """Seconds from the kill to the first event that was run again: another attempt of it, begun behind the kill. The host
    that was killed runs nothing more, so another one began it."""
    began = [
        started / 1e9
        for story in stories
        for answer in story.answers
        if answer.problem is None
        for started, attempt in answer.output["attempts"]
        if attempt > 1 and started / 1e9 > killed
    ]
    return min(began) - killed if began else None


def examples(stories: Iterable[Story], verdict: Verdict, most: int = 3) -> list[str]:
    """What to look at first: a few executions of that verdict."""
    found = [story for story in stories if judge(story) == verdict][:most]
    return [f"#{story.number} {story.answers or story.turned_away[-1:]}" for story in found]
