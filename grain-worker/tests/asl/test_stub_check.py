"""What is wrong with stubs, in the words that both engines have: the same file that the Java engine runs."""

from pathlib import Path
from typing import Any

import pytest

from sand.asl import Machine, document, stub_check

FILE = Path(__file__).parents[3] / "event" / "vectors" / "stubs" / "faults.json"
VECTORS = document.parse(FILE.read_text(encoding="utf-8"))["vectors"]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_vector(vector: dict[str, Any]) -> None:
    found = [{"pointer": one.pointer, "code": one.code, "message": one.message} for one in stub_check.faults(vector["stubs"])]
    assert found == vector["faults"]


def test_what_is_done_with_tokens_is_checked_as_in_a_stub() -> None:
    assert [one.pointer for one in stub_check.callback_faults({"a": {"sucess": 5}, "b": [None], "c": {"success": 1}})] == [
        "/a",
        "/b/0",
    ]
    assert [one.pointer for one in stub_check.callback_faults(5)] == [""]
    assert not stub_check.callback_faults(None) and not stub_check.callback_faults({"a": lambda input: input})


def test_what_a_function_says_of_a_token_is_checked_when_it_is_called() -> None:
    task = {"Type": "Task", "Resource": "sand:grain:g.waitForTaskToken", "Parameters": {"t.$": "$$.Task.Token"}, "End": True}
    machine = Machine({"StartAt": "T", "States": {"T": task}})
    with pytest.raises(ValueError, match="/callback: A callback must have one of"):
        machine.run({}, {"g": {"return": 1, "callback": lambda input: {"sucess": 5}}})


def test_tells_of_members_without_effect_where_they_stand() -> None:
    stub = {
        "return": 1,
        "note": 2,
        "raise": {"errro": "x"},
        "callback": [{"success": 1, "second": 2}, {"failure": {"reason": 1}}],
    }
    assert list(stub_check.unknown({"g": stub})) == [
        ("/g", "note"),
        ("/g/raise", "errro"),
        ("/g/callback/0", "second"),
        ("/g/callback/1/failure", "reason"),
    ]
