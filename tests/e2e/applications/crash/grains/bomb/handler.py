import os
import time


def handle(event, context):
    children = 0
    try:
        while True:
            if os.fork() == 0:
                time.sleep(600)
                os._exit(0)
            children += 1
    except OSError as e:
        raise RuntimeError(f"no more than {children} processes") from e
