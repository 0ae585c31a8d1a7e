"""What --data names: text, JSON or a file's bytes, and their media type."""

import json
import mimetypes
import sys
from pathlib import Path

import click

JSON = "application/json"
OCTETS = "application/octet-stream"
# What the platform gives a handler as something else than bytes.
_BY_SUFFIX = {".json": JSON, ".npy": "application/x-npy"}


def read_input(data: str | None, content_type: str | None) -> tuple[bytes, str]:
    """The input and its media type, from --data and --content-type. Without one no bytes, of which the target makes its own."""
    if data is None:
        return b"", content_type or JSON
    if data == "-":
        return sys.stdin.buffer.read(), content_type or JSON
    if data.startswith("@"):
        file = Path(data[1:])
        if not file.is_file():
            raise click.BadParameter(f"there is no file {file}", param_hint="--data")
        guessed = _BY_SUFFIX.get(file.suffix) or mimetypes.guess_type(file.name)[0]
        return file.read_bytes(), content_type or guessed or OCTETS
    if content_type is None:
        try:
            json.loads(data)
        except ValueError as e:
            hint = "quote text as JSON ('\"text\"'), or say what it is with --content-type text/plain"
            raise click.BadParameter(f"not JSON: {e}; {hint}", param_hint="--data") from e
    return data.encode(), content_type or JSON
