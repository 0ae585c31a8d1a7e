"""A value that functions of a process share is in memory once: each maps it, none copies it, none writes to it (PraaS 4.4)."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from conftest import Tested

MIB = 1 << 20
FILES = {
    "sand.yaml": "name: shared-values\nprocesses: {concurrency: 4}\n",
    "grains/fill/handler.py": """
def handle(event, context):
    context.process.state("big", bytes(range(256)) * (event["bytes"] // 256))
""",
    "grains/look/handler.py": '''
import gc
import os


def private():
    """Bytes of this process's memory that no other maps."""
    with open("/proc/self/smaps_rollup") as lines:
        return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) * 1024


def mappings():
    """Of large values: permissions, device and inode, bytes."""
    found = []
    with open("/proc/self/maps") as lines:
        for line in lines:
            place, permissions, _, device, inode, *rest = line.split(maxsplit=5)
            begin, end = (int(part, 16) for part in place.split("-"))
            if rest and rest[0].startswith("/memfd:") and end - begin >= 64 << 10:
                found.append([permissions, f"{device}:{inode}", end - begin])
    return found


def pages(value):
    return sum(value[::4096])


def handle(event, context):
    """Both are there, both map the value, and each looks at itself while the other still has it."""
    p = context.process
    other = "of " + event["other"]
    p.state("warm", shared=True)
    p.send(p.SELF, "of " + event["me"], None)
    p.recv(key=other)
    # A collection writes to pages of all objects, and what it makes this process's own has nothing to do with the value.
    gc.collect()
    gc.disable()
    before = private()
    value = p.state("big", shared=True)
    total = pages(value)
    p.send(p.SELF, "of " + event["me"], None)
    p.recv(key=other)
    after = private()
    refused = []
    for write in (lambda: value.__setitem__(0, 1), lambda: memoryview(value.obj).__setitem__(0, 1)):
        try:
            write()
        except TypeError as error:
            refused.append(type(error).__name__)
    seen = {"pid": os.getpid(), "mappings": mappings(), "added": after - before, "total": total, "refused": refused}
    p.send(p.SELF, "of " + event["me"], None)
    p.recv(key=other)
    return seen
''',
    "grains/copy/handler.py": """
def handle(event, context):
    value = context.process.state("big")
    return [type(value).__name__, len(value)]
""",
}


def ask(tested: Tested, function: str, event: Any = None) -> Any:
    where = {"function": function, "process": "p"}
    response = tested.http.post("/api/v1/apps/shared-values/processes/invoke", params=where, json=event, timeout=60)
    assert response.status_code == 200, response.text
    return response.json() if response.content else None


@pytest.mark.slow
@pytest.mark.parametrize("size", [72 << 10, 100 * MIB], ids=["small", "large"])
def test_two_functions_map_one_value_and_have_none_of_it_for_themselves(tested: Tested, size: int):
    deployed = tested.deploy_files(FILES)
    assert deployed.status_code in (200, 201), deployed.text
    ask(tested, "fill", {"bytes": size})
    # On a busy machine something else of a process becomes its own in between, now and then: a copy of the value would be
    # there each time.
    for _ in range(3):
        with ThreadPoolExecutor(2) as pool:
            first = pool.submit(ask, tested, "look", {"me": "a", "other": "b"})
            second = pool.submit(ask, tested, "look", {"me": "b", "other": "a"})
            seen = [first.result(), second.result()]
        if all(one["added"] < MIB for one in seen):
            break
    assert seen[0]["pid"] != seen[1]["pid"]
    for one in seen:
        ((permissions, _, bytes_mapped),) = one["mappings"]
        assert permissions == "r--s", one
        assert bytes_mapped == size
        assert one["added"] < MIB, one
        assert one["total"] == 0, "each page begins with a zero"
        assert one["refused"] == ["TypeError", "TypeError"], one
    assert seen[0]["mappings"][0][1] == seen[1]["mappings"][0][1], "each has a memory of its own"
    assert ask(tested, "copy") == ["bytes", size], "without `shared`, a copy"
