package dev.sand.workflow.asl;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a Task's Resource names. */
public final class Resources {
    /** What a resource ends in whose task waits for a callback. */
    public static final String TOKEN = ".waitForTaskToken";
    /** How a service is waited for. */
    private static final Pattern PATTERN = Pattern.compile("\\.(waitForTaskToken|sync|sync:[0-9])$");
    private static final Pattern ACTIVITY = Pattern.compile("arn:[^:]+:states:[^:]+:[^:]+:activity:.*", Pattern.DOTALL);
    private static final String PREFIX = "sand:grain:";
    /** Of a stub in a trial: {@code sand:stub:<grain>:<the resource that it stands in for>}. */
    private static final String STUB = "sand:stub:";
    /** A name that a function can have, of which a grain can have some; or what a template or an example has in its place. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}|\\$\\{[A-Za-z0-9_.-]{1,62}}|<[A-Za-z0-9_.-]{1,62}>");

    private Resources() {}

    /** What a Map does with the application's objects, by the resource that says so. */
    enum ObjectUse {
        GET("s3:getObject", "sand:object:get"), LIST("s3:listObjectsV2", "sand:object:list"), PUT("s3:putObject", "sand:object:put");

        private final String service;
        private final String own;

        ObjectUse(String service, String own) {
            this.service = service;
            this.own = own;
        }

        boolean isNamedBy(String resource) {
            return resource.equals(own) || resource.startsWith("arn:") && resource.endsWith(":states:::" + service);
        }

        /** "A or B". */
        String names() {
            return "arn:aws:states:::" + service + " or " + own;
        }
    }

    /** Whether it is the service integration that calls the function which its FunctionName names. */
    static boolean invokesFunction(String resource) {
        return resource != null && resource.startsWith("arn:") && resource.endsWith(":lambda:invoke");
    }

    /** The grain of a FunctionName: a name, a partial or a whole ARN, each with or without a qualifier; null when it is none. */
    static String function(String functionName) {
        int at = functionName.indexOf(":function:");
        return functionName.startsWith("arn:") || functionName.startsWith(STUB) ? grain(functionName)
                : grain((at < 0 ? functionName : functionName.substring(at + 10)).split(":", 2)[0]);
    }

    /** Whether the state waits for the end of what a service only begins. */
    static boolean isSubmitted(String resource) {
        int at = resource.lastIndexOf(".sync");
        return at >= 0 && (at + 5 == resource.length()
                || at + 7 == resource.length() && resource.charAt(at + 5) == ':' && resource.charAt(at + 6) >= '0' && resource.charAt(at + 6) <= '9');
    }

    /** Of what a stub stands in for, that. */
    public static String shown(String resource) {
        return resource.startsWith(STUB) ? resource.substring(resource.indexOf(':', STUB.length()) + 1) : resource;
    }

    /** Whether it is what asks for work at its own time, or stands in for that. */
    static boolean isActivity(String resource) {
        return ACTIVITY.matcher(shown(resource)).matches();
    }

    /** How a service is waited for; empty: it is not. */
    static String pattern(String resource) {
        Matcher found = PATTERN.matcher(resource);
        return found.find() ? found.group() : "";
    }

    static String withoutToken(String resource) {
        return resource.endsWith(TOKEN) ? resource.substring(0, resource.length() - TOKEN.length()) : resource;
    }

    /** The grain of a resource: {@code name}, {@code sand:grain:name}, or the last part of an ARN (a function, an action); null when it is none. */
    static String grain(String resource) {
        String name = resource;
        if (resource.startsWith(PREFIX)) {
            name = resource.substring(PREFIX.length());
        } else if (resource.startsWith(STUB)) {
            name = resource.substring(STUB.length()).split(":", 2)[0];
        } else if (resource.startsWith("arn:")) {
            // arn:partition:service:region:account:rest, where a Lambda function's rest is function:name[:qualifier]
            String[] parts = PATTERN.matcher(resource).replaceFirst("").split(":", 6);
            if (parts.length < 6) {
                return null;
            }
            String[] rest = parts[5].split(":", -1);
            name = rest[0].equals("function") && rest.length > 1 ? rest[1] : rest[rest.length - 1];
            name = name.substring(name.lastIndexOf('/') + 1);
        }
        return NAME.matcher(name).matches() ? name : null;
    }
}
