"""Items that are in many objects, packed ones among them: beyond what stubs of vectors can say."""

import gzip
import json

import pytest

from sand.asl import limits
from sand.asl.objects import Format, ItemFault, Listed, Source, items


class Memory:
    def __init__(self, contents: dict[str, bytes]) -> None:
        self.contents = contents

    def content(self, key: str, version: int | None) -> bytes:
        if key not in self.contents:
            raise ItemFault(f"There is no object {key}.")
        return self.contents[key]

    def listed(self, prefix: str) -> list[Listed]:
        return [Listed(key, 0, "") for key in sorted(self.contents) if key.startswith(prefix)]

    def write(self, key: str, content_type: str, offset: int, content: bytes, is_last: bool) -> None:
        raise NotImplementedError


INVENTORY = Source("b", "m.json", Format("CSV", spread="INVENTORY"))
MANIFEST = {
    "destinationBucket": "arn:aws:s3:::d",
    "fileFormat": "CSV",
    "fileSchema": "Bucket, Key",
    "files": [{"key": "1.csv.gz"}, {"key": "1.csv.gz"}],
}


def inventory(content: bytes) -> Memory:
    return Memory({"b/m.json": json.dumps(MANIFEST).encode(), "d/1.csv.gz": content})


def test_objects_that_are_listed_are_read_one_after_the_other() -> None:
    contents = {"b/in/1": b"1\n2", "b/in/2": b"", "b/in/3.gz": gzip.compress(b"3\n"), "b/out/4": b"4"}
    source = Source("b", "in/", Format("JSONL", spread="LISTED"))
    found = list(items(source, Memory(contents)))
    assert found == [(None, 1, "s3://b/in/1"), (None, 2, "s3://b/in/1"), None, None, (None, 3, "s3://b/in/3.gz")]


def test_the_files_of_an_inventory_are_unpacked() -> None:
    found = items(INVENTORY, inventory(gzip.compress(b'"s","a"\n"s","b"\n')))
    assert [item and item[1]["Key"] for item in found] == ["a", "b", None, "a", "b"]


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"\1\2\3", "cannot be unpacked"),
        (gzip.compress(b"x" * (limits.UNPACKED_BYTES + 1)), "when it is unpacked"),
    ],
    ids=["no-gzip", "too-much"],
)
def test_a_file_that_cannot_be_unpacked_is_told(content: bytes, fault: str) -> None:
    with pytest.raises(ItemFault, match=fault):
        list(items(INVENTORY, inventory(content)))


def test_a_file_that_is_missing_is_told() -> None:
    memory = inventory(b"")
    del memory.contents["d/1.csv.gz"]
    with pytest.raises(ItemFault, match="There is no object"):
        list(items(INVENTORY, memory))


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("JSONL", b'"a"\n"\xe9"\n'),
        ("JSONL", '{"a": 1}\n'.encode("utf-16")),
        ("JSON", b'["\xe9"]'),
        ("JSON", "[1]".encode("utf-16")),
        ("JSON", "[1, 2]".encode("utf-16-le")),
    ],
)
def test_text_that_is_not_in_utf_8_is_none(kind: str, content: bytes) -> None:
    with pytest.raises(ItemFault, match=f"The object b/k cannot be read as {kind}: it is not in UTF-8"):
        list(items(Source("b", "k", Format(kind)), Memory({"b/k": content})))
