package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.ApplicationName;
import dev.sand.frontend.FrontendConfiguration;
import dev.sand.frontend.deployment.Deployer;
import dev.sand.frontend.deployment.Deployer.Deployed;
import dev.sand.frontend.deployment.Edits;
import dev.sand.frontend.http.EventStream;
import dev.sand.frontend.http.HttpExchange;
import dev.sand.frontend.http.Gate;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Places;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.Problems;
import dev.sand.frontend.http.Router;
import dev.sand.frontend.http.Scope;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.eclipse.jetty.io.Content;

/**
 * Deploys an uploaded zip, or a folder of this machine where that is allowed. Who accepts events gets the build's progress
 * as it comes; anybody else one answer at the end. With {@code dryRun}, what would change, and nothing is built.
 */
public final class DeploymentApi {
    private static final int FOLDER_BODY_BYTES = 64 * 1024;
    private static final long EDIT_BYTES = 8 << 20;
    private static final String FOLDER_BODY = "The body is a JSON object with \"folder\", the absolute path of an application's folder.";
    private static final long ALIVE_MS = 5_000;
    private static final long LONGEST_UPLOAD_NS = 3_600_000_000_000L;
    /** Each may be on its way for long, and takes room on the disk. */
    private static final int UPLOADS_AT_ONCE = 64;
    private static final int UPLOADS_OF_ONE_TENANT = 8;
    private final Places uploads = new Places(UPLOADS_AT_ONCE, UPLOADS_OF_ONE_TENANT);
    private final Deployer deployer;
    private final FrontendConfiguration configuration;

    public DeploymentApi(Deployer deployer, FrontendConfiguration configuration) {
        this.deployer = deployer;
        this.configuration = configuration;
    }

    public void addTo(Router router) {
        router.onHttp("deploy", this::deploy)
                .onHttp("deployAs", this::deploy)
                .onHttp("edit", this::edit);
    }

    private void deploy(HttpExchange exchange) throws Exception {
        answer(exchange, isJson(exchange) ? FOLDER_BODY_BYTES : configuration.archiveBytes(), received -> unpack(exchange, received));
    }

    /** Some files of the version that the alias names, written anew. */
    private void edit(HttpExchange exchange) throws Exception {
        String application = exchange.path("app");
        String alias = ApplicationsApi.alias(exchange);
        answer(exchange, EDIT_BYTES, received -> work -> deployer.edited(application, alias, Edits.read(Files.readAllBytes(received)), work));
    }

    private void answer(HttpExchange exchange, long limit, Function<Path, Deployer.Upload> unpacking) throws Exception {
        String alias = ApplicationsApi.alias(exchange);
        boolean rehearses = exchange.flag("dryRun");
        // The upload is read whole before anything else begins: whoever sends it slowly holds up no deployment, and a client that writes
        // is not one that reads.
        Path received = receive(exchange, limit);
        try {
            Deployer.Upload upload = unpacking.apply(received);
            if (rehearses) {
                exchange.json(200, deployer.preview(tenant(exchange), exchange.path("app"), alias, upload));
            } else if (EventStream.wanted(exchange)) {
                try (EventStream stream = EventStream.open(exchange)) {
                    stream(exchange, alias, upload, stream);
                }
            } else {
                deployed(exchange, alias, deployer.deploy(tenant(exchange), exchange.path("app"), alias, upload, line -> { }));
            }
        } finally {
            Files.deleteIfExists(received);
        }
    }

    private static void deployed(HttpExchange exchange, String alias, Deployed deployed) {
        name(exchange, alias, deployed);
        if (deployed.created()) {
            exchange.headers().put("Location", ApplicationsApi.ROOT + "/" + deployed.version().application() + "/versions/"
                    + deployed.version().version());
        }
        exchange.json(deployed.created() ? 201 : 200, Deployer.summary(deployed));
    }

