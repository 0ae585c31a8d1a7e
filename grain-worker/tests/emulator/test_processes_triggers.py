"""Which of several functions' messages invoke first."""

from sand.emulator.processes_mailbox import Mailbox
from sand.emulator.processes_specs import BATCH, MULTI_SOURCE, FunctionSpec
from sand.emulator.processes_triggers import due
from sand.messages import Payload
from sand.values import JSON

MS = 1_000_000


def mailbox(*arrivals: tuple[str, int]) -> Mailbox:
    """:param arrivals: key and milliseconds of each"""
    made = Mailbox()
    for at, (key, ms) in enumerate(arrivals):
        made.reserve(1)
        made.add("q", f"invoke:{key}", Payload(JSON, b"%d" % at), ms * MS)
    return made


def fired(messages: Mailbox, specs: dict[str, FunctionSpec], now_ms: int) -> list[tuple[str, int]]:
    """Function and number of messages of all that is due, in that order."""
    found = []
    while (firing := due(messages, lambda name: specs.get(name, FunctionSpec()), now_ms * MS).firing) is not None:
        found.append((firing.function, len(firing.messages)))
        messages.take(firing.messages)
    return found


def test_no_function_waits_for_the_messages_of_another_to_end() -> None:
    messages = mailbox(("all:", 0), ("a:", 1), ("a:", 2), ("b:", 3), ("a:", 4), ("a:", 7))
    order = fired(messages, {"all": FunctionSpec(BATCH, 3, 5)}, 9)
    assert order == [("a", 1), ("a", 1), ("b", 1), ("a", 1), ("all", 1), ("a", 1)]


def test_what_is_late_takes_what_is_there_and_no_more_than_it_wants() -> None:
    messages = mailbox(("sum:x", 0), ("a:", 8), ("sum:x", 9), ("sum:x", 9), ("sum:y", 9))
    assert fired(messages, {"sum": FunctionSpec(MULTI_SOURCE, 2, 5)}, 9) == [("sum", 2), ("a", 1)]
    assert [message.key for message in messages.unread()] == ["invoke:sum:x", "invoke:sum:y"]
