class Odd(Exception):
    def __str__(self):
        raise RuntimeError("no words")


def handle(event, context):
    if event == "odd":
        raise Odd
    raise ValueError(event)
