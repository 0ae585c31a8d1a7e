"""A function that does nothing, in a process of its own: request on stdin, answer on stdout."""

import json
import sys

json.dump(json.load(sys.stdin), sys.stdout)
