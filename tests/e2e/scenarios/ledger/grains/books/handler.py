def handle(event, context):
    accounts = context.data.table("accounts")
    return {key: [value, version] for key, value, version in accounts.items()}
