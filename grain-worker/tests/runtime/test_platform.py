"""What a grain hears of the platform and passes on is what was said."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from sand import values
from sand.messages import ControlReply, ControlRequest
from sand.platform import Platform


class Host:
    def __init__(self, body: bytes) -> None:
        self.body = body
        self.asked: list[ControlRequest] = []

    def call(self, _: Any, request: ControlRequest) -> ControlReply:
        self.asked.append(request)
        return ControlReply(200, self.body)


BODY = b'{"letters":[{"payload":[1.10,1E+400,-0.0,123456789012345678901234567890.5,7,"\xc3\xa9",null,true]}]}'


def test_numbers_pass_as_they_were_written() -> None:
    host = Host(BODY)
    status, body = Platform(host).call("listDeadLetters", "", {})  # type: ignore[arg-type]
    assert (status, values.to_json(body)) == (200, BODY)
    Platform(host).call("moveAlias", "", {"body": body})  # type: ignore[arg-type]
    assert host.asked[-1].arguments == b'{"body":' + BODY + b"}"


def test_decimals_are_encoded_beside_all_else() -> None:
    value = {'a"b': Decimal("1.10"), 3: (Decimal(2), [], {}), "lone": "\ud800"}
    assert values.to_json(value) == b'{"a\\"b":1.10,"3":[2,[],{}],"lone":"\\ud800"}'
    assert json.loads(values.to_json({True: 1.5, None: Decimal(1)})) == {"true": 1.5, "null": 1}


@pytest.mark.parametrize("odd", ["NaN", "Infinity"])
def test_what_is_no_number_of_jsons_is_refused(odd: str) -> None:
    with pytest.raises(ValueError):
        values.to_json([Decimal(odd)])
