"""`sand usage`: what an application has used, day by day."""

from datetime import datetime
from typing import Any

import click

from sand.command.client import Platform, application_path
from sand.command.options import output_option, server_option
from sand.command.output import show_json, show_table, size

# MiB times milliseconds.
GIB_SECOND = 1024 * 1000
DAY = click.DateTime(["%Y-%m-%d"])


@click.command("usage", short_help="Show what an application has used, day by day.")
@click.argument("application")
@click.option("--from", "first", type=DAY, metavar="YYYY-MM-DD", help="The first day, in UTC.  [default: 29 before the last]")
@click.option("--to", "last", type=DAY, metavar="YYYY-MM-DD", help="The last day, in UTC.  [default: today]")
@output_option
@server_option
def usage_command(application: str, first: datetime | None, last: datetime | None, as_json: bool, platform: Platform) -> None:
    """Show what APPLICATION has used on each day, as its hosts have written it: of the last seconds nothing is in it yet.

    The table has the days with any use: over the data plane of cloud processes, and by its grains in all other requests.
    What a deleted application used is kept.

    \b
    Examples:
      sand usage shop
      sand usage shop --from 2026-10-01 --to 2026-10-31 -o json
    """
    days = {name: day.date().isoformat() for name, day in (("from", first), ("to", last)) if day is not None}
    found = platform.get(application_path(application, "usage"), **days)
    if as_json:
        show_json(found)
        return
    rows = [row for day in [*found["days"], {"day": "all", **found["totals"]}] for row in _rows(day)]
    show_table(["day", "what", "count", "failed", "time", "GiB x s", "in", "out"], rows)
    click.echo(f"from {found['from']} to {found['to']}", err=True)


def _rows(day: dict[str, Any]) -> list[tuple[Any, ...]]:
    plane, grains = day["dataPlane"], day["grains"]
    rows = [(day["day"], "data plane", plane["invocations"], *_time(plane), size(plane["bytesIn"]), size(plane["bytesOut"]))]
    rows += [(day["day"], "grains", grains["attempts"], *_time(grains), None, None)]
    return [row for row in rows if row[2] or row[0] == "all"]


def _time(used: dict[str, Any]) -> tuple[Any, ...]:
    return used["failed"], f"{used['ms'] / 1000:.3f} s", f"{used['mbMs'] / GIB_SECOND:.3f}"
