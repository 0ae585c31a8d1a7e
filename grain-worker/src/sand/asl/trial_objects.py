"""The objects of a trial: what stubs give, what the trial itself writes, and what else there is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sand.asl import document, objects
from sand.asl.objects import Item, ItemFault, Listed, Objects, Source
from sand.asl.results import Piece
from sand.asl.stubs import Answer, Stubs


class TrialObjects:
    """What the stub of `s3:getObject` (`sand:object:get`) returns is the content of whatever object is read: a string is its
    text, anything else the JSON that it holds; of what looks like an answer of GetObject, its Body is. What that of
    `s3:listObjectsV2` (`sand:object:list`) returns is the list: items with Key and, if need be, Size and Etag; or an object
    with that list as its Contents. `s3:putObject` (`sand:object:put`) writes, unless its stub raises an error.
    """

    def __init__(self, stubs: Stubs, others: Objects | None) -> None:
        """others: those that are there before the trial; it writes to its own all the same."""
        self._stubs = stubs
        self._others = others
        self.written: dict[str, bytes] = {}

    def read(self, source: Source) -> tuple[Answer | None, Iterator[Item | None] | None]:
        """The stub's answer, if there is one, and the items. Raises ItemFault."""
        name = "listObjectsV2" if source.is_listing else "getObject"
        answer = self._stubs.service(name, {"Bucket": source.bucket, "Prefix" if source.is_listing else "Key": source.name})
        if answer is None or answer.failure is not None:
            return answer, None if answer else objects.items(source, self)
        if source.format is not None and source.format.spread != "ONE":
            return answer, objects.items(source, _Stubbed(self, self._stubs, source, answer.output))
        if source.format is None:
            return answer, ((None, one) for one in objects.listed(answer.output) if one["Key"].startswith(source.name))
        return answer, objects.read(source, source.format, _content(answer.output))

    def put(self, piece: Piece) -> Answer | None:
        """The stub's answer, if there is one: the piece is not written when it raises."""
        answer = self._stubs.service("putObject", {"Key": piece.key})
        if answer is None or answer.failure is None:
            self.write(piece.key, piece.content_type, piece.offset, piece.content, piece.is_last)
        return answer

    def content(self, key: str, version: int | None) -> bytes:
        if key in self.written:
            return self.written[key]
        if self._others is None:
            raise ItemFault(f"There is no object {key}.")
        return self._others.content(key, version)

    def listed(self, prefix: str) -> list[Listed]:
        own = [Listed(key, len(content), "v1") for key, content in self.written.items() if key.startswith(prefix)]
        others = [] if self._others is None else [one for one in self._others.listed(prefix) if one.key not in self.written]
        return sorted(own + others, key=lambda one: one.key.encode("utf-8", "surrogatepass"))

    def write(self, key: str, content_type: str, offset: int, content: bytes, is_last: bool) -> None:
        self.written[key] = self.written.get(key, b"")[:offset].ljust(offset, b"\0") + content

    def shown(self) -> dict[str, Any]:
        """What was written, by key: JSON as such, anything else as its text."""
        return {key: _shown(key, content.decode("utf-8", "replace")) for key, content in sorted(self.written.items())}


class _Stubbed:
    """The objects that a source is spread over: the first call's stub said which, each other one's stub has its content."""

    def __init__(self, trial: TrialObjects, stubs: Stubs, source: Source, given: Any) -> None:
        self._trial, self._stubs, self._source, self._given = trial, stubs, source, given

    def content(self, key: str, version: int | None) -> bytes:
        if key == self._source.key and not self._source.is_listing:
            return _content(self._given)
        answer = None if key in self._trial.written else self._stubs.service("getObject", {"Key": key})
        if answer is None:
            return self._trial.content(key, version)
        if answer.failure is not None:
            raise ItemFault(answer.failure[1] or "")
        return _content(answer.output)

    def listed(self, prefix: str) -> list[Listed]:
        bucket = "" if self._source.bucket is None else f"{self._source.bucket}/"
        keys = sorted(
            (f"{bucket}{one['Key']}" for one in objects.listed(self._given)),
            key=lambda key: key.encode("utf-8", "surrogatepass"),
        )
        return [Listed(key, 0, "v1") for key in keys if key.startswith(prefix)]

    def write(self, key: str, content_type: str, offset: int, content: bytes, is_last: bool) -> None:
        self._trial.write(key, content_type, offset, content, is_last)


_OF_RESPONSE = {
    "Body",
    "ContentType",
    "ContentLength",
    "ContentEncoding",
    "ETag",
    "LastModified",
    "VersionId",
    "AcceptRanges",
    "Metadata",
}


def _content(given: Any) -> bytes:
    # What looks like what AWS's GetObject answers.
    if isinstance(given, dict) and isinstance(given.get("Body"), str) and given.keys() <= _OF_RESPONSE:
        given = given["Body"]
    return (given if isinstance(given, str) else document.write(given)).encode("utf-8", "replace")


def _shown(key: str, text: str) -> Any:
    try:
        return document.parse(text) if key.endswith(".json") else text
    except document.NoJson:
        return text
