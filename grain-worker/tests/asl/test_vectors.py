"""Every vector of the Amazon States Language through the Python engine: the same files that the Java engine runs."""

from collections import Counter

import pytest

from asl.cases import NOT_YET, Vector, all_vectors, check

VECTORS = list(all_vectors())


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: f"{vector.file}-{vector.name}")
def test_vector(vector: Vector) -> None:
    why = vector.why_not_yet
    if why is None:
        check(vector)
        return
    try:
        check(vector)
    except Exception as e:
        pytest.xfail(f"{why}: {type(e).__name__}")
    if (vector.file, vector.name) in NOT_YET:
        pytest.fail(f"{vector.file} {vector.name} works now: take it off the list")


def test_says_how_many_of_each_feature_it_runs(capsys: pytest.CaptureFixture[str]) -> None:
    counts = Counter(vector.feature for vector in VECTORS if vector.why_not_yet is None)
    with capsys.disabled():
        print(f"\nPython engine: {sum(counts.values())} of {len(VECTORS)} vectors:", dict(counts))
    assert len(VECTORS) >= 400
