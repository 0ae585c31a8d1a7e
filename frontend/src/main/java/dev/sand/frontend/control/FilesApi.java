package dev.sand.frontend.control;

import dev.sand.datalayer.Registry;
import dev.sand.event.ApplicationVersion;
import dev.sand.frontend.deployment.VersionFiles;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.Problems;
import dev.sand.frontend.http.Router;
import dev.sand.frontend.invoke.Directory;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The files of versions, and what differs between two of them. */
public final class FilesApi {
    private final Registry registry;
    private final Directory directory;
    private final VersionFiles files;

    public FilesApi(Registry registry, Directory directory, VersionFiles files) {
        this.registry = registry;
        this.directory = directory;
        this.files = files;
    }

    public void addTo(Router router) {
        router.on("listFiles", exchange -> exchange.json(200, files.list(version(exchange, exchange.path("version")))))
                .onHttp("readFile", this::read)
                .on("compareVersions", this::compare);
    }

    private ApplicationVersion version(Exchange exchange, String version) {
        return directory.load(ApplicationsApi.application(exchange, registry), version);
    }

    /** Never as anything that a browser would run. */
    private void read(Exchange exchange) throws IOException {
        byte[] content = files.read(version(exchange, exchange.path("version")), wanted(exchange, "path"));
        exchange.headers().put("Content-Disposition", "attachment");
        exchange.bytes(200, "application/octet-stream", ByteBuffer.wrap(content));
    }

    private void compare(Exchange exchange) throws IOException {
        exchange.json(200, files.differences(version(exchange, exchange.path("version")), version(exchange, wanted(exchange, "to"))));
    }

    private static String wanted(Exchange exchange, String name) {
        String value = exchange.query(name);
        if (value == null || value.isEmpty()) {
            throw Problems.badRequest("The query parameter '" + name + "' is missing.").asException();
        }
        return value;
    }
}
