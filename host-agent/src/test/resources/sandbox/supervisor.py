"""A stand-in for sand.supervisor: says its token on bus.sock, then runs what the test sends, a line of JSON each way."""

import contextlib
import io
import json
import os
import socket
import traceback

bus = socket.socket(socket.AF_UNIX)
bus.connect(os.environ["SAND_DIRECTORY"] + "/bus.sock")
lines = bus.makefile("rw", encoding="utf-8")
lines.write(os.environ["SAND_TOKEN"] + "\n")
lines.flush()
for line in lines:
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            exec(json.loads(line), {"directory": os.environ["SAND_DIRECTORY"]})
        reply = {"out": out.getvalue().strip()}
    except BaseException:
        reply = {"error": traceback.format_exc()}
    lines.write(json.dumps(reply) + "\n")
    lines.flush()
