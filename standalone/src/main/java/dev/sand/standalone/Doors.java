package dev.sand.standalone;

import dev.sand.frontend.access.KeyedDoor;
import dev.sand.frontend.access.OpenDoor;
import dev.sand.frontend.access.OperatorKey;
import dev.sand.frontend.http.Door;
import dev.sand.hostagent.sandbox.SandboxConfiguration;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.slf4j.LoggerFactory;

/**
 * Who a frontend lets in, by where it listens: whoever is on this machine, as long as nobody has an account, or who shows who he is.
 * Where other machines reach it, everybody has to.
 */
final class Doors {
    private static final String NAME = "[A-Za-z0-9]([A-Za-z0-9.-]{0,252})";

    private Doors() {}

    /** What the operator asks for is not to be had. */
    static final class Refusal extends IllegalArgumentException {
        private static final long serialVersionUID = 1;

        Refusal(String why) {
            super(why);
        }
    }

    /** @throws IllegalArgumentException for options that do not go together */
    static void check(Options options) {
        boolean open = options.operatorKey() == null;
        if (!options.cluster().role().hasFrontend()) {
            if (!open || !options.allowHosts().isEmpty()) {
                throw new IllegalArgumentException("--operator-key and --allow-host are a frontend's, and --role host has none");
            }
            return;
        }
        if (!open && !options.allowHosts().isEmpty()) {
            throw new IllegalArgumentException("--allow-host is for a platform without a key; with --operator-key any name will do");
        }
    }

    /** @param accounts whether anybody has one. @throws Refusal when others reach the platform, and it could ask nobody who he is */
    static void check(Options options, boolean accounts) {
        if (options.operatorKey() == null && !accounts && !isThisMachineAlone(options.host())) {
            throw new Refusal("--listen " + options.host() + ":" + options.port() + " is not an address of this machine alone, and there is no"
                    + " account: whoever reaches it could do everything. Name a file with --operator-key, whose key callers have to show"
                    + " (openssl rand -base64 48 | tr -d '\\n' makes one), or start it once on 127.0.0.1 with --management on and run"
                    + " 'sand account create NAME'");
        }
        LoggerFactory.getLogger(Doors.class).info(accounts ? "closed: there are accounts, and whoever asks has to sign in or to show a key"
                : options.operatorKey() != null ? "closed: whoever asks has to show a key"
                : "open: no account; whoever is on this machine may do everything. 'sand account create NAME' makes one, with --management on;"
                        + " --operator-key FILE asks for a key");
    }

    /** Its addresses count, not its name; one that nobody knows now may be known when it is listened on. */
    static boolean isThisMachineAlone(String host) {
        try {
            return Arrays.stream(InetAddress.getAllByName(host)).allMatch(InetAddress::isLoopbackAddress);
        } catch (UnknownHostException e) {
            return false;
        }
    }

    /** Plain processes have no wall between applications: where others reach the platform they are only what was asked for by name. */
    static SandboxConfiguration.Kind sandbox(SandboxConfiguration.Kind asked, boolean reached) {
        return asked == SandboxConfiguration.Kind.AUTO && reached ? SandboxConfiguration.Kind.DOCKER : asked;
    }

    /** @param text names with commas between them */
    static List<String> names(String text) {
        List<String> names = new ArrayList<>();
        for (String name : text.isBlank() ? new String[0] : text.split(",")) {
            if (!name.strip().matches(NAME)) {
                throw new IllegalArgumentException("--allow-host: '" + name + "' is no name of a host; it has no port");
            }
            names.add(name.strip());
        }
        return List.copyOf(names);
    }

    static Door of(Options options) throws IOException {
        if (options.operatorKey() != null) {
            return new KeyedDoor(OperatorKey.read(options.operatorKey()));
        }
        return isThisMachineAlone(options.host()) ? new OpenDoor(options.host(), options.allowHosts()) : new KeyedDoor(null);
    }
}
