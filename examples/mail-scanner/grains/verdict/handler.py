"""Joins what the scans found into one verdict."""

INFECTED, SUSPICIOUS = 50, 3


def handle(event, context):
    """:param event: {headers, findings: one list a scan, …}"""
    findings = [finding for scan in event["findings"] for finding in scan]
    weight = sum(finding["weight"] for finding in findings)
    verdict = "infected" if weight >= INFECTED else "suspicious" if weight >= SUSPICIOUS else "clean"
    context.logger.info("verdict", verdict=verdict, weight=weight)
    return {
        "verdict": verdict,
        "weight": weight,
        "subject": (event["headers"]["Subject"] or [""])[0],
        "findings": sorted(findings, key=lambda finding: -finding["weight"]),
    }
