"""The vectors of event/vectors/asl (its README has the format), and what each of them asks of an outcome."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sand.asl import Machine, Outcome, Refused, document, quotas, timestamps

FOLDER = Path(__file__).parents[3] / "event" / "vectors" / "asl"

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True)
class Vector:
    file: str
    feature: str
    name: str
    content: dict[str, Any]

    def definition(self) -> str:
        definition = self.content["definition"]
        return definition if isinstance(definition, str) else document.write(definition)


def all_vectors() -> Iterator[Vector]:
    for path in sorted(FOLDER.glob("*.json")):
        file = document.parse(path.read_text(encoding="utf-8"))
        for vector in file["vectors"]:
            yield Vector(path.stem, file["feature"], vector["name"], vector)


def check(vector: Vector) -> None:
    """Asserts that the engine does what the vector expects."""
    expected = vector.content["expect"]
    try:
        machine = Machine(vector.definition(), application="app", name="flow")
    except Refused as refused:
        found = [(one.pointer, one.code) for one in refused.diagnostics]
        assert "invalid" in expected, f"refused: {refused.diagnostics}"
        for place in expected["invalid"]:
            assert (place["pointer"], place["code"]) in found
            if "message" in place:
                assert place["message"] in [one.message for one in refused.diagnostics]
        if expected.get("nothingElse"):
            assert len(found) == len(expected["invalid"]), found
        return
    assert "invalid" not in expected, "accepted, though it should be refused"
    given = vector.content
    text = given.get("inputText")
    outcome = machine.run(
        _with_long_texts(given.get("input", {})) if text is None else document.parse(text),
        _with_long_texts(given.get("grains")),
        id="01HZZZZZZZZZZZZZZZZZZZZZZZ",
        redrives=given.get("redrives", 0),
        redrive_from=given.get("redriveFrom"),
        input_text=text,
        quotas=quotas.NONE if given.get("limits") == "platform" else quotas.AWS,
    )
    _check_outcome(expected, outcome)


def _with_long_texts(value: Any) -> Any:
    """The value with texts written out that stand there as "<<x 262144>>"."""
    if isinstance(value, dict):
        return {name: _with_long_texts(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_with_long_texts(element) for element in value]
    long = re.fullmatch("<<x ([0-9]+)>>", value) if isinstance(value, str) else None
    return value if long is None else "x" * int(long[1])


def _check_outcome(expected: dict[str, Any], outcome: Outcome) -> None:
    assert outcome.status == expected["status"], f"{outcome.error}: {outcome.cause}"
    if "output" in expected:
        assert same(expected["output"], outcome.output), (
            f"{document.write(outcome.output)}, expected {document.write(expected['output'])}"
        )
    for name in ("error", "cause"):
        if name in expected:
            assert outcome.document().get(name) == expected[name]
    if "elapsedSeconds" in expected:
        assert outcome.elapsed_ms == expected["elapsedSeconds"] * 1000
    if "elapsedSecondsWithin" in expected:
        least, most = expected["elapsedSecondsWithin"]
        assert least * 1000 <= outcome.elapsed_ms <= most * 1000
    if "objects" in expected:
        wanted, written = expected["objects"], {_UUID.sub("*", key): content for key, content in outcome.objects.items()}
        assert wanted.keys() == written.keys()
        for key, content in wanted.items():
            assert same(content, written[key]), f"{key}: {document.write(written[key])}, expected {document.write(content)}"
    if "calls" in expected:
        calls = [(call.grain, document.write(call.input)) for call in outcome.calls]
        assert calls == [(call["grain"], document.write(call["input"])) for call in expected["calls"]]


def same(expected: Any, actual: Any) -> bool:
    """Equal values; a string like "<<uuid>>" in the expected one stands for any value of that kind."""
    if isinstance(expected, str) and expected.startswith("<<"):
        kind, _, span = expected[2:-2].partition(" ")
        if kind == "integer":
            least, most = map(int, span.split(".."))
            return isinstance(actual, int) and least <= actual <= most
        if not isinstance(actual, str):
            return False
        if kind == "uuid":
            return bool(re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", actual))
        return timestamps.parse(actual) is not None if kind == "timestamp" else actual != ""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return expected.keys() == actual.keys() and all(same(member, actual[name]) for name, member in expected.items())
    if isinstance(expected, list) and isinstance(actual, list):
        return len(expected) == len(actual) and all(map(same, expected, actual))
    return document.same(expected, actual)
