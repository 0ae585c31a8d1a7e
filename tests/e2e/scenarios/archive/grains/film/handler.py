import sand


def handle(event, context):
    objects = context.data.objects
    first = objects.put("film", b"abcdef", if_version=0)
    whole = list(objects.info("film"))
    try:
        objects.put("film", b"", if_version=0)
    except sand.Conflict:
        first = [first, "kept"]
    part = objects.read("film", 2, 3).decode()
    objects.write("film", 8, b"Z")
    grown = list(objects.read("film"))
    objects.resize("film", 3)
    try:
        objects.read("gone")
        gone = None
    except sand.NotFound as missing:
        gone = missing.error
    return {
        "first": first, "whole": whole, "part": part, "grown": grown, "cut": objects.get("film").decode(),
        "sha": objects.info("film").sha256, "names": objects.list("f"), "gone": gone, "deleted": objects.delete("film"),
        "json": [objects.put("note", {"a": 1}) > 4, objects.get("note")], "none": objects.get("film", "nothing"),
    }  # fmt: skip
