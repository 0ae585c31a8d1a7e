package dev.sand.frontend.http;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.http.HttpFields;

/** Proxies that are believed from whom they bring what: anybody else can write anything into that header. */
public final class Proxies {
    public static final Proxies NONE = new Proxies(List.of());
    private static final String FORWARDED_FOR = "X-Forwarded-For";
    private static final String DIGITS = "[0-9a-fA-F.:]+";
    private final List<Network> networks;

    private record Network(byte[] address, int bits) {
        boolean has(byte[] other) {
            if (other.length != address.length) {
                return false;
            }
            for (int bit = 0; bit < bits; bit++) {
                if (((address[bit / 8] ^ other[bit / 8]) >> 7 - bit % 8 & 1) != 0) {
                    return false;
                }
            }
            return true;
        }
    }

    private Proxies(List<Network> networks) {
        this.networks = List.copyOf(networks);
    }

    /** @param text addresses, or networks as {@code 10.1.0.0/16}, with commas between them. @throws IllegalArgumentException */
    public static Proxies of(String text) {
        List<Network> networks = new ArrayList<>();
        for (String each : text.isBlank() ? new String[0] : text.split(",", -1)) {
            String[] parts = each.strip().split("/", 2);
            byte[] address = address(parts[0]);
            int most = address == null ? 0 : address.length * 8;
            if (address == null || parts.length == 2 && !(parts[1].matches("[0-9]{1,3}") && Integer.parseInt(parts[1]) <= most)) {
                throw new IllegalArgumentException("'" + each.strip() + "' is no address, and no network like 10.1.0.0/16");
            }
            networks.add(new Network(address, parts.length == 2 ? Integer.parseInt(parts[1]) : most));
        }
        return new Proxies(networks);
    }

    /** @param peer at the other end of the connection, or null. @return the last in the row that is none of them */
    String client(String peer, HttpFields headers) {
        String client = peer;
        List<String> brought = networks.isEmpty() ? List.of() : headers.getValuesList(FORWARDED_FOR);
        List<String> row = brought.stream().flatMap(line -> List.of(line.split(",")).stream()).map(String::strip).toList();
        for (int i = row.size() - 1; i >= 0 && isOne(client); i--) {
            if (address(row.get(i)) == null) {
                return client;
            }
            client = row.get(i);
        }
        return client;
    }

    private boolean isOne(String text) {
        byte[] address = text == null ? null : address(text);
        return address != null && networks.stream().anyMatch(network -> network.has(address));
    }

    /** Null: it is none. Names are not looked up. */
    private static byte[] address(String text) {
        try {
            return text.matches(DIGITS) && (text.indexOf(':') >= 0 || text.matches("([0-9]{1,3}\\.){3}[0-9]{1,3}"))
                    ? InetAddress.getByName(text).getAddress() : null;
        } catch (UnknownHostException e) {
            return null;
        }
    }
}
