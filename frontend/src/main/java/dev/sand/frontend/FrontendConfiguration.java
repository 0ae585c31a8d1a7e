package dev.sand.frontend;

import dev.sand.frontend.access.OpenDoor;
import dev.sand.frontend.http.Door;
import dev.sand.frontend.http.Proxies;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * What an operator may set of a frontend.
 *
 * @param host and port to listen on; port 0: any free one
 * @param bodyBytes largest body of an invocation
 * @param archiveBytes largest uploaded archive
 * @param unpackedBytes and entries: most that an archive may unpack to
 * @param syncTimeout deadline of a synchronous request that names none
 * @param asyncTimeout deadline of an asynchronous request that names none
 * @param maxTimeout longest deadline that a request may name
 * @param inFlight most requests that wait for an answer at once
 * @param deployments most deployments at once
 * @param folderDeploy whether a client on this machine may deploy a folder by its path
 * @param work folder for uploads while they are unpacked; emptied at start
 * @param bundles the content-addressed bundles, for grains copied with {@code from:}
 * @param drain how long a stop waits for requests in flight
 * @param idempotencyWindow how long an Idempotency-Key stands for its execution
 * @param door who may come in
 * @param management folder of the management application, which does what the document says that grains do; null: nothing is
 * @param proxies that are believed for whom they ask
 * @param alone no other frontend serves the same applications: nobody has to wait until others see a change
 */
public record FrontendConfiguration(
        String host, int port, int bodyBytes, long archiveBytes, long unpackedBytes, int entries, Duration syncTimeout,
        Duration asyncTimeout, Duration maxTimeout, int inFlight, int deployments, boolean folderDeploy, Path work,
        Path bundles, Duration drain, Duration idempotencyWindow, Door door, boolean alone,
        Path management, Proxies proxies) {

    public static FrontendConfiguration defaults(String host, int port, Path work, Path bundles) {
        return new FrontendConfiguration(host, port, 6 << 20, 256L << 20, 1L << 30, 20_000, Duration.ofSeconds(60),
                Duration.ofMinutes(15), Duration.ofDays(366), 10_000, 4, false, work, bundles, Duration.ofSeconds(20),
                Duration.ofHours(24), new OpenDoor("localhost", List.of()), false, null, Proxies.NONE);
    }

    public FrontendConfiguration withFolderDeploy(boolean allowed) {
        return new FrontendConfiguration(host, port, bodyBytes, archiveBytes, unpackedBytes, entries, syncTimeout,
                asyncTimeout, maxTimeout, inFlight, deployments, allowed, work, bundles, drain,
                idempotencyWindow, door, alone, management, proxies);
    }

    public FrontendConfiguration withBodyBytes(int bytes) {
        return new FrontendConfiguration(host, port, bytes, archiveBytes, unpackedBytes, entries, syncTimeout, asyncTimeout,
                maxTimeout, inFlight, deployments, folderDeploy, work, bundles, drain,
                idempotencyWindow, door, alone, management, proxies);
    }

    public FrontendConfiguration withInFlight(int most) {
        return new FrontendConfiguration(host, port, bodyBytes, archiveBytes, unpackedBytes, entries, syncTimeout, asyncTimeout,
                maxTimeout, most, deployments, folderDeploy, work, bundles, drain,
                idempotencyWindow, door, alone, management, proxies);
    }

    public FrontendConfiguration withDrain(Duration longest) {
        return new FrontendConfiguration(host, port, bodyBytes, archiveBytes, unpackedBytes, entries, syncTimeout, asyncTimeout,
                maxTimeout, inFlight, deployments, folderDeploy, work, bundles, longest,
                idempotencyWindow, door, alone, management, proxies);
    }

    public FrontendConfiguration withIdempotencyWindow(Duration kept) {
        return new FrontendConfiguration(host, port, bodyBytes, archiveBytes, unpackedBytes, entries, syncTimeout, asyncTimeout,
                maxTimeout, inFlight, deployments, folderDeploy, work, bundles, drain, kept, door, alone, management, proxies);
    }

    public FrontendConfiguration withDoor(Door asked) {
        return new FrontendConfiguration(host, port, bodyBytes, archiveBytes, unpackedBytes, entries, syncTimeout, asyncTimeout,
                maxTimeout, inFlight, deployments, folderDeploy, work, bundles, drain, idempotencyWindow, asked, alone, management, proxies);
    }

    public FrontendConfiguration withAlone(boolean nobodyElse) {
        return new FrontendConfiguration(host, port, bodyBytes, archiveBytes, unpackedBytes, entries, syncTimeout, asyncTimeout,
                maxTimeout, inFlight, deployments, folderDeploy, work, bundles, drain, idempotencyWindow, door, nobodyElse, management, proxies);
    }

    public FrontendConfiguration withManagement(Path folder) {
        return new FrontendConfiguration(host, port, bodyBytes, archiveBytes, unpackedBytes, entries, syncTimeout, asyncTimeout,
                maxTimeout, inFlight, deployments, folderDeploy, work, bundles, drain, idempotencyWindow, door, alone, folder, proxies);
    }

    public FrontendConfiguration withProxies(Proxies trusted) {
        return new FrontendConfiguration(host, port, bodyBytes, archiveBytes, unpackedBytes, entries, syncTimeout, asyncTimeout,
                maxTimeout, inFlight, deployments, folderDeploy, work, bundles, drain, idempotencyWindow, door, alone, management, trusted);
    }
}
