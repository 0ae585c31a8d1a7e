import sys


def handle(event, context):
    sys.exit("enough")
