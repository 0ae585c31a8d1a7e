"""Every vector of the Amazon States Language through the Python engine: the same files that the Java engine runs."""

from collections import Counter

import pytest

from asl.cases import Vector, all_vectors, check

VECTORS = list(all_vectors())
# What it takes to come to a bound is seconds; one of each kind runs in the quick suite.
QUICK_BOUNDS = ("deep-recursion", "endless-regular-expression", "doubling-string")
LONG_WAYS = ("loop-without-an-end", "a-path-over-more-places-than-there-may-be")


def case(vector: Vector) -> object:
    is_slow = vector.name in LONG_WAYS or (vector.file == "jsonata-bounds" and vector.name not in QUICK_BOUNDS)
    return pytest.param(vector, marks=pytest.mark.slow if is_slow else (), id=f"{vector.file}-{vector.name}")


@pytest.mark.parametrize("vector", [case(vector) for vector in VECTORS])
def test_vector(vector: Vector) -> None:
    check(vector)


def test_says_how_many_of_each_feature_it_runs(capsys: pytest.CaptureFixture[str]) -> None:
    counts = Counter(vector.feature for vector in VECTORS)
    with capsys.disabled():
        print(f"\nPython engine: {len(VECTORS)} vectors:", dict(counts))
    assert len(VECTORS) >= 400
