import os
import signal


def handle(event, context):
    os.kill(os.getpid(), signal.SIGKILL)
