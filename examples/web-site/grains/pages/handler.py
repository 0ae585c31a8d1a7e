"""Serves the pages: HTML, plain text and the feed. A folder's address gives its index.html."""

import mimetypes
from pathlib import Path

SITE = Path(__file__).parent / "site"
# Read once, before the fork: a request only looks it up.
PAGES = {path.relative_to(SITE).as_posix(): path.read_text() for path in SITE.rglob("*") if path.is_file()}


def handle(event, context):
    name = event["parameters"].get("path", "")
    if name == "" or name.endswith("/"):
        name += "index.html"
    if name not in PAGES:
        return {"status": 404, "headers": {"Content-Type": "text/html; charset=utf-8"}, "body": PAGES["404.html"]}
    kind = mimetypes.guess_type(name)[0] or "text/plain"
    headers = {"Content-Type": f"{kind}; charset=utf-8", "Cache-Control": "no-cache"}
    return {"status": 200, "headers": headers, "body": PAGES[name]}
