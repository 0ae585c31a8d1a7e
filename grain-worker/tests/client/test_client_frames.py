"""The data plane's frames and grants against the vectors that Java reads too."""

import base64
import json
from typing import Any

import data_plane_vectors as vectors
import pytest

from sand.client import frames
from sand.emulator import grants

FRAMES = json.loads((vectors.FOLDER / "frames.json").read_text())
GRANTS = json.loads((vectors.FOLDER / "grants.json").read_text())
TOKEN = GRANTS["good"][0]["token"]


def test_the_vectors_are_what_this_code_writes() -> None:
    for file, document in vectors.documents().items():
        assert (vectors.FOLDER / file).read_text() == vectors.text(document)


@pytest.mark.parametrize("vector", FRAMES["good"], ids=lambda vector: vector["name"])
def test_a_frame_is_read_as_it_was_written(vector: dict[str, Any]) -> None:
    data = bytes.fromhex(vector["wire"])
    frame = frames.decode(data[4:])
    assert vectors.shown(frame) == {name: value for name, value in vector.items() if name not in ("name", "wire")}
    assert frames.encode(frame) == data


@pytest.mark.parametrize("text", ["", "f", "grün", "x" * 70_000, "ü" * 40_000])
def test_an_invocations_bytes_by_hand_are_those_of_its_shape(text: str) -> None:
    for place in ("id", "function", "content_type"):
        frame = frames.Invoke(7, "id", True, 60_000, "f", "t", 3, b"abc")._replace(**{place: text})
        assert frames.encode(frame) == frames._encode(frame)


def test_a_result_by_hand_is_that_of_its_shape_or_as_wrong() -> None:
    data = frames.encode(frames.Result(7, "grün", "application/json", 3, b"abc"))[4:]
    damaged = [data[:end] for end in range(1, len(data))]
    damaged += [data[:at] + bytes((byte,)) + data[at + 1 :] for at in range(1, len(data)) for byte in (0, 5, 0x7F, 0xFF)]
    for each in (data, *damaged):
        assert _read(each) == _read(each, by_hand=False)


def _read(data: bytes, by_hand: bool = True) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        if not by_hand:
            patch.setattr(frames, "_result", lambda view: None)
        try:
            return frames.decode(data)
        except frames.BadFrame as bad:
            return str(bad)


@pytest.mark.parametrize("vector", FRAMES["bad"], ids=lambda vector: vector["name"])
def test_what_is_no_frame_is_told(vector: dict[str, Any]) -> None:
    with pytest.raises(frames.BadFrame):
        frames.decode(bytes.fromhex(vector["wire"])[4:])


def test_a_kind_that_a_newer_version_knows_is_passed_over() -> None:
    stream = b"\0\0\0\3\x7fab" + frames.encode(frames.Ping(4))
    assert frames.Reader(_receiver(stream, 3), lambda *_: None).next() == frames.Ping(4)


@pytest.mark.parametrize("step", [1, 7, 1 << 20])
def test_a_stream_is_cut_into_frames_wherever_it_is_cut_itself(step: int) -> None:
    known = vectors.all_frames()
    memory = bytearray(256)
    stream = b"".join(frames.encode(frame) for frame in known.values())
    reader = frames.Reader(_receiver(stream, step), lambda request, count: memoryview(memory)[:count])
    for frame in known.values():
        expected = frames.Part(9, b"") if isinstance(frame, frames.Part) else frame
        assert reader.next() == expected
    assert bytes(memory) == known["part"].bytes
    with pytest.raises(EOFError):
        reader.next()


def test_a_frame_over_the_limit_is_refused_by_its_length() -> None:
    stream = (1 << 30).to_bytes(4, "big") + b"\x06"
    with pytest.raises(frames.BadFrame, match="1073741824 bytes"):
        frames.Reader(_receiver(stream, 100), lambda *_: None).next()


def _receiver(stream: bytes, step: int) -> Any:
    left = bytearray(stream)

    def receive(to: memoryview) -> int:
        count = min(step, len(to), len(left))
        to[:count] = left[:count]
        del left[:count]
        return count

    return receive


@pytest.mark.parametrize("vector", GRANTS["good"], ids=lambda vector: vector["name"])
def test_a_grant_is_read_as_it_was_signed(vector: dict[str, Any]) -> None:
    grant = grants.read(vector["token"], vectors.KEY, vectors.NOW_MS)
    assert grant == vectors.all_grants()[vector["name"]]
    assert grants.sign(grant, vectors.KEY) == vector["token"]


def _changed(at: int, to: int | None = None) -> str:
    data = bytearray(base64.urlsafe_b64decode(TOKEN + "=" * (-len(TOKEN) % 4)))
    data[at] = data[at] ^ 1 if to is None else to
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@pytest.mark.parametrize(
    ("fault", "token"),
    [
        ("MALFORMED", ""),
        ("MALFORMED", "AQ"),
        ("MALFORMED", "*" * 200),
        ("MALFORMED", "A" * 100_000),
        ("FORGED", TOKEN[:-6]),
        ("FORGED", _changed(30)),
        ("FORGED", _changed(-1)),
        ("OTHER_VERSION", _changed(0, 3)),
        ("OTHER_VERSION", _changed(0, 0)),
        ("FORGED", _changed(0, 2)),
    ],
)
def test_a_grant_that_was_tampered_with_gives_nothing(fault: str, token: str) -> None:
    with pytest.raises(grants.Refused) as refused:
        grants.read(token, vectors.KEY, vectors.NOW_MS)
    assert refused.value.fault == fault


def test_a_grant_is_filled_up_to_four_letters_or_not_at_all() -> None:
    for token in GRANTS["spellings"]["taken"]:
        assert grants.read(token, vectors.KEY, vectors.NOW_MS).application == "shop"
    for token in GRANTS["spellings"]["malformed"]:
        with pytest.raises(grants.Refused, match="that is no grant, or not all of it"):
            grants.read(token, vectors.KEY, vectors.NOW_MS)


def test_a_grant_of_another_key_and_one_that_has_expired_give_nothing() -> None:
    with pytest.raises(grants.Refused, match="not signed"):
        grants.read(TOKEN, bytes(32), vectors.NOW_MS)
    with pytest.raises(grants.Refused, match="expired 0 ms ago"):
        grants.read(TOKEN, vectors.KEY, vectors.NOW_MS + 60_000)


def test_a_grant_allows_what_its_rights_and_functions_say() -> None:
    def allowed(rights: set[str], functions: set[str]) -> bool:
        grant = grants.Grant("shop", "p", "h", 1, frozenset(rights), frozenset(functions), 0, 1)
        return grant.allows("add")

    assert allowed({"invoke"}, set()) and allowed({"invoke", "look"}, {"add"})
    refused = [(set(), set()), ({"look"}, {"add"}), ({"INVOKE"}, set()), ({"invoke"}, {"sub"})]
    assert not any(allowed(rights, functions) for rights, functions in refused)
