"""Every vector of the Amazon States Language through the Python engine: the same files that the Java engine runs."""

from collections import Counter

import pytest

from asl.cases import Vector, all_vectors, check

VECTORS = list(all_vectors())


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: f"{vector.file}-{vector.name}")
def test_vector(vector: Vector) -> None:
    check(vector)


def test_says_how_many_of_each_feature_it_runs(capsys: pytest.CaptureFixture[str]) -> None:
    counts = Counter(vector.feature for vector in VECTORS)
    with capsys.disabled():
        print(f"\nPython engine: {len(VECTORS)} vectors:", dict(counts))
    assert len(VECTORS) >= 400
