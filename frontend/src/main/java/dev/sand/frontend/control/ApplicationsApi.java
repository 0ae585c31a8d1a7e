package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.datalayer.Registry;
import dev.sand.event.ApplicationName;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.ApplicationVersion.WorkflowSpec;
import dev.sand.frontend.deployment.Deletion;
import dev.sand.frontend.deployment.Deployer;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.Problems;
import dev.sand.frontend.http.Router;
import dev.sand.frontend.invoke.Directory;
import dev.sand.frontend.invoke.Names;
import java.io.IOException;
import java.util.List;
import java.util.TreeMap;

/** {@code /api/v1/applications}: which there are, their versions and aliases. */
public final class ApplicationsApi {
    static final String ROOT = "/api/v1/applications";
    /** The query parameter that asks for the platform's own application too. */
    static final String SYSTEM = "system";
    private static final int BODY_BYTES = 64 * 1024;
    private final Registry registry;
    private final Directory directory;
    private final Deployer deployer;
    private final Deletion deletion;

    public ApplicationsApi(Registry registry, Directory directory, Deployer deployer, Deletion deletion) {
        this.registry = registry;
        this.directory = directory;
        this.deployer = deployer;
        this.deletion = deletion;
    }

    public void addTo(Router router) {
        router.on("listApplications", this::list)
                .on("describeApplication", this::describe)
                .on("deleteApplication", this::delete)
                .on("listWorkflows", this::workflows)
                .on("describeWorkflow", this::workflow)
                .on("listVersions", this::versions)
                .on("describeVersion", this::version)
                .on("listAliases", this::aliases)
                .on("moveAlias", this::moveAlias)
                .on("deleteAlias", this::deleteAlias)
                .on("rollback", this::rollback);
    }

    /** The application in the path. @throws dev.sand.frontend.http.ProblemException 404 when there is none */
    static String application(Exchange exchange, Registry registry) {
        String application = exchange.path("app");
        // The platform's own is looked at, and changed by nobody.
        boolean named = Names.isApplication(application)
                || Names.isSystem(application) && exchange.method().equals("GET") && exchange.flag(SYSTEM);
        if (!named || !registry.exists(application)) {
            throw Problems.unknownApplication(application).asException();
        }
        return application;
    }

    private void list(Exchange exchange) {
        ArrayNode applications = Json.array();
        boolean all = exchange.flag(SYSTEM);
        String tenant = exchange.askedTenant();
        for (String name : registry.applications()) {
            if (Names.isSystem(name) && !all || !ApplicationName.tenant(name).equals(tenant)) {
                continue;
            }
            ObjectNode application = applications.addObject().put("name", name);
            List<Integer> versions = registry.versions(name);
            application.put("versions", versions.size());
            registry.resolve(name, Registry.LIVE).ifPresent(live -> {
                application.put("live", live.version()).put("createdMs", live.createdMs());
                application.set("grains", Json.tree(live.grains().keySet()));
                application.set("workflows", Json.tree(live.workflows().keySet()));
            });
        }
        exchange.json(200, Json.object().set("applications", applications));
    }

    private void describe(Exchange exchange) {
        exchange.json(200, describe(liveOrLatest(exchange)));
    }

    private ApplicationVersion liveOrLatest(Exchange exchange) {
        String name = application(exchange, registry);
        int latest = registry.latest(name).orElseThrow(() -> Problems.unknownApplication(name).asException());
        return registry.resolve(name, Registry.LIVE)
                .or(() -> registry.version(name, latest))
                .orElseThrow(() -> Problems.unknownApplication(name).asException());
    }

    /** Without their definitions, which may be long. */
    private void workflows(Exchange exchange) {
        ApplicationVersion version = liveOrLatest(exchange);
        ArrayNode workflows = Json.array();
        new TreeMap<>(version.workflows()).forEach((name, workflow) -> workflows.addObject().put("name", name)
                .put("timeoutMs", workflow.timeoutMs()));
        exchange.json(200, Json.object().put("application", version.application()).put("version", version.version())
                .set("workflows", workflows));
    }

    private void workflow(Exchange exchange) {
        ApplicationVersion version = liveOrLatest(exchange);
        String name = exchange.path("workflow");
        if (!Names.isGrain(name)) {
            throw Problems.badRequest("A workflow's name is " + Names.GRAIN + ".").asException();
        }
        WorkflowSpec workflow = version.workflows().get(name);
        if (workflow == null) {
            throw Problem.caller(404, "unknown-workflow", "Unknown workflow", "Version " + version.version() + " of application '"
                    + version.application() + "' has no workflow '" + name + "'.").asException();
        }
        ObjectNode described = Json.object().put("name", name).put("version", version.version());
        exchange.json(200, described.setAll((ObjectNode) Json.tree(workflow)));
    }

    private ObjectNode describe(ApplicationVersion version) {
        ObjectNode described = Json.object();
        described.put("application", version.application()).put("version", version.version());
        described.set("aliases", Json.tree(registry.aliases(version.application())));
        described.put("createdMs", version.createdMs()).put("bundle", version.bundle())
                .put("dependencies", version.dependencies()).put("durability", version.durability().name());
        described.set("sandbox", Json.tree(version.sandbox()));
        described.set("grains", Json.tree(version.grains()));
        described.set("workflows", Json.tree(version.workflows()));
        described.set("routes", Json.tree(version.routes()));
        described.set("placements", Json.tree(version.placements()));
        described.put("description", registry.description(version.application(), version.version()).orElse(""));
        described.set("resolved", Json.tree(registry.resolved(version.application(), version.version()).orElse(null)));
        return described;
    }

