"""Workers and their root, in the emulator."""

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
