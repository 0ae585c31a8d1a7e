"""The codec against the golden vectors, which another Thrift library wrote from the IDL, in both directions."""

from __future__ import annotations

import json
from typing import Any

import pytest
import vectors

from sand import hotpath, messages, process_path, protocol, wire
from sand.messages import BusError, DataReference, EventMessage, Payload, StateWrite
from sand.protocol import METHODS

CASES = [
    pytest.param(data["method"], one, id=f"{data['method']}-{one['name']}")
    for data in (json.loads(file.read_text()) for file in sorted(vectors.FOLDER.glob("*.json")))
    for one in data["frames"]
]
LAID = {
    method.name: method
    for method in (process_path.SEND, process_path.RECEIVE, process_path.PROCESS_INVOKE, process_path.PROCESS_RESULT)
}
_KINDS = {"call": wire.CALL, "oneway": wire.ONEWAY, "reply": wire.REPLY}
_MEMBERS = {  # unions: IDL's member to our class
    "claim": protocol.ClaimCommand, "startWorker": protocol.StartWorkerCommand, "spawn": protocol.SpawnCommand,
    "kill": protocol.KillCommand, "stop": protocol.StopCommand, "secrets": protocol.SecretsCommand,
    "workerReady": protocol.WorkerReadyReport,
    "workerFailed": protocol.WorkerFailedReport, "workerExited": protocol.WorkerExitedReport,
    "instanceExited": protocol.InstanceExitedReport, "instanceForkFailed": protocol.InstanceForkFailedReport,
}  # fmt: skip


def plain(value: Any) -> Any:
    """One of our values as the vectors have it."""
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    if hasattr(value, "_fields"):
        fields = {_idl_name(name): plain(field) for name, field in value._asdict().items() if field is not None}
        member = next((name for name, cls in _MEMBERS.items() if cls is type(value)), None)
        return {member: fields} if member else fields
    if isinstance(value, tuple):
        return [plain(one) for one in value]
    return value


