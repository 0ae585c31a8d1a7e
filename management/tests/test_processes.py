import pytest

CART = {"app": "shop", "process": "cart-7"}


def test_processes_are_listed(caller, platform):
    platform.answers["listProcesses"] = 200, {"processes": [{"process": "a"}], "next": None}
    answer = caller("processes", "listProcesses", {"app": "shop"}, {"status": "idle", "after": "0", "limit": "7"})
    assert answer.body == {"processes": [{"process": "a"}], "next": None}
    assert platform.last == (
        "listProcesses",
        {"parameters": {"app": "shop"}, "query": {"status": "idle", "after": "0", "limit": "7"}},
    )


@pytest.mark.parametrize(
    "operation", ["describeProcess", "processMetrics", "swapOutProcess", "swapInProcess", "checkpointProcess", "killProcess"]
)
def test_one_process(caller, platform, operation):
    caller("processes", operation, CART, {"force": "true"}, {"ignored": 1})
    assert platform.last == (operation, {"parameters": CART})


def test_a_process_is_made_of_what_was_checked(caller, platform):
    platform.answers["createProcess"] = 201, {"process": "cart-7"}
    dedicated = {"memory": "64MiB", "cpus": 0.5, "pids": 16, "image": None, "packages": ["gcc"]}
    body = {"id": "cart-7", "concurrency": 3, "memory": "1.5MiB", "dedicated": dedicated}
    answer = caller("processes", "createProcess", {"app": "shop"}, body=body)
    assert (answer.status, answer.headers["location"]) == (201, "/api/v1/apps/shop/processes/cart-7")
    made = {"id": "cart-7", "concurrency": 3, "memory": 3 << 19}
    made["dedicated"] = {"memory": 64 << 20, "cpus": 0.5, "pids": 16, "packages": ["gcc"]}
    assert platform.last == ("createProcess", {"parameters": {"app": "shop"}, "body": made})
    for cpus in (0, 0.01):
        caller("processes", "createProcess", {"app": "shop"}, body={"dedicated": {"cpus": cpus}})
        assert platform.last == ("createProcess", {"parameters": {"app": "shop"}, "body": {"dedicated": {"cpus": cpus}}})


def test_a_process_that_the_platform_does_not_let_who_asks_make_is_none(caller, platform):
    denied = {"status": 403, "scope": "deploy", "pointer": "/body/dedicated"}
    platform.answers["createProcess"] = 403, denied
    answer = caller("processes", "createProcess", {"app": "shop"}, body={"dedicated": True})
    assert (answer.status, answer.body) == (403, denied) and "location" not in answer.headers


def test_without_a_body_the_platform_names_it(caller, platform):
    platform.answers["createProcess"] = 201, {"process": "made"}
    assert caller("processes", "createProcess", {"app": "shop"}).headers["location"].endswith("/made")
    assert platform.last == ("createProcess", {"parameters": {"app": "shop"}})


def test_a_process_moves_to_the_host_that_is_named(caller, platform):
    caller("processes", "migrateProcess", CART, body={"host": "h2"})
    assert platform.last == ("migrateProcess", {"parameters": CART, "body": {"host": "h2"}})
    caller("processes", "migrateProcess", CART, body={"host": None})
    assert platform.last == ("migrateProcess", {"parameters": CART})


@pytest.mark.parametrize(
    ("body", "pointer", "detail"),
    [
        ([], "/body", "The body is an object with id, concurrency, memory and dedicated."),
        ({"name": 1}, "/body/name", "A process has no 'name': it has id, concurrency, memory and dedicated."),
        ({"id": 1}, "/body/id", "'id' is a text, not 1."),
        ({"id": "a b"}, "/body/id", "A process's id is [A-Za-z0-9._~-]{1,128}, neither '.' nor '..', not 'a b'."),
        ({"id": ".."}, "/body/id", "A process's id is [A-Za-z0-9._~-]{1,128}, neither '.' nor '..', not '..'."),
        ({"concurrency": 0}, "/body/concurrency", "'concurrency' is a number from 1 to 1000."),
        ({"concurrency": True}, "/body/concurrency", None),
        ({"memory": "lots"}, "/body/memory", "'memory': 'lots' is not a size like 512MiB, 64KiB or 1GiB."),
        ({"memory": 1.5}, "/body/memory", "'memory': 1.5 is not a size like 512MiB, 64KiB or 1GiB."),
        (
            {"memory": "1KiB"},
            "/body/memory",
            "'memory': a process needs at least 1048576 bytes of memory for its state, not 1024.",
        ),
        ({"memory": "9" * 18 + "GiB"}, "/body/memory", None),
        ({"dedicated": 1}, "/body/dedicated", None),
        (
            {"dedicated": {"gpu": 1}},
            "/body/dedicated",
            "'dedicated': it has no 'gpu', but memory, cpus, pids, image and packages.",
        ),
        ({"dedicated": {"memory": "1KiB"}}, "/body/dedicated/memory", None),
        ({"dedicated": {"cpus": -1}}, "/body/dedicated/cpus", "'dedicated': cpus is 0, or a number from 0.01 to 1024."),
        ({"dedicated": {"cpus": 0.009}}, "/body/dedicated/cpus", None),
        ({"dedicated": {"pids": 15}}, "/body/dedicated/pids", None),
        ({"dedicated": {"image": "Not One"}}, "/body/dedicated/image", "'dedicated': image is the name of an image."),
        ({"dedicated": {"packages": ["; rm"]}}, "/body/dedicated/packages", "'dedicated': '; rm' is no name of a package."),
    ],
)
def test_odd_processes_are_refused(caller, platform, body, pointer, detail):
    caller("processes", "createProcess", {"app": "shop"}, body=body).refuses(pointer, detail)
    assert not platform.calls


@pytest.mark.parametrize(
    ("operation", "query", "body", "pointer", "detail"),
    [
        (
            "listProcesses",
            {"status": "dead"},
            None,
            "/query/status",
            "'dead' is no status of a process: these are active, idle, swapped.",
        ),
        ("listProcesses", {"limit": "1001"}, None, "/query/limit", None),
        ("migrateProcess", {}, {"to": "h2"}, "/body/to", "A migration has no 'to': it has host."),
        ("migrateProcess", {}, {"host": 2}, "/body/host", "'host' is a host's id."),
    ],
)
def test_odd_questions_are_refused(caller, platform, operation, query, body, pointer, detail):
    caller("processes", operation, CART, query, body).refuses(pointer, detail)
    assert not platform.calls
