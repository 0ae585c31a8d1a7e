"""Looks for a sender that pretends to be another."""

from email.utils import parseaddr


def handle(event, context):
    """:param event: header name → values"""
    findings = []
    sender = domain(event["From"])
    if not sender:
        findings.append({"rule": "no-sender", "weight": 3, "what": "there is no sender's address"})
    for name in ("Reply-To", "Return-Path"):
        other = domain(event[name])
        if other and sender and other != sender:
            findings.append({"rule": "other-domain", "weight": 2, "what": f"{name} is at {other}, the sender at {sender}"})
    if not event["Message-ID"]:
        findings.append({"rule": "no-message-id", "weight": 1, "what": "there is no Message-ID"})
    return findings


def domain(values):
    address = parseaddr(values[0])[1] if values else ""
    return address.rpartition("@")[2].lower()
