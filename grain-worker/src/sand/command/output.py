"""How the command speaks: data on stdout as a table or as JSON, talk on stderr."""

import json
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

# What others have named so is no command for the terminal of whoever looks at a list of it.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028-\u202e\u2066-\u2069]")


def say(text: str) -> None:
    """One line of talk."""
    click.echo(text, err=True)


def show_json(value: Any) -> None:
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


def show_table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Columns as wide as their widest cell; numbers to the right."""
    cells = [[_cell(value) for value in row] for row in rows]
    numeric = [
        bool(cells) and all(_is_number(row[i]) or row[i] == "-" for row in cells) and any(_is_number(row[i]) for row in cells)
        for i in range(len(columns))
    ]
    widths = [max([len(column), *(len(row[i]) for row in cells)]) for i, column in enumerate(columns)]
    for row in [list(columns), *cells]:
        parts = [cell.rjust(w) if n else cell.ljust(w) for cell, w, n in zip(row, widths, numeric, strict=True)]
        click.echo("  ".join(parts).rstrip())


def show_fields(fields: Mapping[str, Any]) -> None:
    """One thing: a line a field."""
    width = max((len(name) for name in fields), default=0)
    for name, value in fields.items():
        click.echo(f"{name.ljust(width)}  {_cell(value)}")


def show_bytes(data: bytes, content_type: str) -> None:
    """Writes an output as it is; binary ones are kept off a terminal."""
    if sys.stdout.isatty() and not is_text(content_type):
        raise click.UsageError(f"{len(data)} bytes of {content_type}: not for a terminal; use --out FILE, or redirect stdout")
    stream = sys.stdout.buffer
    stream.write(data)
    if sys.stdout.isatty() and not data.endswith(b"\n"):
        stream.write(b"\n")
    stream.flush()


def check_place(path: Path | None) -> None:
    """Before anything is called whose output would then have nowhere to go."""
    if path is not None and not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
        raise click.UsageError(
            f"cannot write {path}: {'there is no such folder' if not path.parent.exists() else 'not allowed'}"
        )


def write_file(path: Path, data: bytes) -> None:
    """--out: a place that cannot be written to is a mistake of whoever named it."""
    try:
        path.write_bytes(data)
    except OSError as e:
        raise click.UsageError(f"cannot write {path}: {e.strerror}") from e


def is_text(content_type: str) -> bool:
    kind = content_type.split(";")[0].strip().lower()
    return kind.startswith("text/") or kind.endswith(("json", "xml", "yaml", "javascript"))


def output_value(content: bytes, content_type: str, out: Path | None) -> object:
    """An output inside of a JSON document."""
    if out is not None:
        return {"file": str(out), "size": len(content)}
    if content_type.startswith("application/json"):
        return json.loads(content or b"null")
    if is_text(content_type):
        return content.decode(errors="replace")
    return {"size": len(content), "note": "binary; use --out FILE"}


def when(epoch_ms: int | None) -> str:
    if not epoch_ms:
        return "-"
    return datetime.fromtimestamp(epoch_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def milliseconds(ns: int) -> str:
    return f"{ns / 1e6:.3f}"


def size(count: int | None) -> str:
    if not count:
        return "-"
    value = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024 or unit == "GiB":
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    raise AssertionError("unreachable")


def _cell(value: Any) -> str:
    if value is None or value == "":
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return printable(str(value).replace("\n", " "))


def printable(text: str) -> str:
    """With what would be a command for a terminal as Python writes it: `\\x1b`."""
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], text)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
