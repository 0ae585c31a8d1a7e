"""Definitions with a few mistakes each, from a seed: fields gone, renamed, or with a value of another kind."""

import copy
import random
from collections.abc import Iterator
from typing import Any

FIELDS = (  # noqa: SIM905
    "Type Next End Resource Parameters Arguments Output ResultPath Retry Catch ErrorEquals Seconds Timestamp Choices Default"
    " Variable StringEquals Branches ItemProcessor Iterator MaxConcurrency Assign QueryLanguage Error ErrorPath Cause Comment"
    " StartAt States Version TimeoutSeconds IntervalSeconds MaxDelaySeconds BackoffRate And Not Items Condition ItemsPath"
    " HeartbeatSeconds Unheard"
).split()
VALUES = (
    *(None, True, 0, -1, 1.5, "", "$", "$.a", "$$.x", "$.a[*]", "{% 1 %}", "{% $ %}", "{% 1 + %}", "S1", "JSONata", "JSONPath"),
    *("States.Format('x')", "States.Nope()", "2024-01-01T00:00:00Z", [], {}, [1], ["States.ALL"], ["States.ALL", "X"]),
    *({"a.$": "$.b"}, {"a.$": 1}, {"$x": 1}, {"a b": 1}),
)


def broken(definition: Any, seed: int) -> Any:
    chance = random.Random(seed)
    copied = copy.deepcopy(definition)
    for _ in range(chance.randrange(1, 4)):
        place = chance.choice([place for place in _places(copied) if place])
        _break(chance, copied, place)
    return copied


def _places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield place
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from _places(value[key], (*place, key))


def _break(chance: random.Random, definition: Any, place: tuple[Any, ...]) -> None:
    at = definition
    for key in place[:-1]:
        at = at[key]
    how = chance.randrange(4)
    value = copy.deepcopy(chance.choice(VALUES))
    if how == 0 and definition is not at:
        del at[place[-1]]
    elif how == 1 or not isinstance(at, dict):
        at[place[-1]] = value
    elif how == 2:
        at[chance.choice(FIELDS)] = value
    else:
        at[chance.choice(FIELDS)] = at.pop(place[-1])
