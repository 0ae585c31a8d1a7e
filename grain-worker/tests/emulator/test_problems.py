"""Failures as answers; the frontend's ProblemsTest asks the same."""

import pytest

from sand.emulator.problems import Failure, of


@pytest.mark.parametrize(
    ("error", "source", "retryable", "status"),
    [
        ("Sand.Unavailable", "platform", True, 503),
        ("Sand.Unavailable", "grain", True, 503),
        ("Sand.Unavailable", "grain", False, 500),  # it has ended so
        ("Sand.Overloaded", "grain", False, 429),  # what was full may have room for another request
        ("Sand.TooLarge", "grain", False, 500),
        ("Sand.TooLarge", "caller", False, 413),
        ("Sand.Timeout", "grain", False, 504),
        ("Sand.Cancelled", "grain", False, 409),
        ("KeyError", "grain", False, 500),
    ],
)
def test_who_failed_and_whether_to_ask_again_is_in_the_status(error: str, source: str, retryable: bool, status: int):
    assert of(Failure(error, "why", source, retryable), "e1").status == status
