"""sand.yaml against the platform's JSON schema, whose file this package shares with the frontend."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(json.loads((files("sand.emulator") / "sand.schema.json").read_text("utf-8")))


def places(document: Any) -> Iterator[tuple[str, str]]:
    """What is wrong: a JSON Pointer and a sentence each."""
    for error in _validator().iter_errors(document):
        yield from _told(error)


def _told(error: ValidationError) -> Iterator[tuple[str, str]]:
    pointer = "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in error.absolute_path)
    if error.validator == "additionalProperties" and error.validator_value is False:
        for key in error.instance.keys() - error.schema.get("properties", {}).keys():
            yield pointer, f"there is no key '{key}' here"
    elif error.validator == "unevaluatedProperties":
        yield pointer, error.message
    else:
        yield pointer, error.message
