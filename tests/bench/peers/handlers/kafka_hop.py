"""Hand-over of a small message from one Python process to another through Kafka, one at a time.

Usage: kafka_hop.py PORT handover|chain. In `chain` the receiver handles each message in a forked process that publishes the
next one, as a chain of functions over a broker does.
"""

import os
import sys
import time

from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient, NewTopic
from pacing import EMPTY, serve

SETTINGS = {"linger.ms": 0, "acks": 1, "socket.nagle.disable": True}


def consumer(server: str, topic: str) -> Consumer:
    client = Consumer(
        {
            "bootstrap.servers": server,
            "group.id": f"{topic}-{os.getpid()}",
            "auto.offset.reset": "earliest",
            "fetch.wait.max.ms": 100,
            "socket.nagle.disable": True,
            "enable.auto.commit": False,
        }
    )
    client.subscribe([topic])
    return client


def receive(client: Consumer) -> bytes:
    while True:
        message = client.poll(1)
        if message is not None and not message.error():
            return message.value()


def stamp() -> bytes:
    return b"%020d" % time.monotonic_ns() + EMPTY


def relay(server: str, forked: bool) -> None:
    """Takes from `there`, answers on `back` with the nanoseconds the message was on its way."""
    taken, out = consumer(server, "there"), Producer({"bootstrap.servers": server, **SETTINGS})
    while True:
        sent = int(receive(taken)[:20])
        if forked:
            pid = os.fork()
            if pid == 0:
                child = Producer({"bootstrap.servers": server, **SETTINGS})
                child.produce("back", b"%020d" % (time.monotonic_ns() - sent))
                child.flush(10)
                os._exit(0)
            os.waitpid(pid, 0)
        else:
            out.produce("back", b"%020d" % (time.monotonic_ns() - sent))
            out.flush(10)


def main() -> None:
    server, kind = f"127.0.0.1:{sys.argv[1]}", sys.argv[2]
    admin = AdminClient({"bootstrap.servers": server})
    for future in admin.create_topics([NewTopic("there", 1, 1), NewTopic("back", 1, 1)]).values():
        try:
            future.result(20)
        except Exception as error:
            if "ALREADY_EXISTS" not in str(error):
                raise
    child = os.fork()
    if child == 0:
        relay(server, kind == "chain")
    out, back = Producer({"bootstrap.servers": server, **SETTINGS}), consumer(server, "back")

    def hop() -> int:
        began = time.monotonic_ns()
        out.produce("there", stamp())
        out.flush(10)
        one_way = int(receive(back))
        return (time.monotonic_ns() - began) // 2 if kind == "chain" else one_way

    serve(hop, child)


main()
