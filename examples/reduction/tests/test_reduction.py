"""Workers and their root, in the emulator."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sand.emulator.results import CallFailed

WORKERS, VECTORS, LENGTH = 4, 5, 8


def vector(worker, number):
    return [1000 * worker + 10 * number + at for at in range(LENGTH)]


def test_four_workers_and_a_root_add_up_what_they_were_given(sand_application):
    root = sand_application.process("root")
    for worker in range(WORKERS):
        process = sand_application.process(f"worker-{worker}")
        for number in range(VECTORS):
            assert process.invoke("add", vector(worker, number)) == number + 1
        process.invoke("total", {"root": "root", "round": "r1"})
        assert process.state == {}
    sand_application.settle()
    all_of_them = [vector(worker, number) for worker in range(WORKERS) for number in range(VECTORS)]
    expected = {"count": WORKERS * VECTORS, "vector": [sum(numbers) for numbers in zip(*all_of_them, strict=True)]}
    assert root.invoke("combine", {"round": "r1"}) == expected


def test_nothing_is_lost_when_all_call_at_once(sand_application):
    """Adding up, and sending to the root meanwhile: each vector is in one sum."""
    root, process = sand_application.process("root"), sand_application.process("worker-0")
    assert root.invoke("combine", {"round": "r1"}) is None
    process.invoke("add", [1, 0])

    def call(number):
        process.invoke("add", [1, number])
        if number % 10 == 0:
            process.run("total", {"root": "root", "round": "r1"})  # fails when nothing was added up since the last one

    with ThreadPoolExecutor(8) as callers:
        list(callers.map(call, range(60)))
    process.invoke("add", [1, 0])
    process.invoke("total", {"root": "root", "round": "r1"})
    for _ in range(3):
        process.invoke("add", [0, 0])
        process.invoke("total", {"root": "root", "round": "r1"})  # so that the last four are there without the time-out
    sand_application.settle()
    found = root.invoke("combine", {"round": "r1"})
    assert found["vector"] == [62, sum(range(60))]


def test_a_sum_outlives_the_swapping_of_its_process(sand_application):
    process = sand_application.process("worker")
    process.invoke("add", [1, 2])
    process.swap_out()
    assert process.status == "swapped"
    assert process.invoke("add", [3, 4]) == 2
    assert process.state == {"sum": {"count": 2, "vector": [4, 6]}}


def test_what_does_not_fit_changes_nothing(sand_application):
    process = sand_application.process("worker")
    process.invoke("add", [1, 2])
    with pytest.raises(CallFailed, match="3 numbers"):
        process.invoke("add", [1, 2, 3])
    assert process.state == {"sum": {"count": 1, "vector": [1, 2]}}
