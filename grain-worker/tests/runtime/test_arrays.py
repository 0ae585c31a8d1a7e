"""Arrays as they travel: whatever is written is read, and whatever cannot be read is refused as it is written."""

import io
from typing import Any

import numpy as np
import pytest

from sand import arrays, values
from sand.errors import BadRequest, Unserializable


def written(array: Any) -> bytes:
    return b"".join(bytes(part) for part in arrays.encode(array, "the array"))


def travelled(array: Any) -> Any:
    data = written(array)
    assert np.load(io.BytesIO(data), max_header_size=len(data)).dtype == arrays.decode(data).dtype
    return arrays.decode(data)


def fields(count: int) -> Any:
    return np.zeros(1, dtype=[(f"column_{number:04d}", "f8") for number in range(count)])


def nested(levels: int) -> Any:
    dtype = np.dtype("i4")
    for _ in range(levels):
        dtype = np.dtype([("in", dtype)])
    return np.zeros(2, dtype)


RECORDS = np.array([(1, 2.5, "a"), (3, 4.5, "b")], dtype=[("id", "i4"), ("price", "f8"), ("name", "U3")])
UNION = np.dtype({"names": ["a", "b"], "formats": ["i4", "i2"], "offsets": [0, 0]})


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(6).reshape(2, 3)), np.arange(10)[::3], np.array(7),
        np.zeros((0, 3)), np.array(["a", "ä"]), np.array([b"a"]), np.array(["2026-11-29"], "M8[ns]"), np.array([1], ">i2"),
        np.zeros(2, "V5"), RECORDS, RECORDS.view(np.recarray), RECORDS[["id"]], RECORDS[:0],
        np.array([(1, 2)], np.dtype([("a", "i1"), ("b", "i8")], align=True)), np.ones(1, [("x", "f8", (2, 3))]),
        np.ones(1, [(("the title", "a"), "i4")]), np.ones(2, [("цена", "f8"), ("'\\[\n", "i4")]), np.ones(1, [("é", "f8")]),
        fields(450), fields(2_700), fields(6_000), nested(arrays.LEVELS),
    ],
    ids=lambda array: f"{array.dtype!s:.30}{array.shape}",
)  # fmt: skip
def test_what_is_written_is_read(array: Any) -> None:
    back = travelled(array)
    assert back.dtype == array.dtype and back.shape == array.shape
    assert np.array_equal(back, array)


@pytest.mark.parametrize(
    "array",
    [
        RECORDS[["price", "id"]], RECORDS[["name", "id", "price"]][::-1], RECORDS[["price", "id"]][:0],
        np.array([(3, 3)], UNION),
        np.array([[(1, 2.5)]], [("a", "i4"), ("b", "f8")], order="F")[["b", "a"]],
        np.ones(2, [("in", RECORDS[["price", "id"]].dtype)]), np.ones(2, [("in", RECORDS[["price", "id"]].dtype, (3,))]),
        np.ones(2, [(("the title", "a"), "i4"), ("b", "i8")])[["b", "a"]],
    ],
    ids=lambda array: f"{array.dtype!s:.30}{array.shape}",
)  # fmt: skip
def test_fields_in_another_order_are_read_as_they_were_selected(array: Any) -> None:
    back = travelled(array)
    assert back.dtype.names == array.dtype.names and back.shape == array.shape
    assert repr(back.tolist()) == repr(array.astype(back.dtype).tolist())
    assert [back.dtype[name] for name in back.dtype.names] == [arrays._packed(array.dtype[name]) for name in array.dtype.names]


@pytest.mark.parametrize(
    ("array", "why"),
    [
        (np.empty(3, "V0"), "an array of |V0, whose elements have no bytes"),
        (np.empty(3, np.dtype([])), "whose elements have no bytes"),
        (np.array([{}]), "Python objects"),
        (np.array([("a",)], [("a", "O")]), "Python objects"),
        (np.ma.masked_array([1, 2], [True, False]), "masked"),
        (fields(12_000), "the limit is 262144"),
        (nested(arrays.LEVELS + 1), "more than 32 levels deep"),
        (np.zeros(1, np.dtype({"names": ["", "b"], "formats": ["V4", "i4"]})), "no words"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_could_not_be_read_is_refused_as_it_is_written(array: Any, why: str) -> None:
    with pytest.raises(Unserializable) as refused:
        values.encode(array, "", "the value", None)
    assert why in str(refused.value) and str(refused.value).startswith("the value is ")


def header(text: str, version: int = 2, length: int | None = None) -> bytes:
    encoded = text.encode()
    return b"\x93NUMPY" + bytes((version, 0)) + (len(encoded) if length is None else length).to_bytes(4, "little") + encoded


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "magic"),
        (header("{", 4), "version"),
        (header("{}", length=1 << 20), "the limit is 262144"),
        (header("{}", length=3), "ends in its header"),
        (header("(" * 20_000), ""),
        (header("-" * 20_000 + "1"), ""),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999, 9999999999), }"), ""),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }"), ""),
        (header("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }"), "Python objects"),
    ],
    ids=range(9),
)
def test_what_is_no_array_is_a_bad_request(data: bytes, why: str) -> None:
    with pytest.raises(BadRequest, match=r"the payload is not a readable \.npy array") as refused:
        arrays.decode(data)
    assert why in str(refused.value)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_what_numpy_itself_has_written_is_read(version: tuple[int, int]) -> None:
    array = np.ones(2, [("цена" if version == (3, 0) else "é", "f8")])
    saved = io.BytesIO()
    np.lib.format.write_array(saved, array, version)
    assert arrays.decode(saved.getvalue()).dtype == array.dtype
