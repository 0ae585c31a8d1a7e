def handle(event, context):
    """Puts an object, or gets what is in one; of a manifest, what is in the files that it names."""
    objects = context.data.objects
    if "put" in event:
        objects.put(event["put"], event["text"].encode())
        return len(event["text"])
    where = event["ResultWriterDetails"]
    manifest = objects.get(f"{where['Bucket']}/{where['Key']}")
    read = {}
    for kind, files in manifest["ResultFiles"].items():
        for file in files:
            assert file["Size"] == objects.info(f"{where['Bucket']}/{file['Key']}").size
            read[kind] = objects.read(f"{where['Bucket']}/{file['Key']}").decode()
    return read
