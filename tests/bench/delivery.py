"""The same message through the local and the global bus, from one Java client to another, as a host agent has it (SAND 6.2)."""

from __future__ import annotations

from .hop import BLOCK, BLOCKS, times
from .java import java_bench
from .peers.brokers import Hop, kafka
from .table import Row, figure, latency

WARM_UP = 500
NOTE = "a Java client to another, 148 bytes, a message every 8 ms, in turns"


def delivery() -> list[Row]:
    local_command = java_bench("local-bus", "dev.sand.localbus.DeliveryBench")
    global_command = java_bench("global-bus", "dev.sand.globalbus.DeliveryBench")
    local: list[float] = []
    through: list[float] = []
    with kafka() as port, Hop(local_command) as here, Hop([*global_command, f"127.0.0.1:{port}"]) as there:
        for hop in (here, there):
            hop.measure(WARM_UP)
        for _ in range(BLOCKS):
            local += here.measure(BLOCK)
            through += there.measure(BLOCK)
    ratio = "global / local"
    return [
        latency("delivery-local-bus", "SAND local bus", local, "us", note=NOTE),
        latency("delivery-global-bus", "SAND over Kafka 4.3", through, "us", note=f"{NOTE}; acknowledged by the broker"),
        figure("delivery", ratio, "ratio", times(through, local, 0.5), at_least=5, note="medians"),
        figure("delivery-p99", ratio, "ratio", times(through, local, 0.99), at_least=10, note="p99"),
    ]
