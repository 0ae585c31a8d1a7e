"""The application's objects, as a distributed Map reads its items from them: what an ItemReader can read, item by item."""

from __future__ import annotations

import codecs
import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol

from sand.asl import csv_rows, document, json_faults, limits, unique

Item = tuple[str | None, Any] | tuple[str | None, Any, str]
"""The key of a member of an object, else None; the value; and where it is from, when that is another object than the source."""


class ItemFault(Exception):
    """What is wrong with an object, in a sentence."""


class WordedFault(ItemFault):
    """In the words of AWS, which do not name the object."""


@dataclass(frozen=True, slots=True)
class Format:
    """type: CSV, JSON, JSONL, or PARQUET, which is refused before it is read. headers: of CSV, None when its first row has
    them. pointer: of JSON, ItemsPointer's steps. spread: ONE object; all that are LISTED; those of an INVENTORY, or whose PATHS
    a manifest has."""

    type: str
    delimiter: str = ","
    headers: tuple[str, ...] | None = None
    pointer: tuple[str, ...] = ()
    spread: str = "ONE"

    @property
    def lists(self) -> bool:
        return self.spread == "LISTED"


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
            return "sand:object" if self.is_listing else f"sand:object:{self.name}"
        return f"s3://{self.bucket}" if self.is_listing else f"s3://{self.bucket}/{self.name}"

    @property
    def is_listing(self) -> bool:
        """Whether the name is a prefix of keys."""
        return self.format is None or self.format.lists


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


def items(source: Source, objects: Objects) -> Iterator[Item | None]:
    """The items one after the other, with None between those of two objects; what is wrong with them is raised, as ItemFault,
    when they are reached."""
    if source.format is None:
        return _listing(source, objects)
    if source.format.spread != "ONE":
        return _spread(source, source.format, objects)
    return read(source, source.format, objects.content(source.key, source.version))


def _listing(source: Source, objects: Objects) -> Iterator[Item]:
    bucket = 0 if source.bucket is None else len(source.bucket) + 1
    for one in objects.listed(source.key):
        item = {"Etag": f'"{one.etag}"', "Key": one.key[bucket:], "Size": one.size, "StorageClass": "STANDARD"}
        yield None, item


def listed(given: Any) -> list[dict[str, Any]]:
    """Of what stands for an answer of ListObjectsV2, or for its Contents: the objects that it lists. Raises ItemFault."""
    contents = given
    if isinstance(given, dict):
        contents = given["Contents"] if "Contents" in given else None if given.keys() - _OF_LIST else []
    if isinstance(contents, list) and all(isinstance(one, dict) and isinstance(one.get("Key"), str) for one in contents):
        return contents
    raise ItemFault("What listObjectsV2 gave is no list of objects: each has a Key, and the list may be Contents of an answer.")


_OF_LIST = {
    "CommonPrefixes", "ContinuationToken", "Delimiter", "EncodingType", "IsTruncated", "KeyCount", "MaxKeys", "Name",
    "NextContinuationToken", "Prefix", "RequestCharged", "StartAfter",
}  # fmt: skip
"""What an answer has that lists nothing."""


def _spread(source: Source, form: Format, objects: Objects) -> Iterator[Item | None]:
    """Of many objects, one after the other."""
    one = replace(form, spread="ONE")
    if form.lists:
        keys = [listed.key for listed in objects.listed(source.key)]
    else:
        content = objects.content(source.key, source.version)
        if len(content) > limits.MANIFEST_BYTES:
            raise ItemFault(f"The manifest {source.key} has more than {limits.MANIFEST_BYTES} bytes.")
        keys = _paths(content)
        if form.spread == "INVENTORY":
            keys, headers = _inventory(source, content)
            one = Format("CSV", headers=headers)
    for at, key in enumerate(keys):
        if at:
            yield None
        bucket, _, name = key.partition("/") if source.bucket is not None and "/" in key else (None, "", key)
        each = Source(bucket, name, one)
        content = objects.content(key, None)
        for member, value in read(each, one, _unpacked(key, content) if key.endswith(".gz") else content):
            yield None, value if member is None else {"Key": member, "Value": value}, each.shown


