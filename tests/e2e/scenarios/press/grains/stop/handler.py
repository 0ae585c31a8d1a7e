import time


def handle(event, context):
    time.sleep(600)
