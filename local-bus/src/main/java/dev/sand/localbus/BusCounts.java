package dev.sand.localbus;

/**
 * @param connections open now
 * @param accepted since the start
 * @param refused over the limit of connections of one sandbox
 * @param violations connections closed for what they sent
 */
public record BusCounts(long connections, long accepted, long refused, long violations) {}
