"""Workers in the emulator, against the same computation in one place."""

import math

import pytest

CLUSTERS, ROUNDS = 4, 50


def directly(points, centres):
    """Lloyd's algorithm. Returns the centres and how many rounds it took."""
    rounds = 0
    while rounds < ROUNDS:
        rounds += 1
        near = [[] for _ in centres]
        for point in points:
            near[min(range(len(centres)), key=lambda index: math.dist(point, centres[index]))].append(point)
        moved = [
            [math.fsum(axis) / len(of_one) for axis in zip(*of_one, strict=True)] if of_one else centre
            for of_one, centre in zip(near, centres, strict=True)
        ]
        if all(math.dist(*pair) < 1e-9 for pair in zip(centres, moved, strict=True)):
            break
        centres = moved
    return moved, rounds


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_workers_find_the_centres_that_one_finds_alone(sand_application, workers):
    names = [f"worker-{number}" for number in range(workers)]
    shares = []
    for seed, name in enumerate(names):
        event = {"seed": seed, "count": 60, "clusters": CLUSTERS}
        shares.append(sand_application.process(name).invoke("points", event))
    first = sand_application.process(names[0])
    found = first.invoke("start", {"workers": names, "clusters": CLUSTERS, "rounds": ROUNDS})
    expected, rounds = directly([point for share in shares for point in share], shares[0][:CLUSTERS])
    assert found["rounds"] == rounds
    for centre, other in zip(found["centres"], expected, strict=True):
        assert centre == pytest.approx(other)
    for name in names:
        process = sand_application.process(name)
        assert process.state["centres"] == found["centres"]
        assert process.messages == []
