package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.GlobalStore.Versioned;
import dev.sand.datalayer.Registry;
import dev.sand.datalayer.SavedEvents;
import dev.sand.datalayer.StoreException;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.Payload;
import dev.sand.frontend.deployment.VersionFiles;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.ProblemException;
import dev.sand.frontend.http.Problems;
import dev.sand.frontend.http.Router;
import dev.sand.frontend.invoke.Directory;
import dev.sand.frontend.invoke.Names;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * {@code /api/v1/applications/{app}/grains/{grain}/events}, and {@code …/workflows/{workflow}/events}: what people test a grain or a
 * workflow with. Those that were saved lie over the files {@code tests/events/TARGET/NAME.json} of a version: one that has a file's
 * name is taken in its place, and the file is there again when that one is deleted.
 */
public final class SavedEventsApi {
    /** As a file's name without its end, on any system. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}");
    private static final String END = ".json";

    /** No grain and workflow of an application have the same name: what is kept needs no kind. */
    private enum Kind {
        GRAIN("grain"), WORKFLOW("workflow");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        String said() {
            return this == GRAIN ? "Grain" : "Workflow";
        }

        boolean isIn(ApplicationVersion version, String target) {
            return (this == GRAIN ? version.grains() : version.workflows()).containsKey(target);
        }
    }

    @FunctionalInterface
    private interface Answer {
        void to(Exchange exchange, Kind kind) throws IOException;
    }

    private final Registry registry;
    private final Directory directory;
    private final VersionFiles files;
    private final SavedEvents saved;

    public SavedEventsApi(Registry registry, Directory directory, VersionFiles files, SavedEvents saved) {
        this.registry = registry;
        this.directory = directory;
        this.files = files;
        this.saved = saved;
    }

    public void addTo(Router router) {
        on(router, this::list, "listSavedEvents", "listSavedInputs");
        on(router, this::get, "getSavedEvent", "getSavedInput");
        on(router, this::save, "saveEvent", "saveInput");
        on(router, this::delete, "deleteSavedEvent", "deleteSavedInput");
    }

    private static void on(Router router, Answer answer, String ofGrain, String ofWorkflow) {
        router.on(ofGrain, exchange -> answer.to(exchange, Kind.GRAIN)).on(ofWorkflow, exchange -> answer.to(exchange, Kind.WORKFLOW));
    }

    private void list(Exchange exchange, Kind kind) throws IOException {
        String application = ApplicationsApi.application(exchange, registry);
        String target = target(exchange, kind);
        ApplicationVersion version = directory.load(application, exchange.query("version"));
        Set<String> kept = new TreeSet<>(saved.names(application, target));
        Set<String> filed = new TreeSet<>(filed(version, target));
        if (kept.isEmpty() && filed.isEmpty() && !kind.isIn(version, target)) {
            throw unknownTarget(version, kind, target);
        }
        Set<String> names = new TreeSet<>(kept);
        names.addAll(filed);
        ArrayNode events = Json.array();
        for (String name : names) {
            events.addObject().put("name", name).put("saved", kept.contains(name))
                    .put("file", filed.contains(name) ? path(target, name) : null);
        }
        ObjectNode answer = Json.object().put("version", version.version());
        exchange.json(200, answer.set("events", events));
    }

    private void get(Exchange exchange, Kind kind) throws IOException {
        String application = ApplicationsApi.application(exchange, registry);
        String target = target(exchange, kind);
        String name = name(exchange);
        Versioned found = saved.get(application, target, name).orElse(null);
        if (found != null) {
            exchange.headers().put("ETag", EntityTag.of(found.version()));
            exchange.bytes(200, Payload.JSON, ByteBuffer.wrap(found.value()));
            return;
        }
        ApplicationVersion version = directory.load(application, exchange.query("version"));
        if (!filed(version, target).contains(name)) {
            throw unknown(application, kind, target, name);
        }
        byte[] file = files.read(version, path(target, name));
        if (file.length > SavedEvents.BYTES) {
            throw Problems.tooLarge("File " + path(target, name) + " of version " + version.version(), SavedEvents.BYTES, file.length)
                    .asException();
        }
        exchange.bytes(200, Payload.JSON, ByteBuffer.wrap(file));
    }

