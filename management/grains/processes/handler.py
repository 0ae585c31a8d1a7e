"""Cloud processes of an application: made, looked at, swapped, moved to another host, killed."""

import re

from manage import ask, ask_for_list, check, serve
from manage.reply import bad_request

STATUSES = ("active", "idle", "swapped")
FIELDS = ("id", "concurrency", "memory", "dedicated")
LEAST_MEMORY = 1 << 20
DEDICATED = ("memory", "cpus", "pids", "image", "packages")
MOST_AT_ONCE = 1000
LEAST_SANDBOX = 64 << 20
LEAST_CPUS, MOST_CPUS = 0.01, 1024
_IMAGE = re.compile(r"[a-z0-9][A-Za-z0-9._/:@-]{0,254}")
_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]{0,126}[a-z0-9+.]")


def list_processes(request):
    app = check.application(request)
    asked = {
        "status": check.one_of(request, "status", STATUSES, "is no status of a process: these are active, idle, swapped."),
        "after": request.query.get("after"),
        "limit": check.number(request, "limit", 50, 1, 1000),
    }
    return ask_for_list(request, "listProcesses", {"app": app}, asked, "processes", "after")


def create(request):
    """With a clean state; one of that id that is swapped out comes back."""
    app = check.application(request)
    expected = "The body is an object with id, concurrency, memory and dedicated."
    body = check.body(
        request, expected, FIELDS, lambda it: f"A process has no '{it}': it has id, concurrency, memory and dedicated."
    )
    wish = {}
    if body.get("id") is not None:
        if not isinstance(body["id"], str):
            raise bad_request(f"'id' is a text, not {check.shown(body['id'])}.", "/body/id")
        wish["id"] = check.process(body["id"], "/body/id")
    if body.get("concurrency") is not None:
        _require(
            _between(body["concurrency"], 1, MOST_AT_ONCE),
            f"'concurrency' is a number from 1 to {MOST_AT_ONCE}.",
            "concurrency",
        )
        wish["concurrency"] = body["concurrency"]
    if body.get("memory") is not None:
        wish["memory"] = memory = _size(body["memory"], "'memory'", "memory")
        needs = f"'memory': a process needs at least {LEAST_MEMORY} bytes of memory for its state, not {memory}."
        _require(memory >= LEAST_MEMORY, needs, "memory")
    if body.get("dedicated") is not None:
        wish["dedicated"] = _dedicated(body["dedicated"])
    made = ask(request, "createProcess", {"app": app}, body=wish or None)
    if made.ok:
        made.headers["location"] = f"/api/v1/apps/{app}/processes/{made.body['process']}"
    return made


def _dedicated(said):
    """A sandbox of its own: true, or what it may use and begins from."""
    if isinstance(said, bool):
        return said
    _require(
        isinstance(said, dict),
        "'dedicated': it is true, or an object with memory, cpus, pids, image and packages.",
        "dedicated",
    )
    wish = {name: value for name, value in said.items() if value is not None}
    for name in said:
        known = "memory, cpus, pids, image and packages"
        _require(name in DEDICATED, f"'dedicated': it has no '{name}', but {known}.", "dedicated")
    if "memory" in wish:
        bytes = wish["memory"] = _size(wish["memory"], "'dedicated'", "dedicated/memory")
        least = f"'dedicated': a sandbox needs at least {LEAST_SANDBOX} bytes of memory, not {bytes}."
        _require(bytes == 0 or bytes >= LEAST_SANDBOX, least, "dedicated/memory")
    if "cpus" in wish:
        is_number = isinstance(wish["cpus"], int | float) and not isinstance(wish["cpus"], bool)
        is_cpus = is_number and (wish["cpus"] == 0 or LEAST_CPUS <= wish["cpus"] <= MOST_CPUS)
        bounds = f"'dedicated': cpus is 0, or a number from {LEAST_CPUS} to {MOST_CPUS}."
        _require(is_cpus, bounds, "dedicated/cpus")
    if "pids" in wish:
        _require(_between(wish["pids"], 16, 32768), "'dedicated': pids is a number from 16 to 32768.", "dedicated/pids")
    if "image" in wish:
        _require(_fits(_IMAGE, wish["image"]), "'dedicated': image is the name of an image.", "dedicated/image")
    if "packages" in wish:
        names = wish["packages"]
        is_list = isinstance(names, list) and len(names) <= 100
        _require(is_list, "'dedicated': packages is a list of at most 100 names.", "dedicated/packages")
        for name in names:
            _require(_fits(_PACKAGE, name), f"'dedicated': '{name}' is no name of a package.", "dedicated/packages")
    return wish


def migrate(request):
    """To the host that the body names, or to the least busy of the others."""
    process = _process(request)
    body = check.body(
        request, "The body is an object with host.", ("host",), lambda it: f"A migration has no '{it}': it has host."
    )
    host = body.get("host")
    _require(host is None or (isinstance(host, str) and len(host) <= 255), "'host' is a host's id.", "host")
    return ask(request, "migrateProcess", process, body=None if host is None else {"host": host})


def _step(operation):
    return lambda request: ask(request, operation, _process(request))


def _process(request):
    return {"app": check.application(request), "process": check.process(request.parameters.get("process", ""))}


def _require(holds, otherwise, field):
    if not holds:
        raise bad_request(otherwise, f"/body/{field}")


def _between(value, least, most):
    return type(value) is int and least <= value <= most


def _fits(pattern, value):
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def _size(said, what, field):
    try:
        return check.size(said)
    except ValueError as wrong:
        raise bad_request(f"{what}: {wrong}.", f"/body/{field}") from None


handle = serve(
    {
        "listProcesses": ("read", list_processes),
        "createProcess": ("invoke", create),
        "describeProcess": ("read", _step("describeProcess")),
        "processMetrics": ("read", _step("processMetrics")),
        "swapOutProcess": ("invoke", _step("swapOutProcess")),
        "swapInProcess": ("invoke", _step("swapInProcess")),
        "checkpointProcess": ("invoke", _step("checkpointProcess")),
        "migrateProcess": ("deploy", migrate),
        "killProcess": ("deploy", _step("killProcess")),
    }
)
