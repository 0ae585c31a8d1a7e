"""`sand figures`: how applications did lately."""

import click

from sand.command.client import Platform
from sand.command.names import shown_names
from sand.command.options import output_option, server_option
from sand.command.output import show_json, show_table, when


@click.command("figures", short_help="Show rate, failures and latencies of applications.")
@click.option("--minutes", type=click.IntRange(1, 60), default=15, show_default=True, help="How far back.")
@output_option
@server_option
def figures_command(minutes: int, as_json: bool, platform: Platform) -> None:
    """Show how many executions of each application ended on all hosts, how many failed, and how long they took.

    Latencies are at most a quarter over the truth. Hosts keep the last hour in memory.
    """
    found = platform.get(f"/api/v1/figures?minutes={minutes}")
    if as_json:
        show_json(found)
        return
    seconds = max(1.0, (found["untilMs"] - found["sinceMs"]) / 1000)
    shown = shown_names(platform, [one["application"] for one in found["applications"]])
    rows = [
        (
            *(shown(one["application"]), one["ended"], f"{one['ended'] / seconds:.2f}/s", one["failed"]),
            *(f"{one[share]:.2f} ms" if share in one else None for share in ("p50Ms", "p95Ms", "p99Ms")),
        )
        for one in found["applications"]
    ]
    show_table(["application", "ended", "rate", "failed", "p50", "p95", "p99"], rows)
    click.echo(f"since {when(found['sinceMs'])}", err=True)
    for host in found["hosts"]:
        if host["problem"]:
            click.echo(f"{host['host']} is not among them: {host['problem']}", err=True)