    private void save(Exchange exchange, Kind kind) throws IOException {
        String application = ApplicationsApi.application(exchange, registry);
        String target = target(exchange, kind);
        String name = name(exchange);
        long expected = EntityTag.expected(exchange);
        byte[] json = exchange.body(SavedEvents.BYTES, "An event");
        Problem fault = Json.check(ByteBuffer.wrap(json));
        if (fault != null) {
            throw fault.asException();
        }
        ApplicationVersion version = directory.load(application, exchange.query("version"));
        if (!kind.isIn(version, target)) {
            throw unknownTarget(version, kind, target);
        }
        long made = unlessOvertaken(() -> saved.save(application, target, name, json, expected))
                .orElseThrow(() -> tooMany(application));
        if (!registry.exists(application)) {
            // Deleted meanwhile: the next application of that name is not to have it.
            saved.delete(application, target, name, GlobalStore.ANY);
            throw Problems.unknownApplication(application).asException();
        }
        exchange.headers().put("ETag", EntityTag.of(made));
        exchange.json(200, Json.object().put("version", made));
    }

    private void delete(Exchange exchange, Kind kind) throws IOException {
        String application = ApplicationsApi.application(exchange, registry);
        String target = target(exchange, kind);
        String name = name(exchange);
        long expected = EntityTag.expected(exchange);
        if (unlessOvertaken(() -> saved.delete(application, target, name, expected))) {
            exchange.empty(204);
            return;
        }
        ApplicationVersion version = directory.load(application, exchange.query("version"));
        if (filed(version, target).contains(name)) {
            throw Problem.caller(409, "event-is-a-file", "It is a file of the application", "Event '" + name + "' is the file "
                    + path(target, name) + " of version " + version.version() + ": deploy the application without it.").asException();
        }
        throw unknown(application, kind, target, name);
    }

    /** Names of events that are files of that version. */
    private List<String> filed(ApplicationVersion version, String target) throws IOException {
        return files.namesIn(version, folder(target)).stream().filter(file -> file.endsWith(END))
                .map(file -> file.substring(0, file.length() - END.length())).filter(name -> NAME.matcher(name).matches()).toList();
    }

    private static String folder(String target) {
        return "tests/events/" + target;
    }

    private static String path(String target, String name) {
        return folder(target) + "/" + name + END;
    }

    private static String target(Exchange exchange, Kind kind) {
        String target = exchange.path(kind.word);
        if (!Names.isGrain(target)) {
            throw Problems.badRequest("A " + kind.word + "'s name is " + Names.GRAIN + ".").asException();
        }
        return target;
    }

    private static String name(Exchange exchange) {
        String name = exchange.path("event");
        if (!NAME.matcher(name).matches()) {
            throw Problems.badRequest("An event's name is " + NAME.pattern() + ".").asException();
        }
        return name;
    }

    private static <T> T unlessOvertaken(Supplier<T> change) {
        try {
            return change.get();
        } catch (StoreException e) {
            if (e.kind() != StoreException.Kind.CONFLICT) {
                throw e;
            }
            throw Problem.caller(412, "version-conflict", "Somebody else was first", e.actualVersion() == 0
                    ? "There is no saved event of this name." : "The event was saved by somebody else: it has version " + e.actualVersion()
                    + " by now.").with("actual", e.actualVersion()).asException();
        }
    }

    private static ProblemException tooMany(String application) {
        return Problem.caller(409, "too-many-events", "Too many saved events", "Application '" + application + "' has " + SavedEvents.MOST
                + " saved events, and may have no more: delete some, or have them as files in tests/events.").with("limit", SavedEvents.MOST)
                .with("actual", SavedEvents.MOST + 1).asException();
    }

    private static ProblemException unknownTarget(ApplicationVersion version, Kind kind, String target) {
        return Problem.caller(404, "unknown-target", "Unknown " + kind.word, "Version " + version.version() + " of application '"
                + version.application() + "' has no " + kind.word + " '" + target + "'.").asException();
    }

    private static ProblemException unknown(String application, Kind kind, String target, String name) {
        return Problem.caller(404, "unknown-event", "Unknown event", kind.said() + " '" + target + "' of application '" + application
                + "' has no event '" + name + "', neither saved nor as a file.").asException();
    }
}
