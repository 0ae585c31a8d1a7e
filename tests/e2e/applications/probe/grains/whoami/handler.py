"""Who handles this: process, parent, user, and whether an earlier request has left something in this process."""

import os

left_behind = []


def handle(event, context):
    left_behind.append(event)
    with open("/proc/self/status") as status:
        fields = dict(line.split(":\t", 1) for line in status.read().splitlines())
    return {
        "pid": os.getpid(),
        "parent": os.getppid(),
        "uid": os.getuid(),
        "requests": len(left_behind),
        "capabilities": fields["CapEff"],
        "host": os.uname().nodename,
        "context": {"application": context.application, "grain": context.grain, "attempt": context.attempt},
    }
