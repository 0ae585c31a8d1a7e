"""The page and its script: a member of a room in a browser, over the data plane's WebSocket."""

from pathlib import Path

SITE = Path(__file__).parent / "site"
FILES = {
    "/": (SITE / "index.html", "text/html; charset=utf-8"),
    "/data-plane.js": (SITE / "data-plane.js", "text/javascript; charset=utf-8"),
}


def handle(event, context):
    if event["path"] not in FILES:
        return {"status": 404, "headers": {"Content-Type": "text/plain"}, "body": "not here"}
    file, kind = FILES[event["path"]]
    return {"status": 200, "headers": {"Content-Type": kind}, "body": file.read_text()}
