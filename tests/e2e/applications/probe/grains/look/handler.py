"""Tries to reach what a sandbox must not: files, network, other processes."""

import os
import socket


def attempt(action):
    try:
        return {"result": str(action())[:200]}
    except Exception as e:
        return {"error": type(e).__name__}


def handle(event, context):
    return {
        "write": attempt(lambda: open("/opt/left", "w")),
        "write_app": attempt(lambda: open(__file__, "a")),
        "tmp": attempt(lambda: open("/tmp/mine", "w").write("x")),
        "network": attempt(lambda: socket.create_connection(("127.0.0.1", event["port"]), 2)),
        "shadow": attempt(lambda: open("/etc/shadow").read()),
        "token": attempt(lambda: open("/proc/1/environ").read().split("SAND_TOKEN=")[1].split("\0")[0].strip("-")[:8]),
        "processes": [int(name) for name in os.listdir("/proc") if name.isdigit()],
    }
