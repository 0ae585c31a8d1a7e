package dev.sand.frontend.invoke;

import dev.sand.event.ApplicationVersion.RouteSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** An application's {@code routes:}, in order; the first that matches wins. */
final class WebRoutes {
    /** @param target null when nothing matches; {@code allow} then lists the methods that the path has, if any */
    record Match(String target, Map<String, String> parameters, String allow) {}

    private WebRoutes() {}

    static Match match(List<RouteSpec> routes, String method, WebPath path) {
        TreeSet<String> allowed = new TreeSet<>();
        for (RouteSpec route : routes) {
            Map<String, String> parameters = parameters(route.path(), path.segments());
            if (parameters == null) {
                continue;
            }
            boolean fits = route.method().equals("ANY") || route.method().equals(method)
                    || route.method().equals("GET") && method.equals("HEAD");
            if (fits) {
                return new Match(route.target(), parameters, null);
            }
            allowed.add(route.method());
        }
        return new Match(null, Map.of(), allowed.isEmpty() ? null : String.join(", ", allowed));
    }

    private static Map<String, String> parameters(String template, List<String> have) {
        String[] want = template.split("/", -1);
        Map<String, String> parameters = new LinkedHashMap<>();
        for (int i = 1; i < want.length; i++) {
            String segment = want[i];
            if (segment.endsWith("+}")) {
                // The rest of the path, and at least one character of it.
                if (i >= have.size()) {
                    return null;
                }
                String rest = String.join("/", have.subList(i, have.size()));
                if (rest.isEmpty()) {
                    return null;
                }
                parameters.put(segment.substring(1, segment.length() - 2), rest);
                return parameters;
            }
            if (i >= have.size()) {
                return null;
            }
            if (segment.startsWith("{")) {
                if (have.get(i).isEmpty()) {
                    return null;
                }
                parameters.put(segment.substring(1, segment.length() - 1), have.get(i));
            } else if (!segment.equals(have.get(i))) {
                return null;
            }
        }
        return want.length == have.size() ? parameters : null;
    }
}
