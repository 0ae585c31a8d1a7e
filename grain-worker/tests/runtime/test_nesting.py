"""How deep JSON may be nested that is written, and that all of it is read."""

import json
import random
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from sand import nesting, values
from sand.errors import BadRequest, Unserializable

ATOMS = ["[", "]", '{"', "\\", '\\"]', "a", 1, None, "\\\\[", '"', "\n[", ""]


@pytest.fixture
def usual_recursion() -> Iterator[None]:
    """As in a grain, whatever other tests have loaded: the JSONata library raises the limit."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000)
    yield
    sys.setrecursionlimit(before)


def depth(value: Any) -> int:
    inside = value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else None
    return 0 if inside is None else 1 + max(map(depth, inside), default=0)


def drawn(draw: random.Random, most: int) -> Any:
    kind = draw.random()
    if not most or kind < 0.3:
        return draw.choice(ATOMS)
    inside = [drawn(draw, most - 1) for _ in range(draw.randint(0, 3))]
    return inside if kind < 0.65 else {f"{draw.choice(ATOMS)}{number}": each for number, each in enumerate(inside)}


def nested(levels: int) -> Any:
    value: Any = 1
    for level in range(levels):
        value = [value] if level % 2 else {"in": value, "more": "["}
    return value


@pytest.mark.parametrize("quick", [0, 1, 12])
def test_the_depth_of_a_text_is_its_values(quick: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nesting, "_QUICK_LEVELS", quick)
    draw = random.Random(7)
    for turn in range(2_000):
        value = drawn(draw, 7)
        text = json.dumps(value, ensure_ascii=bool(turn % 2))
        assert nesting.deepest(text.encode()) == depth(value), text


def test_as_deep_as_may_be_is_written_and_read_with_room_around_it() -> None:
    payload = values.encode(nested(values.LEVELS), "", "the state k", None)
    around = b"[" * 10 + (payload.bytes or b"") + b"]" * 10
    value, levels = values.from_json(around), 0
    while value != 1:
        value, levels = value[0] if isinstance(value, list) else value["in"], levels + 1
    assert levels == values.LEVELS + 10


@pytest.mark.parametrize(
    ("levels", "why"),
    [
        (values.LEVELS + 1, "it is nested 501 levels deep; the limit is 500"),
        (5_000, "it is nested too deeply; the limit is 500 levels"),
    ],
)
@pytest.mark.usefixtures("usual_recursion")
def test_deeper_is_refused_as_it_is_written(levels: int, why: str) -> None:
    with pytest.raises(Unserializable, match=f"the state k cannot be encoded: {why}"):
        values.encode(nested(levels), "", "the state k", None)


def test_many_that_are_not_deep_are_written() -> None:
    assert values.encode([nested(2)] * 1_000 + ["[" * 1_000], "", "it", None).bytes


def test_what_is_too_deep_to_be_read_says_so() -> None:
    with pytest.raises(BadRequest, match="it is nested too deeply; the limit is 500 levels"):
        values.from_json(b"[" * 200_000 + b"]" * 200_000)
