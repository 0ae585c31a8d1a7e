package dev.sand.hostagent.process;

/** One run of a function in a process. What an earlier attempt did, and did not finish, is undone. */
public record Attempt(String eventId, int number) {}
