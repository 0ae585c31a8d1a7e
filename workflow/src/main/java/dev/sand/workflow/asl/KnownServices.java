package dev.sand.workflow.asl;

import static java.util.Map.entry;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which service integrations there are on AWS: a definition that names another one is not created there. As the Developer Guide
 * lists them ("Integrating optimized services with Step Functions"), with how each is waited for. What an SDK integration may be
 * is known by its form alone.
 */
final class KnownServices {
    private static final Pattern INTEGRATION = Pattern.compile("arn:[^:]*:states:::(.*)", Pattern.DOTALL);
    private static final String SDK = "aws-sdk";
    private static final Pattern SDK_SERVICE = Pattern.compile("[A-Za-z0-9-]+");
    private static final Pattern ACTION = Pattern.compile("[a-z][A-Za-z0-9]*");
    private static final Set<String> SERVICES = Set.of("apigateway", "athena", "batch", "bedrock", "bedrock-agentcore",
            "bedrockagentcore", "codebuild", "databrew", "dynamodb", "ecs", "eks", "elasticmapreduce", "emr-containers", "emr-serverless", "events",
            "glue", "http", "lambda", "mediaconvert", "sagemaker", "sns", "sqs", "states");
    /** Of those with few: of the others any. */
    private static final Map<String, List<String>> ACTIONS = Map.ofEntries(entry("apigateway", List.of("invoke")),
            entry("bedrock-agentcore", List.of("invokeHarness")), entry("bedrockagentcore", List.of("invokeHarness")),
            entry("dynamodb", List.of("getItem", "putItem", "updateItem", "deleteItem")), entry("ecs", List.of("runTask")),
            entry("events", List.of("putEvents")), entry("glue", List.of("startJobRun")), entry("http", List.of("invoke")),
            entry("lambda", List.of("invoke")), entry("sns", List.of("publish")), entry("sqs", List.of("sendMessage")),
            entry("states", List.of("startExecution")));
    /** What the parameters of an action must have, of those of which it is known. */
    private static final Map<String, List<String>> REQUIRED = Map.ofEntries(entry("dynamodb:deleteItem", List.of("TableName", "Key")),
            entry("dynamodb:getItem", List.of("TableName", "Key")), entry("dynamodb:putItem", List.of("TableName", "Item")),
            entry("dynamodb:updateItem", List.of("TableName", "Key")), entry("ecs:runTask", List.of("TaskDefinition")),
            entry("events:putEvents", List.of("Entries")), entry("glue:startJobRun", List.of("JobName")),
            entry("lambda:invoke", List.of("FunctionName")), entry("sns:publish", List.of("Message")),
            entry("sqs:sendMessage", List.of("QueueUrl", "MessageBody")), entry("states:startExecution", List.of("StateMachineArn")));
    private static final Set<String> NO_SYNC = Set.of("apigateway", SDK, "bedrock-agentcore", "bedrockagentcore", "dynamodb", "events", "http",
            "lambda", "sns", "sqs");
    private static final Set<String> NO_TOKEN = Set.of("athena", "batch", "bedrock-agentcore", "bedrockagentcore", "codebuild", "databrew",
            "dynamodb", "elasticmapreduce", "emr-containers", "emr-serverless", "glue", "mediaconvert", "sagemaker");

    private KnownServices() {}

    /** Whether it has the form of a service integration, and is none. */
    static boolean isUnknown(String resource) {
        Matcher found = INTEGRATION.matcher(resource);
        if (!found.matches() || resource.contains("${")) {
            return false;
        }
        String pattern = Resources.pattern(resource);
        String called = found.group(1).substring(0, found.group(1).length() - pattern.length());
        String[] parts = called.split(":", called.startsWith(SDK + ":") ? 3 : 2);
        String service = parts[0];
        String action = parts.length == 1 ? "" : parts[parts.length - 1];
        boolean isKnown = service.equals(SDK) ? parts.length == 3 && SDK_SERVICE.matcher(parts[1]).matches()
                : SERVICES.contains(service) && ACTIONS.getOrDefault(service, List.of(action)).contains(action);
        return !(isKnown && ACTION.matcher(action).matches() && isWaitedFor(service, pattern));
    }

    /** What the parameters of an action must have. */
    static List<String> requiredBy(String action) {
        return REQUIRED.getOrDefault(action, List.of());
    }

    /** What a task's parameters must have, by its resource, which may be one that a stub stands in for; empty where nothing is known. */
    static List<String> required(String resource) {
        Matcher found = INTEGRATION.matcher(Resources.shown(resource));
        return found.matches() ? requiredBy(found.group(1).substring(0, found.group(1).length() - Resources.pattern(resource).length()))
                : List.of();
    }

    private static boolean isWaitedFor(String service, String pattern) {
        return switch (pattern) {
            case "" -> true;
            case Resources.TOKEN -> !NO_TOKEN.contains(service);
            case ".sync" -> !NO_SYNC.contains(service);
            case ".sync:2" -> service.equals("states");
            default -> false;
        };
    }
}
