"""The mailbox of a cloud process by itself: who gets which message, and how many are looked at for that."""

from __future__ import annotations

from typing import Any

import pytest

from sand.emulator import processes_mailbox
from sand.emulator.processes_mailbox import Mailbox, Message
from sand.messages import Payload

DATA = Payload("text/plain", b"x")


def mailbox(*places: tuple[str, str]) -> Mailbox:
    made = Mailbox()
    for source, key in places:
        made.reserve(1)
        made.add(source, key, DATA, 0)
    return made


def order(message: Message | None) -> int:
    assert message is not None
    return message.order


def test_the_oldest_of_those_that_match_is_got() -> None:
    box = mailbox(("a", "k"), ("b", "l"), ("b", "k"), ("a", "l"))
    assert order(box.borrow(None, "l")) == 2
    assert order(box.borrow("a", "l")) == 4
    assert order(box.borrow(None, None)) == 1
    assert box.borrow("a", None) is None
    assert order(box.borrow("b", None)) == 3
    assert box.borrow(None, None) is None and box.messages == 4


def test_what_is_given_back_is_in_its_place_whatever_came_meanwhile() -> None:
    box = mailbox(("a", "k"), ("b", "k"), ("a", "l"))
    borrowed = [box.borrow("a", None), box.borrow(None, None), box.borrow(None, None)]
    box.reserve(1)
    box.add("a", "k", DATA, 0)
    for message in reversed(borrowed):
        assert message is not None
        box.give_back(message)
    assert [one.order for one in box.unread()] == [1, 2, 3, 4]
    assert [order(box.borrow("a", None)) for _ in range(3)] == [1, 3, 4]
    for message in box.borrowed:
        box.settle(message)
    assert order(box.borrow(None, None)) == 2 and box.messages == 1


@pytest.mark.parametrize("asked", [(None, None), ("a", None)])
def test_receiving_looks_at_no_more_of_many_keys_than_of_one(monkeypatch: pytest.MonkeyPatch, asked: Any) -> None:
    looked = 0

    class Counted(Message):
        def __getattribute__(self, name: str) -> Any:
            nonlocal looked
            looked += 1
            return super().__getattribute__(name)

    monkeypatch.setattr(processes_mailbox, "Message", Counted)
    count = 2_000
    box = mailbox(*(("a", str(key)) for key in range(count)))
    got = [box.borrow(*asked) for _ in range(count)]
    assert looked < 100 * count
    for message in got:
        assert message is not None
        box.give_back(message)
    assert [order(box.borrow(*asked)) for _ in range(count)] == list(range(1, count + 1))
    assert looked < 300 * count