def _idl_name(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def decode(method: str, kind: str, data: bytes) -> Any:
    if kind == "reply":
        return protocol.decode_reply(METHODS[method], data)
    *_, at = wire.header(data)
    assert data[at : at + 3] == b"\x0c\0\1"
    value, at = METHODS[method].argument.decode(data, at + 3)
    assert data[at:] == b"\0"
    return value


def test_the_vectors_are_those_of_the_idl() -> None:
    assert {file: file.read_text() for file in vectors.FOLDER.glob("*.json")} == vectors.files()


def test_every_call_of_the_idl_is_known_and_has_vectors() -> None:
    services = (vectors.sand.LocalBus, vectors.sand.Control, vectors.sand.Segments)
    assert METHODS.keys() == {name for service in services for name in service.thrift_services} == vectors.cases().keys()


@pytest.mark.parametrize(("method", "case"), CASES)
def test_decodes_what_another_library_wrote(method: str, case: dict[str, Any]) -> None:
    data = bytes.fromhex(case["frame"])
    kind, name, sequence, _ = wire.header(data[4:])
    assert (int.from_bytes(data[:4], "big"), kind, name, sequence) == (
        len(data) - 4, _KINDS[case["kind"]], method, case["sequence"],
    )  # fmt: skip
    value = decode(method, case["kind"], data[4:])
    shown = plain(value)
    if case["kind"] == "reply":
        shown = {} if value is None else {"error" if isinstance(value, BusError) else "success": shown}
    assert shown == case["value"]


@pytest.mark.parametrize(("method", "case"), [one for one in CASES if one.values[1]["kind"] != "reply"])
def test_writes_the_same_bytes(method: str, case: dict[str, Any]) -> None:
    data = bytes.fromhex(case["frame"])
    value = decode(method, case["kind"], data[4:])
    assert protocol.encode_call(METHODS[method], value, case["sequence"]) == data
    if method == "finish":
        assert hotpath.encode_finish(*value) == data
    if method in LAID:
        assert protocol.encode_call(LAID[method], value, case["sequence"]) == data


@pytest.mark.parametrize(("method", "case"), [one for one in CASES if one.values[0] in LAID])
def test_a_call_of_a_process_is_the_same_by_hand(method: str, case: dict[str, Any]) -> None:
    data = bytes.fromhex(case["frame"])[4:]
    by_hand = LAID[method]
    if case["kind"] == "reply":
        value = protocol.decode_reply(METHODS[method], data)
        assert protocol.decode_reply(by_hand, data) == value
        if by_hand.read is not None:
            assert by_hand.read(data) in (value, None)
            for end in range(len(data)):
                with pytest.raises(wire.ProtocolError):
                    protocol.decode_reply(by_hand, data[:end])


def test_the_usual_calls_of_a_process_are_laid_by_hand() -> None:
    small = messages.Payload("application/octet-stream", b"grain", None)
    large = messages.Payload("application/octet-stream", None, messages.DataReference("o", 1 << 20))
    found = messages.ReceiveReply(messages.Message("pé", "k", small))
    for method, usual, unusual in (
        (
            process_path.SEND,
            messages.SendRequest("e-é", 1, 2, "pé", "k", small, 5),
            messages.SendRequest("e", 1, 2, "p", "k", large, 5),
        ),
        (process_path.RECEIVE, messages.ReceiveRequest("e-é", 1, None, "k", 5), None),
        (process_path.RECEIVE, messages.ReceiveRequest("e-é", 1, "pé", None, 5), None),
        (process_path.PROCESS_INVOKE, messages.ProcessInvokeRequest("e-é", 1, 2, "p", "f", small), None),
        (process_path.PROCESS_INVOKE, messages.ProcessInvokeRequest("e-é", 1, 2, "p", "f", small, True), None),
        (process_path.PROCESS_INVOKE, messages.ProcessInvokeRequest("e-é", 1, 2, "p", "f", small, False), None),
        (process_path.PROCESS_RESULT, messages.ProcessResultRequest("e-é", 1, "i", 5), None),
    ):
        assert method.laid is not None
        assert method.laid(usual, 7) == protocol.encode_call(METHODS[method.name], usual, 7)
        if unusual is not None:
            assert method.laid(unusual, 7) is None
    for method, value in (
        (process_path.RECEIVE, found),
        (process_path.PROCESS_INVOKE, messages.ProcessInvoked("i-é", None)),
        (process_path.PROCESS_INVOKE, messages.ProcessInvoked("i-é", messages.ProcessResult(small, None, None))),
        (process_path.PROCESS_RESULT, messages.ProcessResult(small, None, None)),
    ):
        assert method.read is not None
        assert method.read(_reply(method.name, value)) == value


def _reply(method: str, value: Any) -> bytes:
    body = [b"\x0c\0\0"]
    result = METHODS[method].result
    assert result is not None
    result.encode(body, value)
    body.append(b"\0")
    return bytes(wire.message(wire.REPLY, method, 7, body))[4:]


@pytest.mark.parametrize(
    "case", [one.values[1] for one in CASES if one.values[0] == "take" and one.values[1]["kind"] == "reply"]
)
def test_the_hot_path_reads_a_take_as_the_general_decoder_does(case: dict[str, Any]) -> None:
    data = bytes.fromhex(case["frame"])[4:]
    general = protocol.decode_reply(protocol.TAKE, data)
    if isinstance(general, BusError):
        with pytest.raises(wire.ProtocolError, match="stale instance"):
            hotpath.decode_take_reply(data)
    else:
        assert hotpath.decode_take_reply(data) == hotpath.decode_take_reply(bytearray(data)) == general.event


def test_the_hot_path_takes_fields_in_another_order_and_unknown_ones() -> None:
    case = next(one.values[1] for one in CASES if one.values[1]["name"] == "event-json")
    data = bytes.fromhex(case["frame"])[4:]
    schema = b"\6\0\1\0\1"
    assert data.count(schema) == 1
    unknown = b"\x0d\x03\xe7\x0b\x0f\0\0\0\1\0\0\0\1k\x0c\0\0\0\1\2\0\1\1\0"  # map<string, list<struct>>
    moved = data.replace(schema, unknown)[:-3] + schema + b"\0\0\0"
    assert hotpath.decode_take_reply(moved) == hotpath.decode_take_reply(data)


@pytest.mark.parametrize(("method", "case"), [one for one in CASES if one.values[1]["kind"] == "reply"])
def test_a_cut_frame_is_an_error_of_the_protocol(method: str, case: dict[str, Any]) -> None:
    data = bytes.fromhex(case["frame"])[4:]
    for end in range(len(data)):
        with pytest.raises(wire.ProtocolError):
            protocol.decode_reply(METHODS[method], data[:end])
        if method == "take":
            with pytest.raises(wire.ProtocolError):
                hotpath.decode_take_reply(data[:end])


def test_the_hot_paths_take_is_the_general_one() -> None:
    assert hotpath.encode_take("i-é", 42) == protocol.encode_call(protocol.TAKE, protocol.TakeRequest("i-é", 42))


PAYLOADS = {
    "small": Payload("text/plain", b"v"),
    "empty": Payload("é", b""),
    "none": None,
    "large": Payload("x", None, DataReference("o-1", 70_000)),
}


@pytest.mark.parametrize(
    "keys", [["small"], ["none", "small"], ["empty", "none", "empty"], ["small", "large"], ["large"], ["none"]]
)
def test_the_hot_paths_state_is_the_general_one(keys: list[str]) -> None:
    state = tuple(StateWrite(f"{at}-é", PAYLOADS[key]) for at, key in enumerate(keys))
    event = EventMessage(1, "e", "x", "g", 1, 5, Payload("application/json", b"1"), None, "p", state)
    body = [b"\x0c\0\0"]
    protocol.TAKE.result.encode(body, protocol.TakeReply(event))
    data = wire.message(wire.REPLY, "take", 7, [*body, b"\0"])[4:]
    assert hotpath.decode_take_reply(data) == hotpath.decode_take_reply(bytearray(data)) == event
    for end in range(len(data)):
        with pytest.raises(wire.ProtocolError):
            hotpath.decode_take_reply(data[:end])
    finish = protocol.FinishRequest("e", 1, Payload("application/json", b"1"), None, 3, 4, state)
    assert hotpath.encode_finish(*finish[:3], [], *finish[4:]) == protocol.encode_call(protocol.FINISH, finish)


def test_the_hot_paths_report_is_the_general_one() -> None:
    report = protocol.InstanceExitedReport("i-é", 3, 9, 812, 1 << 33)
    assert hotpath.encode_exited(*report[:5]) == protocol.encode_call(protocol.REPORT, report)


@pytest.mark.parametrize(
    ("commands", "names"),
    [
        ([protocol.SpawnCommand(("i1", "i-é"))], ("i1", "i-é")),
        ([protocol.SpawnCommand(("i1",)), protocol.StopCommand()], None),
        ([protocol.KillCommand(3)], None),
        ([], None),
    ],
)
def test_the_hot_path_knows_a_spawn(commands: list[Any], names: tuple[str, ...] | None) -> None:
    body = [b"\x0c\0\0"]
    protocol.COMMANDS.result.encode(body, protocol.CommandsReply(tuple(commands)))
    data = wire.message(wire.REPLY, "commands", 7, [*body, b"\0"])[4:]
    assert hotpath.decode_spawn(data) == names
    for end in range(len(data)):
        assert hotpath.decode_spawn(data[:end]) is None
