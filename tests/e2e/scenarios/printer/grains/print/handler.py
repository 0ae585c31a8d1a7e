"""Reads, waits and writes: only a lock keeps two at once from the same number."""

import time


def handle(event, context):
    with context.data.lock("printer", seconds=30, wait=25) as lock:
        page = lock.table.get("page", 0) + 1
        time.sleep(0.02)
        lock.table.put("page", page)
    return page
