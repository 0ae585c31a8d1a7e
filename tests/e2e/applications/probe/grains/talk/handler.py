import sys


def handle(event, context):
    print("to stdout")
    print("to stderr", file=sys.stderr)
    context.logger.warning("structured", colour="green", number=event["number"])
    return "talked"