    /** The build runs on a thread of its own, so that a slow reader of its progress does not hold it up. */
    private void stream(HttpExchange exchange, String alias, Deployer.Upload upload, EventStream stream) throws Exception {
        BlockingQueue<Object> told = new LinkedBlockingQueue<>();
        Thread.ofVirtual().name("deploy").start(() -> {
            try {
                told.add(deployer.deploy(tenant(exchange), exchange.path("app"), alias, upload, told::add));
            } catch (Throwable e) {
                told.add(Gate.problem(exchange, e));
            }
        });
        Told client = new Told(stream);
        while (true) {
            switch (told.poll(ALIVE_MS, TimeUnit.MILLISECONDS)) {
                case null -> client.tell(EventStream::alive);
                case Deployed deployed -> {
                    name(exchange, alias, deployed);
                    client.tell(to -> to.send("deployed", null, Deployer.summary(deployed)));
                    return;
                }
                case Problem problem -> {
                    exchange.failed(problem);
                    client.tell(to -> to.send("problem", null,
                            Json.MAPPER.readTree(problem.toJson(exchange.request().getHttpURI().getPath()))));
                    return;
                }
                case Object line -> client.tell(to -> to.send("progress", null, Map.of("message", line)));
            }
        }
    }

    /** A client may leave: the deployment goes on without it, and what comes of it is its outcome. */
    private static final class Told {
        private interface Word {
            void on(EventStream stream) throws IOException;
        }

        private final EventStream stream;
        private boolean isGone;

        Told(EventStream stream) {
            this.stream = stream;
        }

        void tell(Word word) {
            if (isGone) {
                return;
            }
            try {
                word.on(stream);
            } catch (IOException e) {
                isGone = true;
            }
        }
    }

    private static String tenant(HttpExchange exchange) {
        String application = exchange.path("app");
        return application == null ? exchange.tenant() : ApplicationName.tenant(application);
    }

    private static void name(HttpExchange exchange, String alias, Deployed deployed) {
        exchange.name("app", deployed.version().application());
        exchange.name("alias", alias);
        exchange.name("version", deployed.version().version());
    }

    private Deployer.Upload unpack(HttpExchange exchange, Path received) {
        if (!isJson(exchange)) {
            return work -> deployer.unpack(received, work);
        }
        return work -> {
            JsonNode folder = JsonBody.object(Files.readAllBytes(received), FOLDER_BODY).path("folder");
            return deployer.copy(folder(exchange, folder), work);
        };
    }

    private static boolean isJson(HttpExchange exchange) {
        String type = exchange.header("Content-Type");
        return type != null && type.startsWith("application/json");
    }

    private Path receive(HttpExchange exchange, long limit) throws IOException {
        long length = exchange.request().getLength();
        if (length > limit) {
            throw Problems.tooLarge("The archive", limit, length).asException();
        }
        String tenant = tenant(exchange);
        if (!uploads.tryTake(tenant)) {
            throw uploads.refusal("uploads").asException();
        }
        try {
            return received(exchange, limit);
        } finally {
            uploads.leave(tenant);
        }
    }

    private Path received(HttpExchange exchange, long limit) throws IOException {
        long untilNs = System.nanoTime() + LONGEST_UPLOAD_NS;
        Path file = Files.createTempFile(configuration.work(), "u", ".zip");
        try (InputStream in = Content.Source.asInputStream(exchange.request()); OutputStream out = Files.newOutputStream(file)) {
            byte[] buffer = new byte[64 * 1024];
            long size = 0;
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                size += n;
                if (size > limit) {
                    throw Problems.tooLarge("The archive", limit, size).asException();
                }
                if (System.nanoTime() - untilNs > 0) {
                    throw Problems.uploadTooSlow(size).asException();
                }
                out.write(buffer, 0, n);
            }
            return file;
        } catch (Throwable e) {
            Files.deleteIfExists(file);
            throw e;
        }
    }

    private Path folder(HttpExchange exchange, JsonNode name) {
        boolean local = exchange.request().getConnectionMetaData().getRemoteSocketAddress() instanceof InetSocketAddress address
                && address.getAddress().isLoopbackAddress() && exchange.header("Origin") == null;
        if (!configuration.folderDeploy() || !local || !exchange.caller().may(Scope.OPERATOR)) {
            throw Problem.caller(403, "denied", "Not allowed",
                    "A folder is deployed by its path only from this machine, and where the platform allows it.").asException();
        }
        try {
            Path folder = Path.of(name.asText());
            if (name.isTextual() && folder.isAbsolute() && Files.isDirectory(folder)) {
                return folder;
            }
        } catch (InvalidPathException e) {
            // Said below.
        }
        throw Problems.badRequest("\"folder\" is the absolute path of an application's folder, not "
                + (name.isMissingNode() ? "missing" : name) + ".").asException();
    }
}
