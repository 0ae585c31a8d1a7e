"""Who gets an event, and what the ends of processes mean: the order in which they are told does not matter."""

import time

from sand.emulator.attempts import Attempt
from sand.emulator.manifest import Grain
from sand.emulator.pool import Pool
from sand.emulator.segments import Segments
from sand.messages import (
    FinishRequest,
    GrainConfiguration,
    InstanceExitedReport,
    Payload,
    SpawnCommand,
    StartWorkerCommand,
    WorkerExitedReport,
)

ANSWER = Payload("application/json", b"1")


def attempt(execution: str) -> Attempt:
    return Attempt(f"{execution}/g", execution, "g", "g", ANSWER, time.monotonic_ns() + 10**12)


class Bench:
    """A pool of one grain, whose commands are kept, with an attempt in the first instance."""

    def __init__(self, grain: Grain | None = None) -> None:
        self.commands: list[tuple[str, object]] = []
        grain = grain or Grain("g")
        configuration = GrainConfiguration("g", "handler:handle", (), grain.isolation, "auto", {}, 0, "app", "1", ("g",), 0)
        self.pool = Pool(grain, configuration, "supervisor", lambda caller, command: self.commands.append((caller, command)))
        self.attempt = attempt("e")
        self.handed: list[Attempt | None] = []
        assert self.pool.add(self.attempt) is None
        self.worker = next(command.worker for _, command in self.commands if isinstance(command, StartWorkerCommand))
        self.pool.worker_ready(self.worker)
        self.name = next(command.instances[0] for _, command in self.commands if isinstance(command, SpawnCommand))
        self.pool.taken(self.name, 4711, self.handed.append)
        assert self.handed == [self.attempt]

    def finish(self) -> None:
        self.pool.answered(self.name, FinishRequest("e/g", 1, ANSWER, None, 1, 2), Segments())

    def spawned(self) -> int:
        """How many processes were asked for, all in all."""
        return sum(len(command.instances) for _, command in self.commands if isinstance(command, SpawnCommand))

    def exit(self, code: int = 0) -> None:
        self.pool.exited(InstanceExitedReport(self.name, code, 0, 10, 20))


def test_an_exit_that_is_told_before_the_answer_is_no_crash():
    bench = Bench()
    bench.exit()
    assert not bench.attempt.ended
    bench.finish()
    bench.pool.closed(bench.name)
    assert (bench.attempt.output, bench.attempt.failure) == (ANSWER, None)
    assert bench.attempt.cpu_us == 10


def test_an_end_without_an_answer_is_a_crash_whichever_side_tells_first():
    for first, second in (("exit", "closed"), ("closed", "exit")):
        bench = Bench()
        for what in (first, second):
            assert not bench.attempt.ended
            bench.exit(3) if what == "exit" else bench.pool.closed(bench.name)
        assert bench.attempt.failure is not None
        assert bench.attempt.failure.error == "Sand.Crashed" and "code 3" in bench.attempt.failure.cause


def test_what_ran_is_lost_with_its_worker():
    bench = Bench()
    bench.pool.worker_exited(bench.worker, WorkerExitedReport(bench.worker, 0, 9))
    assert bench.attempt.lost == "its worker was ended by signal 9"


def test_the_process_of_an_attempt_that_is_over_is_to_be_killed():
    bench = Bench()
    bench.attempt.timed_out()
    assert bench.pool.leave(bench.attempt) == 4711
    bench.finish()
    assert bench.attempt.failure is not None and bench.attempt.failure.error == "Sand.Timeout"


def test_a_process_that_serves_many_comes_back_before_another_is_forked():
    bench = Bench(Grain("g", isolation="worker", concurrency=1))
    second, third = attempt("second"), attempt("third")
    assert bench.pool.add(second) is None
    bench.finish()
    assert bench.pool.add(third) is None
    assert (bench.handed, bench.spawned()) == ([bench.attempt], 1)
    bench.pool.taken(bench.name, 4711, bench.handed.append)
    assert (bench.handed, bench.spawned()) == ([bench.attempt, second], 1)


def test_a_process_that_serves_many_and_ends_has_a_successor():
    bench = Bench(Grain("g", isolation="worker", concurrency=1))
    bench.finish()
    assert bench.pool.add(attempt("second")) is None
    bench.exit()
    assert bench.spawned() == 1
    bench.pool.closed(bench.name)
    assert bench.spawned() == 2


def test_a_process_of_one_request_has_its_successor_forked_ahead():
    bench = Bench()
    bench.pool.dispatch()
    assert bench.spawned() == 2
