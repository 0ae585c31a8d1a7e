ANSWERS = {
    "gone": {"status": 410, "headers": {"Retry-After": "7"}, "body": "gone"},
    "moved": {"status": 302, "headers": {"Location": "https://example.org/", "Set-Cookie": ["a=1", "b=2"]}},
    "empty": {"status": 204},
    "html": {"status": 200, "headers": {"Content-Type": "text/html; charset=utf-8"}, "body": "<p>\u00fc</p>"},
    "ours": {"status": 200, "headers": {"Content-Length": "99", "Connection": "close"}, "body": "short"},
    "bad-header": {"status": 200, "headers": {"X-A": "a\nb"}, "body": ""},
    "bad-body": {"status": 200, "body": "***", "isBase64Encoded": True},
    "list": [1, 2],
}


def handle(event, context):
    return ANSWERS[event["parameters"]["what"]]
