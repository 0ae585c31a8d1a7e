"""A function that does nothing, behind of-watchdog's http mode."""

import os

from flask import Flask, request

app = Flask(__name__)


@app.post("/")
def noop():
    return request.get_json(silent=True) or {}


app.run("127.0.0.1", int(os.environ["PORT"]))
