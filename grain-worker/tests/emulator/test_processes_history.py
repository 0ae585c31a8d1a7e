"""What many send to cloud processes at once, while functions fail and processes are swapped: nothing is lost, doubled or
received out of order, and no state is half applied."""

from __future__ import annotations

import random
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from process_apps import AT, Apps

MANIFEST = """
processes: {concurrency: 1, mailbox: {messages: 5}, idle: 5ms, swap_after: 5ms}
grains: {work: {timeout: 5m}}
"""
WORK = """
import random

def handle(event, context):
    p, (kind, count, to, seed) = context.process, event
    if kind == "send":
        for i in range(count):
            p.send(to, f"k{i % 2}", [seed, i])
        return
    got = p.state("got", default=[])
    for _ in range(count):
        message = p.recv_message(timeout=0.05)
        if message is not None:
            got.append([message.source, message.key, *message.data])
    p.state("got", got)
    p.state("count", len(got))
    if kind == "fail":
        raise ValueError
"""
RECEIVERS = ("a", "b", "c")


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_every_message_is_received_once_and_in_its_order(served: Any, seed: int) -> None:
    apps = Apps(served)
    served.grain("work", WORK)
    apps.load(MANIFEST)
    for name in RECEIVERS:
        apps.create(id=name)
    chance = random.Random(seed)

    def run(process: str, *event: Any) -> int:
        query = f"{AT}/invoke?function=work&process={process}&timeout=5m"
        return apps.http.post(query, json=event, timeout=300).status_code

    sends = [(f"s{chance.randrange(9)}", chance.randint(1, 8), chance.choice(RECEIVERS), number) for number in range(25)]
    with ThreadPoolExecutor(len(sends)) as senders, ThreadPoolExecutor(len(RECEIVERS)) as pool:
        sending: list[Future[int]] = [senders.submit(run, who, "send", count, to, number) for who, count, to, number in sends]
        while not all(one.done() for one in sending):
            one = chance.choice(RECEIVERS)
            others = [pool.submit(run, name, chance.choice(["receive", "fail"]), 3, None, 0) for name in RECEIVERS]
            apps.step(one, "swap-out")
            assert {other.result() for other in others} <= {200, 500}
    assert [one.result() for one in sending] == [200] * len(sends)
    for name in RECEIVERS:
        apps.until(lambda name=name: run(name, "receive", 9, None, 0) and not apps.describe(name)["unread"])
        process = apps.table.find(name)
        got, count = apps.invoke(name, "out = [p.state('got'), p.state('count')]").json()
        assert count == len(got)
        assert sorted(tuple(one[2:]) for one in got) == sorted(
            (number, i) for _, total, to, number in sends if to == name for i in range(total)
        )
        last: dict[tuple[str, str, int], int] = {}
        for source, key, number, i in got:
            assert last.get((source, key, number), -1) < i
            last[source, key, number] = i
        assert (process.mailbox.messages, process.mailbox.bytes) == (0, 0)
