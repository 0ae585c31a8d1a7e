"""Rows of the bench: what was measured, in which unit, against which target. Used by every part."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """One figure. `value` is what the target speaks of; p50 and p99 are None where only one number was taken."""

    id: str
    system: str
    unit: str
    p50: float | None
    p99: float | None
    value: float | None
    target: str | None
    met: bool | None
    note: str = ""


def percentile(samples: Sequence[float], share: float) -> float:
    """The nearest-rank percentile of unsorted samples; share from 0 to 1."""
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def latency(
    id: str,
    system: str,
    seconds: Sequence[float],
    unit: str = "ms",
    at_most: float | None = None,
    p99_at_most: float | None = None,
    note: str = "",
) -> Row:
    """A row of latencies given in seconds; the target is on the median, and on p99 when given (in the unit)."""
    scale = {"ms": 1e3, "us": 1e6}[unit]
    p50, p99 = percentile(seconds, 0.5) * scale, percentile(seconds, 0.99) * scale
    target = met = None
    if at_most is not None:
        target = f"p50 <= {at_most:g}" + (f", p99 <= {p99_at_most:g}" if p99_at_most is not None else "")
        met = p50 <= at_most and (p99_at_most is None or p99 <= p99_at_most)
    return Row(id, system, unit, round(p50, 4), round(p99, 4), round(p50, 4), target, met, note)


def figure(
    id: str,
    system: str,
    unit: str,
    value: float | None,
    at_least: float | None = None,
    at_most: float | None = None,
    note: str = "",
) -> Row:
    target = met = None
    if at_least is not None:
        target, met = f">= {at_least:g}", value is not None and value >= at_least
    if at_most is not None:
        target, met = f"<= {at_most:g}", value is not None and value <= at_most
    return Row(id, system, unit, None, None, None if value is None else round(value, 4), target, met, note)


def missing(id: str, system: str, why: str) -> Row:
    """A peer that could not be had or started: said, not left out."""
    return Row(id, system, "-", None, None, None, None, None, f"not measured: {why}")


def machine() -> str:
    model = next(
        (
            line.split(":", 1)[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.machine(),
    )
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores ({model}), {memory:.0f} GiB, Linux {platform.release().split('-')[0]}"


def markdown(rows: Sequence[Row], command: str, setting: str) -> str:
    lines = [
        "# Benchmarks",
        "",
        f"Machine: {machine()}. Date: {time.strftime('%Y-%m-%d')}. Command: `{command}`. {setting}",
        "",
        "| id | system | unit | p50 | p99 | value | target | met | note |",
        "|---|---|---|---:|---:|---:|---|---|---|",
    ]
    shown = {True: "yes", False: "**missed**", None: ""}
    for row in rows:
        cells = ["" if cell is None else f"{cell:g}" for cell in (row.p50, row.p99, row.value)]
        lines.append(
            f"| {row.id} | {row.system} | {row.unit} | {' | '.join(cells)} | {row.target or ''} "
            f"| {shown[row.met]} | {row.note} |"
        )
    return "\n".join(lines) + "\n"


def plain(row: Row) -> str:
    cells = " ".join(f"{'' if cell is None else f'{cell:g}':>10}" for cell in (row.p50, row.p99, row.value))
    verdict = {True: "met", False: "MISSED", None: ""}[row.met]
    return f"{row.id:<26} {row.system:<34} {row.unit:<6} {cells}  {row.target or '':<26} {verdict:<7} {row.note}"


def write_json(rows: Sequence[Row], file: Path) -> None:
    """One object a row, one row a line."""
    file.write_text("".join(json.dumps(asdict(row)) + "\n" for row in rows))
