package dev.sand.event;

/**
 * What somebody wants done with a cloud process (PraaS, Listing 2).
 *
 * @param version of the application, resolved: whose {@code processes:} a new process has
 */
public record ProcessCommand(String application, int version, String process, Kind kind) {
    public enum Kind { CREATE, DESCRIBE, KILL }
}
