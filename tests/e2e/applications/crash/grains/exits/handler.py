import os


def handle(event, context):
    os._exit(3)
