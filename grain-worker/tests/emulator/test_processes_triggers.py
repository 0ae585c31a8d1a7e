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


def test_very_many_incomplete_keys_cost_no_more_than_their_messages() -> None:
    mailbox, spec = Mailbox(), FunctionSpec("multi-source", 2, 0)
    looked = 20_000
    for number in range(looked):
        mailbox.add("a", f"invoke:f:{number}", Payload("application/json", b"1"), number)
        assert due(mailbox, lambda _: spec, number) == (None, None)
    for number in range(looked - 1, -1, -1):
        mailbox.add("b", f"invoke:f:{number}", Payload("application/json", b"2"), looked)
        firing = due(mailbox, lambda _: spec, looked).firing
        assert firing is not None and (firing.key, firing.payload.bytes) == (str(number), b"[1,2]")
        mailbox.take(firing.messages)
    assert mailbox.invoking == {} and mailbox.unread() == []


def test_what_a_deployment_says_of_a_trigger_counts_for_messages_that_are_there() -> None:
    mailbox = Mailbox()
    for key in "aabab":
        mailbox.add("s", f"invoke:f:{key}", Payload("application/json", b"1"), 1)

    def found(spec: FunctionSpec) -> list[int]:
        firing = due(mailbox, lambda _: spec, 5).firing
        return [message.order for message in firing.messages] if firing else []

    assert found(FunctionSpec("multi-source", 3)) == [1, 2, 4]
    assert found(FunctionSpec("multi-source", 2)) == [1, 2]
    assert found(FunctionSpec("multi-source", 4)) == []
    assert found(FunctionSpec("batch", 4)) == [1, 2, 3, 4]
    assert found(FunctionSpec("standard")) == [1]
    assert due(mailbox, lambda _: None, 5) == (None, None)
