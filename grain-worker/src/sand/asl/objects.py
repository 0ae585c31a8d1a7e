"""The application's objects, as a distributed Map reads its items from them: what an ItemReader can read, item by item."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from sand.asl import document, limits

Item = tuple[str | None, Any]
"""The key of a member of an object, else None; and the value."""


class ItemFault(Exception):
    """What is wrong with an object, in a sentence."""


@dataclass(frozen=True, slots=True)
class Format:
    """type: CSV, JSON or JSONL. headers: of CSV, None when its first row has them. pointer: of JSON, ItemsPointer's steps."""

    type: str
    delimiter: str = ","
    headers: tuple[str, ...] | None = None
    pointer: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """Where items are. bucket: the first part of the objects' keys, or None; name: the object's key or the prefix of keys,
    below the bucket; format: None when objects are listed; version: of the object, None for as it is."""

    bucket: str | None
    name: str
    format: Format | None
    version: int | None = None

    @property
    def key(self) -> str:
        return self.name if self.bucket is None else f"{self.bucket}/{self.name}"

    @property
    def shown(self) -> str:
        """What `$$.Map.Item.Source` shows."""
        if self.bucket is None:
            return "sand:object" if self.format is None else f"sand:object:{self.name}"
        return f"S3://{self.bucket}" if self.format is None else f"S3://{self.bucket}/{self.name}"


@dataclass(frozen=True, slots=True)
class Listed:
    key: str
    size: int
    etag: str


class Objects(Protocol):
    def content(self, key: str, version: int | None) -> bytes:
        """Raises ItemFault when there is no such object, or not at this version."""
        ...

    def listed(self, prefix: str) -> list[Listed]:
        """Those whose keys have the prefix, in order."""
        ...

    def write(self, key: str, content_type: str, offset: int, content: bytes, is_last: bool) -> None:
        """Writes part of an object; is_last: it ends with it."""
        ...


def items(source: Source, objects: Objects) -> Iterator[Item]:
    """The items one after the other; what is wrong with them is raised, as ItemFault, when they are reached."""
    if source.format is None:
        return _listing(source, objects)
    return read(source, source.format, objects.content(source.key, source.version))


def _listing(source: Source, objects: Objects) -> Iterator[Item]:
    bucket = 0 if source.bucket is None else len(source.bucket) + 1
    for one in objects.listed(source.key):
        item = {"Etag": f'"{one.etag}"', "Key": one.key[bucket:], "Size": one.size, "StorageClass": "STANDARD"}
        yield None, item


def read(source: Source, form: Format, content: bytes) -> Iterator[Item]:
    text = content.decode("utf-8-sig", "replace")
    reader = {"CSV": _rows, "JSON": _members, "JSONL": _lines}[form.type]
    try:
        for key, value in reader(form, text):
            if document.size(value, limits.ITEM_BYTES) > limits.ITEM_BYTES:
                raise ItemFault(f"an item is larger than {limits.ITEM_BYTES} bytes")
            yield key, value
    except (document.NoJson, csv.Error, ItemFault) as e:
        raise ItemFault(f"The object {source.key} cannot be read as {form.type}: {e}") from None


def _members(form: Format, text: str) -> Iterator[Item]:
    value = document.parse(text)
    for step in form.pointer:
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value) and step == str(int(step)):
            value = value[int(step)]
        else:
            value = None
    if not isinstance(value, list | dict):
        where = "/" + "/".join(form.pointer)
        none = f"its ItemsPointer {where} leads to no array and no object"
        raise ItemFault(none if form.pointer else "it is neither a JSON array nor a JSON object")
    yield from value.items() if isinstance(value, dict) else ((None, element) for element in value)


def _lines(form: Format, text: str) -> Iterator[Item]:
    for line in io.StringIO(text):
        if line.strip():
            yield None, document.parse(line)


def _rows(form: Format, text: str) -> Iterator[Item]:
    """A field that a row lacks is empty, one that no header names is left out."""
    csv.field_size_limit(limits.ITEM_BYTES)
    rows = (row for row in csv.reader(io.StringIO(text, newline=""), delimiter=form.delimiter, strict=True) if row)
    headers = form.headers if form.headers is not None else tuple(next(rows, ()))
    if sum(len(header.encode()) + 1 for header in headers) > limits.CSV_HEADER_BYTES:
        raise ItemFault(f"its headers have more than {limits.CSV_HEADER_BYTES} bytes")
    for row in rows:
        yield None, {header: row[at] if at < len(row) else "" for at, header in enumerate(headers)}
