"""The two engines of the States Language say the same: random workflows, from seeds, through `sand asl run --batch` of each."""

import json
import re
import subprocess
import sys
from typing import Any

import pytest
import random_regexes
from broken_definitions import broken
from random_paths import path, walk
from random_workflows import RandomWorkflows
from sand.asl import document

pytestmark = pytest.mark.slow


def outcomes(engine: str, lines: str, word: str = "run") -> list[dict[str, Any]]:
    """All of them in one process."""
    command = [sys.executable, "-P", "-m", "sand.command", "asl", word, "--batch", "--engine", engine]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, encoding="utf-8", check=True)
    # Not splitlines: texts have other ends of lines in them.
    return [document.parse(line, levels=201) for line in done.stdout.split("\n")[:-1]]


OWN_WORDS = [
    "threw an error during evaluation: ",
    "a filter cannot be applied: ",
]


STUBS = [
    '{"return": 1, "callback": {"success": 5}}',
    '{"callback": [{"heartbeat": true}, {"failure": {"error": "E"}, "seconds": 1.5}]}',
    '{"return": 1, "callback": {"sucess": 5}}',
    '{"return": 1, "callback": null}',
    '{"return": 1, "callback": "success"}',
    '{"return": 1, "callback": [null]}',
    '{"return": 1, "callback": [[]]}',
    '{"return": 1, "callback": {}}',
    '{"return": 1, "callback": {"success": 1, "failure": {}}}',
    '{"return": 1, "callback": {"success": 1, "seconds": "60"}}',
    '{"return": 1, "callback": {"failure": {"error": 5}}}',
    '{"return": 1, "publish": [5]}',
]
"""Of a task that waits for its token: two that are right, and then those that are wrong."""


def comparable(value: Any) -> Any:
    """Without what is each engine's own: how its libraries word an error."""
    if isinstance(value, dict):
        return {name: comparable(member) for name, member in value.items()}
    if isinstance(value, list):
        return [comparable(element) for element in value]
    if isinstance(value, str):
        return re.sub(f"({'|'.join(OWN_WORDS)}).*", r"\1", value, flags=re.DOTALL)
    return value


def compare(first: int, count: int) -> None:
    cases = {seed: {**RandomWorkflows(seed).case(), "redrives": seed % 3} for seed in range(first, first + count)}
    for seed, case in cases.items():
        if seed % 2:  # the other half is redriven from the state that failed
            case["redriveFrom"] = case["definition"]["StartAt"]
    lines = "".join(json.dumps({"id": seed, **case}) + "\n" for seed, case in cases.items())
    python, java = outcomes("python", lines), outcomes("java", lines)
    assert [one["id"] for one in python] == [one["id"] for one in java] == list(cases)
    for one, other in zip(python, java, strict=True):
        same = document.same(comparable(one), comparable(other))
        assert same, f"seed {one['id']}: {json.dumps(cases[one['id']])}\npython: {one}\njava: {other}"


def compare_mistakes(first: int, count: int) -> None:
    cases = {seed: broken(RandomWorkflows(seed).case()["definition"], seed) for seed in range(first, first + count)}
    lines = "".join(json.dumps({"id": seed, "definition": definition}) + "\n" for seed, definition in cases.items())
    for one, other in zip(outcomes("python", lines, "validate"), outcomes("java", lines, "validate"), strict=True):
        python, java = ({tuple(found.values()) for found in told["diagnostics"]} for told in (one, other))
        assert (one["id"], python) == (other["id"], java), json.dumps(cases[one["id"]])


def compare_paths(first: int, count: int) -> None:
    """Whether a text is a path, and in which words it is none."""
    paths = [path(seed) for seed in range(first, first + count)]
    states = [{"StartAt": "S", "States": {"S": {"Type": "Pass", "InputPath": text, "End": True}}} for text in paths]
    lines = "".join(json.dumps({"definition": definition}) + "\n" for definition in states)
    python, java = (outcomes(engine, lines, "validate") for engine in ("python", "java"))
    assert [(text, told) for text, told in zip(paths, python, strict=True)] == list(zip(paths, java, strict=True))


