"""Looks for links that lead elsewhere than they say."""

import ipaddress
import re
from html.parser import HTMLParser
from urllib.parse import urlsplit

ADDRESS = re.compile(r"https?://[^\s<>\"']+")


class Links(HTMLParser):
    """Collects (address, text that is shown for it)."""

    def __init__(self, html):
        super().__init__()
        self.found = []
        self._address = None
        self._text = ""
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        if tag == "a":
            self._address, self._text = dict(attributes).get("href") or "", ""

    def handle_data(self, data):
        self._text += data

    def handle_endtag(self, tag):
        if tag == "a" and self._address is not None:
            self.found.append((self._address, self._text.strip()))
            self._address = None


def handle(event, context):
    """:param event: list of {type, text}"""
    findings = []
    for part in event:
        html = part["type"] == "text/html"
        links = Links(part["text"]).found if html else [(found, "") for found in ADDRESS.findall(part["text"])]
        for address, shown in links:
            findings += look_at(address, shown)
    return findings


def look_at(address, shown):
    host = urlsplit(address).hostname or ""
    claimed = ADDRESS.match(shown)
    if claimed and urlsplit(claimed.group()).hostname != host:
        yield {"rule": "disguised-link", "weight": 4, "what": f"shows {shown}, leads to {host}"}
    if is_number(host):
        yield {"rule": "numeric-host", "weight": 3, "what": f"leads to the bare address {host}"}
    if host.startswith("xn--") or ".xn--" in host:
        yield {"rule": "look-alike", "weight": 2, "what": f"leads to an internationalised name, {host}"}


def is_number(host):
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
