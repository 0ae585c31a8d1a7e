package dev.sand.hostagent.sandbox;

import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.model.Network;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The network of sandboxes that may have one: they reach what this machine reaches, and not each other, as they would on Docker's own.
 * All hosts of an engine share it, and whoever made one of that name beforehand has the say over it. Looked for each time, since an
 * engine's housekeeping takes away what nobody uses.
 */
final class DockerNetwork {
    static final String NAME = "sand-sandboxes";
    private static final String DOCKERS = "bridge";
    private static final String BETWEEN_CONTAINERS = "com.docker.network.bridge.enable_icc";
    private static final Logger LOG = LoggerFactory.getLogger(DockerNetwork.class);
    private final DockerCalls docker;
    private volatile boolean warned;

    DockerNetwork(DockerCalls docker) {
        this.docker = docker;
    }

    /** @param asked null: none. @return ours for Docker's own; any other as it is */
    String of(String asked) throws SandboxException {
        if (!DOCKERS.equals(asked)) {
            return asked;
        }
        Optional<String> found = find();
        if (found.isPresent()) {
            return found.get();
        }
        try {
            docker.call("make the network " + NAME, client -> {
                try {
                    return client.createNetworkCmd().withName(NAME).withDriver(DOCKERS).withCheckDuplicate(true)
                            .withOptions(Map.of(BETWEEN_CONTAINERS, "false")).exec().getId();
                } catch (ConflictException madeMeanwhile) {
                    return null;
                }
            });
            return find().orElseThrow(() -> new SandboxException("the network " + NAME + " is not there, though it was made"));
        } catch (SandboxException e) {
            if (!warned) {
                warned = true;
                LOG.warn("sandboxes that have a network reach each other: {}", e.getMessage());
            }
            return DOCKERS;
        }
    }

    /** Two that were made at once have one name, and everybody takes the same. */
    private Optional<String> find() throws SandboxException {
        return docker.call("look for the network " + NAME, client -> client.listNetworksCmd().withNameFilter(NAME).exec()).stream()
                .filter(network -> NAME.equals(network.getName())).map(Network::getId).min(Comparator.naturalOrder());
    }
}
