package dev.sand.standalone;

import dev.sand.hostagent.dataplane.DataPlane;
import dev.sand.hostagent.dataplane.DataPlaneOptions;
import dev.sand.hostlink.Loop;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import javax.net.ssl.SSLException;

/**
 * Where clients of cloud processes reach this host.
 *
 * @param listen or null: any free port, on the frontend's interface when it is in this process alone, in a cluster on all
 * @param advertise host:port that clients are told, or null: as it listens
 * @param certificate and {@code key}: PEM files, or null: without TLS
 */
record DataPlaneListen(InetSocketAddress listen, String advertise, Path certificate, Path key) {
    static final String USAGE = """
            options of a host's data plane (docs/DATA-PLANE.md):
              --data-listen HOST:PORT    where clients of cloud processes come [any free port; on --listen's interface, in a cluster on all]
              --data-advertise HOST:PORT what they are told [as it listens; in a cluster the host of --advertise]
              --data-certificate FILE    PEM certificate chain: TLS only [none]
              --data-key FILE            its PEM key
            """;

    static DataPlaneListen take(Map<String, String> given) {
        Values values = new Values(given);
        DataPlaneListen taken = new DataPlaneListen(values.address("--data-listen", null), values.text("--data-advertise", null),
                values.path("--data-certificate"), values.path("--data-key"));
        if ((taken.certificate == null) != (taken.key == null)) {
            throw new IllegalArgumentException("--data-certificate and --data-key go together");
        }
        if (taken.advertise != null && taken.advertise.lastIndexOf(':') < 1) {
            throw new IllegalArgumentException("--data-advertise is HOST:PORT, not " + taken.advertise);
        }
        return taken;
    }

    /** Null: none. @throws IllegalArgumentException when the files are not what they should be */
    SslContext tls() {
        if (certificate == null) {
            return null;
        }
        try {
            return SslContextBuilder.forServer(certificate.toFile(), key.toFile()).build();
        } catch (SSLException | IllegalArgumentException e) {
            throw new IllegalArgumentException("--data-certificate " + certificate + " and --data-key " + key + " cannot be used: "
                    + e.getMessage(), e);
        }
    }

    DataPlane open(Options options, DataPlane.Parts parts, Loop thread) throws IOException {
        boolean cluster = options.cluster().isCluster();
        InetSocketAddress address = listen != null ? listen : new InetSocketAddress(cluster ? "0.0.0.0" : options.host(), 0);
        if (address.getPort() != 0) {
            HostSide.checkAddress(address, "--data-listen");
        }
        return new DataPlane(address, advertise, told(options, address), parts, DataPlaneOptions.DEFAULT, thread);
    }

    /** The host that clients are told, when no address is. */
    private static String told(Options options, InetSocketAddress address) {
        String advertised = options.cluster().advertise();
        if (advertised != null) {
            return advertised.substring(0, advertised.lastIndexOf(':'));
        }
        return address.getAddress() != null && address.getAddress().isAnyLocalAddress() ? Machine.name() : address.getHostString();
    }

    void show(Map<String, Object> values) {
        values.put("data-listen", listen == null ? "any free port" : listen);
        if (advertise != null) {
            values.put("data-advertise", advertise);
        }
        if (certificate != null) {
            values.put("data-certificate", certificate);
            values.put("data-key", key + " (masked)");
        }
    }
}
