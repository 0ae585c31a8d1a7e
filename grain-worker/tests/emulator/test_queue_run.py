"""What a queue delivers when: time is given, nothing runs."""

from sand.emulator.problems import Failure
from sand.emulator.queue_run import REFUSED_PAUSE_MS, Batch, Bury, Deliver, Message, QueueRun
from sand.emulator.trigger_specs import FOREVER_MS, QueueSpec
from sand.messages import Payload

BROKEN = Failure("ValueError", "no good")


def run_of(**settings) -> QueueRun:
    return QueueRun(QueueSpec("q", "work", **settings))


def add(run: QueueRun, *ids: str, group: str | None = None, now_ms: int = 0) -> None:
    for id in ids:
        run.add(Message(id, group, Payload("application/json", b"1"), now_ms), now_ms)


def delivered(actions) -> list[list[str]]:
    return [[message.id for message in action.batch.messages] for action in actions if isinstance(action, Deliver)]


def only(actions) -> Batch:
    (action,) = actions
    return action.batch


def test_a_group_is_worked_off_in_order_and_others_go_on():
    run = run_of()
    add(run, "a1", "a2", group="a")
    add(run, "b1", group="b")
    first, second = run.tick(0)
    assert delivered([first, second]) == [["a1"], ["b1"]]
    assert delivered(run.ended(first.batch, None, "x", 0)) == [["a2"]]


def test_a_failed_message_holds_its_group_until_it_is_gone():
    run = run_of(retries=1, backoff_ms=100)
    add(run, "a1", "a2", group="a")
    failed = only(run.tick(0))
    assert run.ended(failed, BROKEN, "x", 0) == []
    assert run.next_due_ms() == 100
    assert delivered(run.tick(99)) == []
    again = only(run.tick(100))
    assert again.attempt == 2
    (bury,) = run.ended(again, BROKEN, "y", 100)
    assert isinstance(bury, Bury) and (bury.failure, bury.execution_id) == (BROKEN, "y")
    run.buried(bury.batch)
    assert delivered(run.tick(100)) == [["a2"]]


def test_what_is_not_gone_is_told_with_the_attempts_that_failed():
    run = run_of(retries=1, backoff_ms=100)
    add(run, "a1", group="a", now_ms=1)
    add(run, "a2", group="a", now_ms=2)

    def told() -> list[tuple[str, int]]:
        return [(message.id, failed) for message, failed in run.messages()]

    batch = only(run.tick(2))
    assert told() == [("a1", 0), ("a2", 0)]
    run.refused(batch, 2)
    assert told() == [("a1", 0), ("a2", 0)]
    run.ended(only(run.tick(2_000)), BROKEN, "x", 2_000)
    assert told() == [("a1", 1), ("a2", 0)]
    (bury,) = run.ended(only(run.tick(3_000)), BROKEN, "y", 3_000)
    assert told() == [("a1", 1), ("a2", 0)]
    run.buried(bury.batch)
    assert told() == [("a2", 0)]


def test_pauses_double_up_to_the_longest():
    spec = QueueSpec("q", "work", backoff_ms=1_000, max_backoff_ms=3_000)
    assert [spec.pause_ms(attempt) for attempt in (2, 3, 4, 5)] == [1_000, 2_000, 3_000, 3_000]


def test_a_batch_goes_when_it_is_full_or_has_lingered():
    run = run_of(batch=2, linger_ms=300)
    add(run, "a", "b", "c")
    assert delivered(run.tick(0)) == [["a", "b"]]
    assert run.next_due_ms() == 300
    assert delivered(run.tick(299)) == []
    assert delivered(run.tick(300)) == [["c"]]


def test_with_linger_forever_a_group_waits_for_all_of_its_messages_and_no_other():
    run = run_of(batch=2, linger_ms=FOREVER_MS)
    add(run, "a1", "b1", group=None)
    assert delivered(run.tick(0)) == [["a1", "b1"]], "these are of no group"
    add(run, "c", group=None)
    assert delivered(run.tick(0)) == [["c"]]
    add(run, "x1", group="x")
    add(run, "y1", group="y")
    assert delivered(run.tick(1 << 45)) == []
    assert run.next_due_ms() is None
    add(run, "y2", group="y")
    add(run, "y3", group="y")
    add(run, "x2", group="x")
    assert delivered(run.tick(0)) == [["x1", "x2"], ["y1", "y2"]]


def test_no_more_at_once_than_the_queue_allows():
    run = run_of(concurrency=2)
    add(run, "a", "b", "c")
    first, _ = run.tick(0)
    assert run.next_due_ms() is None
    assert delivered(run.ended(first.batch, None, "x", 0)) == [["c"]]


def test_a_refusal_is_no_attempt():
    run = run_of(retries=0)
    add(run, "a")
    batch = only(run.tick(0))
    assert run.refused(batch, 0) == []
    assert only(run.tick(REFUSED_PAUSE_MS)).attempt == 1


def test_an_id_that_came_before_is_dropped():
    run = run_of()
    add(run, "a", "a")
    assert run.held == 1
    run.ended(only(run.tick(0)), None, "x", 0)
    add(run, "a")
    assert (run.held, run.tick(0)) == (0, [])
