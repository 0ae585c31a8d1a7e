package dev.sand.dataplane.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.regex.Pattern;

/** Where a process is, and the grant for it: what the control plane answers. */
record Place(String address, boolean tls, String grant) {
    private static final Pattern ADDRESS = Pattern.compile(".+:\\d{1,5}");
    private static final int SHOWN_CHARS = 100;

    /** @throws IOException when it is none: something between may have answered, and no longer does later */
    static Place of(String answer, JsonNode document) throws IOException {
        Place place = new Place(document.path("address").asText(), document.path("tls").asBoolean(), document.path("grant").asText());
        if (!ADDRESS.matcher(place.address).matches() || place.port() > 0xFFFF || place.grant.isEmpty()) {
            String shown = answer.length() <= SHOWN_CHARS ? answer : answer.substring(0, SHOWN_CHARS) + "…";
            throw new IOException("the control plane's answer is no grant: " + shown);
        }
        return place;
    }

    String host() {
        return address.substring(0, address.lastIndexOf(':'));
    }

    int port() {
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }
}