def compare_walks(first: int, count: int) -> None:
    """What a path finds, or in which words it leads nowhere."""
    cases = {seed: walk(seed) for seed in range(first, first + count)}
    states = {seed: {"S": {"Type": "Pass", "InputPath": text, "End": True}} for seed, (text, _) in cases.items()}
    lines = "".join(
        json.dumps({"id": seed, "definition": {"StartAt": "S", "States": states[seed]}, "input": value}) + "\n"
        for seed, (_, value) in cases.items()
    )
    for one, other in zip(outcomes("python", lines), outcomes("java", lines), strict=True):
        same = document.same(comparable(one), comparable(other))
        assert same, f"{cases[one['id']]}\npython: {one}\njava: {other}"


def compare_regexes(first: int, count: int) -> None:
    """What a regular expression matches, or in which words it is none; but for what the Python engine says it cannot have."""
    cases = {seed: random_regexes.case(seed) for seed in range(first, first + count)}
    lines = "".join(json.dumps({"id": seed, **case}) + "\n" for seed, case in cases.items())
    refused = 0
    for one, other in zip(outcomes("python", lines), outcomes("java", lines), strict=True):
        if "is not supported" in str(one.get("diagnostics")):
            refused += 1
        else:
            assert one == other, json.dumps(cases[one["id"]])
    assert refused < count / 50


def test_random_workflows_end_the_same_in_both_engines() -> None:
    compare(0, 400)


def test_broken_definitions_have_the_same_mistakes_in_both_engines() -> None:
    compare_mistakes(0, 400)


def test_texts_are_paths_or_not_in_both_engines() -> None:
    compare_paths(0, 4_000)


def test_paths_lead_to_the_same_places_in_both_engines() -> None:
    compare_walks(0, 4_000)


def test_random_regular_expressions_match_the_same_in_both_engines() -> None:
    compare_regexes(0, 4_000)


def test_cases_that_are_wrong_have_the_same_answers_with_their_ids_in_both_engines() -> None:
    task = {"Type": "Task", "Resource": "sand:grain:g.waitForTaskToken", "Parameters": {"t.$": "$$.Task.Token"}, "End": True}
    definition = json.dumps({"StartAt": "T", "States": {"T": task}})
    deep = {levels: "[" * levels + "]" * levels for levels in (199, 200, 201)}
    passing = '{"StartAt": "S", "States": {"S": {"Type": "Pass", "End": true}}}'
    lines = [f'{{"id": {at}, "definition": {definition}, "grains": {{"g": {said}}}}}' for at, said in enumerate(STUBS)]
    lines += [f'{{"id": "in {levels}", "definition": {passing}, "input": {text}}}' for levels, text in deep.items()]
    lines += [f'{{"id": "of {levels}", "definition": {{"Comment": {text}}}}}' for levels, text in deep.items()]
    twice = '{"StartAt": "S", "States": {"S": {"Type": "Pass", "End": true}, "S": {"Type": "Succeed"}}}'
    lines += [f'{{"id": "twice {at}", "definition": {text}}}' for at, text in enumerate((twice, json.dumps(twice)))]
    huge = "1e99999999999"
    looking = '{"StartAt": "S", "States": {"S": {"Type": "Pass", "InputPath": "$.a[?(@.b == HUGE)]", "End": true}}}'.replace(
        "HUGE", huge
    )
    giving = '{"StartAt": "S", "States": {"S": {"Type": "Pass", "Result": [HUGE], "End": true}}}'.replace("HUGE", huge)
    lines += [f'{{"id": "given", "definition": {passing}, "input": {huge}}}']
    lines += [f'{{"id": "in {at}", "definition": {text}}}' for at, text in enumerate((looking, giving, json.dumps(giving)))]
    lines += [
        f'{{"id": "digits", "definition": {passing}, "input": {"1" * 1001}}}',
        f'{{"id": "sign", "definition": {passing}, "input": -{"1" * 1000}}}',
        '{"id": "none", "definition": no}',
    ]
    python, java = (outcomes(engine, "\n".join(lines)) for engine in ("python", "java"))
    assert python == java
    assert [one["id"] for one in python] == [json.loads(re.match(r'{"id": ("[^"]*"|[0-9]+)', line)[1]) for line in lines]
    assert [one["id"] for one in python if one["status"] != "INVALID"] == [0, 1, "in 199", "in 200", "sign"]


@pytest.mark.long
def test_many_more_do() -> None:
    for first in range(10_000, 30_000, 1_000):
        compare(first, 1_000)
        compare_mistakes(first, 1_000)
        compare_paths(first, 1_000)
        compare_regexes(first, 1_000)
