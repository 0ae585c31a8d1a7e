"""`sand quotas …`: what there may be at most."""

import click

from sand.command.client import Platform
from sand.command.options import output_option, server_option
from sand.command.output import say, show_json, show_table

tenant_option = click.option("--tenant", default="default", show_default=True, help="Whose they are.")


def _path(tenant: str) -> str:
    return f"/api/v1/tenants/{tenant}/quotas"


@click.group("quotas", short_help="Show and set what there may be at most.")
def quotas_command() -> None:
    """How many applications there may be, and how many requests a second each frontend takes.

    \b
    Examples:
      sand quotas show
      sand quotas set --applications 20 --requests-per-second 500
    """


@quotas_command.command("show")
@tenant_option
@output_option
@server_option
def show_quotas(tenant: str, as_json: bool, platform: Platform) -> None:
    """Show each limit, and how much of it is used where that is a number that stays."""
    found = platform.get(_path(tenant))
    if as_json:
        show_json(found)
        return
    use = found.get("use", {})
    show_table(
        ["quota", "limit", "used"],
        [(name, "none" if limit is None else limit, use.get(name)) for name, limit in found["limits"].items()],
    )


@quotas_command.command("set")
@click.option("--applications", type=click.IntRange(0, 10_000), help="How many there may be.")
@click.option("--requests-per-second", type=click.IntRange(0, 1_000_000), help="Invocations and requests of pages, a frontend.")
@tenant_option
@output_option
@server_option
def set_quotas(
    applications: int | None, requests_per_second: int | None, tenant: str, as_json: bool, platform: Platform
) -> None:
    """Set the limits; what is not named has none. They hold within a second."""
    wanted = {"applications": applications, "requestsPerSecond": requests_per_second}
    made = platform.send("PUT", _path(tenant), {name: limit for name, limit in wanted.items() if limit is not None})
    if as_json:
        show_json(made)
        return
    say(", ".join(f"{name}: {'no limit' if limit is None else limit}" for name, limit in made["limits"].items()))
