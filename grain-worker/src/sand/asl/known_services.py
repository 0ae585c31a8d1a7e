"""Which service integrations there are on AWS: a definition that names another one is not created there.

As the Developer Guide lists them ("Integrating optimized services with Step Functions"), with how each is waited for. What an
SDK integration may be is known by its form alone.
"""

from __future__ import annotations

import re

from sand.asl.resources import pattern_of, shown

_INTEGRATION = re.compile(r"arn:[^:]*:states:::(.*)", re.DOTALL)
_SDK = "aws-sdk"
_SDK_SERVICE = re.compile(r"[A-Za-z0-9-]+", re.ASCII)
_ACTION = re.compile(r"[a-z][A-Za-z0-9]*", re.ASCII)
_SERVICES = frozenset(
    [
        "apigateway",
        "athena",
        "batch",
        "bedrock",
        "bedrock-agentcore",
        "bedrockagentcore",
        "codebuild",
        "databrew",
        "dynamodb",
        "ecs",
        "eks",
        "elasticmapreduce",
        "emr-containers",
        "emr-serverless",
        "events",
        "glue",
        "http",
        "lambda",
        "mediaconvert",
        "sagemaker",
        "sns",
        "sqs",
        "states",
    ]
)
_ACTIONS = {
    "apigateway": ("invoke",),
    "bedrock-agentcore": ("invokeHarness",),
    "bedrockagentcore": ("invokeHarness",),
    "dynamodb": ("getItem", "putItem", "updateItem", "deleteItem"),
    "ecs": ("runTask",),
    "events": ("putEvents",),
    "glue": ("startJobRun",),
    "http": ("invoke",),
    "lambda": ("invoke",),
    "sns": ("publish",),
    "sqs": ("sendMessage",),
    "states": ("startExecution",),
}
"""Of those with few: of the others any."""
REQUIRED = {
    "dynamodb:deleteItem": ("TableName", "Key"),
    "dynamodb:getItem": ("TableName", "Key"),
    "dynamodb:putItem": ("TableName", "Item"),
    "dynamodb:updateItem": ("TableName", "Key"),
    "ecs:runTask": ("TaskDefinition",),
    "events:putEvents": ("Entries",),
    "glue:startJobRun": ("JobName",),
    "lambda:invoke": ("FunctionName",),
    "sns:publish": ("Message",),
    "sqs:sendMessage": ("QueueUrl", "MessageBody"),
    "states:startExecution": ("StateMachineArn",),
}
"""What the parameters of an action must have, of those of which it is known."""
_NO_SYNC = frozenset(
    [
        "apigateway",
        "aws-sdk",
        "bedrock-agentcore",
        "bedrockagentcore",
        "dynamodb",
        "events",
        "http",
        "lambda",
        "sns",
        "sqs",
    ]
)
_NO_TOKEN = frozenset(
    [
        "athena",
        "batch",
        "bedrock-agentcore",
        "bedrockagentcore",
        "codebuild",
        "databrew",
        "dynamodb",
        "elasticmapreduce",
        "emr-containers",
        "emr-serverless",
        "glue",
        "mediaconvert",
        "sagemaker",
    ]
)


def is_unknown(resource: str) -> bool:
    """Whether it has the form of a service integration, and is none."""
    found = _INTEGRATION.fullmatch(resource)
    if found is None or "${" in resource:
        return False
    pattern = pattern_of(resource)
    service, _, action = found[1].removesuffix(pattern).partition(":")
    if service == _SDK:
        name, _, action = action.partition(":")
        is_known = _SDK_SERVICE.fullmatch(name) is not None
    else:
        is_known = service in _SERVICES and action in _ACTIONS.get(service, (action,))
    return not (is_known and _ACTION.fullmatch(action) and _is_waited_for(service, pattern))


def required(resource: str) -> tuple[str, ...]:
    """What a task's parameters must have, by its resource, which may be one that a stub stands in for; (): nothing is known."""
    found = _INTEGRATION.fullmatch(shown(resource))
    return () if found is None else REQUIRED.get(found[1].removesuffix(pattern_of(resource)), ())


def _is_waited_for(service: str, pattern: str) -> bool:
    match pattern:
        case "":
            return True
        case ".waitForTaskToken":
            return service not in _NO_TOKEN
        case ".sync":
            return service not in _NO_SYNC
    return pattern == ".sync:2" and service == "states"
