import ctypes


def handle(event, context):
    ctypes.string_at(0)