def _inventory(source: Source, content: bytes) -> tuple[list[str], tuple[str, ...]]:
    """The keys of the files of an S3 inventory, and their columns."""
    text = content.decode("utf-8-sig", "replace")
    try:
        manifest = document.parse(text)
    except document.NoJson as e:
        raise ItemFault(f"The manifest {source.key} is no JSON: {json_faults.why(e, text)}") from None
    manifest = manifest if isinstance(manifest, dict) else {}
    schema, files = manifest.get("fileSchema"), manifest.get("files")
    if manifest.get("fileFormat") != "CSV" or not isinstance(schema, str) or not isinstance(files, list):
        wanted = "an S3 inventory's in CSV has fileFormat, fileSchema and files"
        raise ItemFault(f"The manifest {source.key} cannot be used: {wanted}.")
    bucket = str(manifest.get("destinationBucket", source.bucket or "")).rpartition(":")[2]
    keys = [one.get("key") if isinstance(one, dict) else None for one in files]
    if not all(isinstance(key, str) for key in keys):
        raise ItemFault(f"The manifest {source.key} has a file without a key.")
    prefix = "" if source.bucket is None else f"{bucket}/"
    return [f"{prefix}{key}" for key in keys], tuple(name.strip() for name in schema.split(","))


def _paths(content: bytes) -> list[str]:
    """Of a manifest that has one a line."""
    lines = (line.strip().strip('"') for line in content.decode("utf-8-sig", "replace").splitlines())
    return [line[5:] if line[:5].lower() == "s3://" else line for line in lines if line]


def _unpacked(key: str, content: bytes) -> bytes:
    packed = zlib.decompressobj(wbits=31)
    try:
        unpacked = packed.decompress(content, limits.UNPACKED_BYTES)
    except zlib.error as e:
        raise ItemFault(f"The object {key} cannot be unpacked: {e}") from None
    if packed.unconsumed_tail:
        raise ItemFault(f"The object {key} has more than {limits.UNPACKED_BYTES} bytes when it is unpacked.")
    return unpacked


def read(source: Source, form: Format, content: bytes) -> Iterator[Item]:
    reader = {"CSV": _rows, "JSON": _members, "JSONL": _lines}[form.type]
    try:
        for key, value in reader(form, content.removeprefix(codecs.BOM_UTF8)):
            if document.size(value, limits.ITEM_BYTES) > limits.ITEM_BYTES:
                raise ItemFault(f"an item is larger than {limits.ITEM_BYTES} bytes")
            yield key, value
    except WordedFault:
        raise
    except (csv_rows.NoCsv, ItemFault) as e:
        raise ItemFault(f"The object {source.key} cannot be read as {form.type}: {e}") from None


def _text(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise ItemFault(document.NO_UTF_8) from None


def _parsed(text: str) -> Any:
    try:
        return document.parse(text)
    except document.NoJson as e:
        raise ItemFault(json_faults.why(e, text)) from None


def _members(form: Format, content: bytes) -> Iterator[Item]:
    if 0 in content[:4]:  # of two or four bytes a character
        raise ItemFault(document.NO_UTF_8)
    text = _text(content)
    value = _parsed(text) if text.strip(document.BLANKS) else None
    for step in form.pointer:
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value) and step == str(int(step)):
            value = value[int(step)]
        else:
            raise WordedFault("The provided ReaderConfig.ItemsPointer does not match any valid path in the JSON structure.")
    if not isinstance(value, list | dict):
        raise WordedFault("Attempting to map over non-iterable node.")
    yield from value.items() if isinstance(value, dict) else ((None, element) for element in value)


def _lines(form: Format, content: bytes) -> Iterator[Item]:
    for line in io.BytesIO(content):
        text = _text(line.removesuffix(b"\n"))
        if text.strip(document.BLANKS):
            yield None, _parsed(text)


def _rows(form: Format, content: bytes) -> Iterator[Item]:
    """A field that a row lacks is empty, one that no header names is left out. Members stand as on AWS, as a Java hash map has
    them."""
    rows = csv_rows.rows(content.decode("utf-8", "replace"), form.delimiter)
    headers = form.headers if form.headers is not None else tuple(next(rows, ()))
    if sum(len(header.encode()) + 1 for header in headers) > limits.CSV_HEADER_BYTES:
        raise ItemFault(f"its headers have more than {limits.CSV_HEADER_BYTES} bytes")
    if len(set(headers)) < len(headers):
        raise WordedFault("CSV headers cannot contain duplicates.")
    places = [(header, headers.index(header)) for header in unique.placed(headers)]
    for row in rows:
        yield None, {header: row[at] if at < len(row) else "" for header, at in places}