    private void versions(Exchange exchange) {
        String name = application(exchange, registry);
        ArrayNode versions = Json.array();
        for (int number : registry.versions(name).reversed()) {
            registry.version(name, number).ifPresent(version -> versions.addObject().put("version", number)
                    .put("createdMs", version.createdMs()).put("bundle", version.bundle()));
        }
        ObjectNode answer = Json.object();
        answer.set("versions", versions);
        answer.set("aliases", Json.tree(registry.aliases(name)));
        exchange.json(200, answer);
    }

    private void version(Exchange exchange) {
        exchange.json(200, describe(directory.load(application(exchange, registry), exchange.path("version"))));
    }

    private void aliases(Exchange exchange) {
        exchange.json(200, Json.object().set("aliases", Json.tree(registry.aliases(application(exchange, registry)))));
    }

    private void moveAlias(Exchange exchange) throws IOException {
        notSystem(exchange);
        String name = application(exchange, registry);
        String alias = alias(exchange);
        move(exchange, name, alias, integer(body(exchange).path("version")));
    }

    private void deleteAlias(Exchange exchange) {
        notSystem(exchange);
        String name = application(exchange, registry);
        String alias = alias(exchange);
        if (alias.equals(Registry.LIVE)) {
            throw Problem.caller(409, "conflict", "Conflict", "Alias 'live' is what a call without a version means; move it.")
                    .asException();
        }
        if (!registry.deleteAlias(name, alias)) {
            throw Problems.unknownVersion(name, alias).asException();
        }
        directory.forget(name);
        directory.awaitSeen();
        exchange.empty(204);
    }

    /** {@code {"alias": "live", "version": N}}, both optional: without a version, the one before the alias's. */
    private void rollback(Exchange exchange) throws IOException {
        notSystem(exchange);
        String name = application(exchange, registry);
        JsonNode wish = body(exchange);
        JsonNode named = wish.path("alias");
        if (!named.isMissingNode() && !named.isNull() && !named.isTextual()) {
            throw Problems.badRequest("\"alias\" is the name of an alias, not " + named + ".").asException();
        }
        String alias = named.isTextual() ? checkedAlias(named.textValue()) : Registry.LIVE;
        Integer current = registry.aliases(name).get(alias);
        if (current == null) {
            throw Problems.unknownVersion(name, alias).asException();
        }
        Integer version = !wish.hasNonNull("version")
                ? registry.versions(name).stream().filter(number -> number < current).max(Integer::compare).orElse(null)
                : Integer.valueOf(integer(wish.get("version")));
        if (version == null) {
            throw Problem.caller(409, "conflict", "Conflict", "Alias '" + alias + "' of '" + name + "' is version " + current
                    + ", and there is none before it.").asException();
        }
        move(exchange, name, alias, version);
    }

    private void move(Exchange exchange, String name, String alias, int version) {
        if (registry.version(name, version).isEmpty()) {
            throw Problems.unknownVersion(name, Integer.toString(version)).asException();
        }
        exchange.name("alias", alias);
        exchange.name("version", version);
        deployer.alone(name, () -> deployer.moveAlias(name, alias, version));
        exchange.json(200, Json.object().put("application", name).put("alias", alias).put("version", version));
    }

    /** The platform sees to it itself, see ManagementService. */
    private static void notSystem(Exchange exchange) {
        if (Names.isSystem(exchange.path("app"))) {
            throw Problem.caller(409, "conflict", "Conflict", "Application '" + exchange.path("app") + "' is the platform's own.").asException();
        }
    }

    private void delete(Exchange exchange) {
        notSystem(exchange);
        String named = exchange.path("app");
        // One whose deletion was cut short is listed no more.
        String name = Names.isApplication(named) && registry.deletions(named).underWay() ? named : application(exchange, registry);
        deployer.alone(name, () -> deletion.delete(name));
        exchange.empty(204);
    }

    static String alias(Exchange exchange) {
        String alias = exchange.path("alias") == null ? exchange.query("alias") : exchange.path("alias");
        return alias == null ? Registry.LIVE : checkedAlias(alias);
    }

    private static String checkedAlias(String alias) {
        if (!Names.isGrain(alias)) {
            throw Problems.badRequest("An alias is " + Names.GRAIN + ", not '" + alias + "'.").asException();
        }
        return alias;
    }

    private static JsonNode body(Exchange exchange) throws IOException {
        JsonNode body = JsonBody.object(exchange, BODY_BYTES, "The body is a JSON object that says which version.");
        return body == null ? Json.object() : body;
    }

    private static int integer(JsonNode value) {
        if (value.isInt() && value.intValue() > 0) {
            return value.intValue();
        }
        throw Problems.badRequest("\"version\" is the number of a version, not " + (value.isMissingNode() ? "missing" : value) + ".")
                .asException();
    }

    /** A grain or workflow that a query asks for. @return null: any */
    static String target(Exchange exchange, String parameter) {
        String name = exchange.query(parameter);
        if (name != null && !Names.isGrain(name)) {
            throw Problems.badRequest("Query parameter '" + parameter + "' is a name, " + Names.GRAIN + ", not '" + name + "'.").asException();
        }
        return name;
    }
}
