"""The same random bytes through the platform's object store, in and out; ns of each."""

import os
import time


def handle(event, context):
    """:param event: bytes; returns [ns of put, ns of get]"""
    objects, value = context.data.objects, os.urandom(event)
    began = time.perf_counter_ns()
    objects.put("swapped", value)
    between = time.perf_counter_ns()
    found = objects.get("swapped")
    ended = time.perf_counter_ns()
    assert len(found) == event
    return [between - began, ended - between]
