"""Names of applications as they are told: within one's own tenant without it, which only who sees to all tenants is told of."""

from collections.abc import Callable, Iterable

from sand.command.client import Platform
from sand.command.failure import Failure

_BETWEEN = "--"


def shown_names(platform: Platform, names: Iterable[str]) -> Callable[[str], str]:
    """How these names are told to who asks. Nobody is asked who he is where no name has a tenant in it."""
    if not any(_BETWEEN in name for name in names):
        return str
    try:
        here = platform.get("/api/v1/session")
    except Failure:
        return str
    return str if "operator" in here["scopes"] else lambda name: name.removeprefix(here["tenant"] + _BETWEEN)
