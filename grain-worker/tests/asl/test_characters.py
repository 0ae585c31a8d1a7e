"""Characters beyond U+FFFF, and halves of them, where engines count and write."""

import json

import pytest

from sand.asl import document, json_faults
from sand.asl.reading import read

FACE = "\U0001f600"


def _expression(text: str) -> str:
    state = {"Type": "Pass", "Output": f"{{% {text} %}}", "End": True}
    return json.dumps({"QueryLanguage": "JSONata", "StartAt": "S", "States": {"S": state}})


def test_a_character_counts_once_for_the_length_of_an_expression() -> None:
    machine, _ = read(_expression(f"'{FACE * 65_534}'"))
    assert machine is not None
    machine, found = read(_expression(f"'{FACE * 65_535}'"))
    assert machine is None and "has 65537 characters" in found[0].message


def test_a_pair_is_written_as_it_is_and_its_half_as_an_escape() -> None:
    assert document.write(["\ud83d", FACE, "\ude00"]) == f'["\\uD83D","{FACE}","\\uDE00"]'


def test_a_byte_order_mark_is_named() -> None:
    with pytest.raises(document.NoJson, match="byte order mark"):
        document.parse("\ufeff1")


@pytest.mark.parametrize(
    ("json_text", "words"),
    [
        ("\u3000", "Unexpected character ('\u3000' (code 12288 / 0x3000))"),
        ("\x85", "Unexpected character ((CTRL-CHAR, code 133))"),
        (FACE, f"Unexpected character ('{FACE}' (code 128512 / 0x1f600))"),
        ("é", "Unrecognized token 'é'"),
        ("\xa0", "Unexpected character ('\xa0' (code 160))"),
    ],
)
def test_what_stands_where_no_value_can_is_shown(json_text: str, words: str) -> None:
    assert str(json_faults.fault(json_text)).startswith(words)
