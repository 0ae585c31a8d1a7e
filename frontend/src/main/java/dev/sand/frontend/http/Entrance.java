package dev.sand.frontend.http;

/** What a door says: who comes in, or with which problem he stays out; one of the two is null. */
public record Entrance(Caller caller, Problem refusal) {
    public static Entrance of(Caller caller) {
        return new Entrance(caller, null);
    }

    public static Entrance refused(Problem why) {
        return new Entrance(null, why);
    }

    /** Of an operation that needs the scope; null: come in. */
    public Problem refusal(Scope needed) {
        return refusal != null ? refusal : caller.refusal(needed);
    }
}
