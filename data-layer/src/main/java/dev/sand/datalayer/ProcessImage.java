package dev.sand.datalayer;

import java.util.List;

/**
 * A cloud process as the global layer has it (PraaS 3.3): its values laid end to end, cut into chunks. Written and read by
 * {@link ProcessImages}.
 *
 * @param epoch of the owner that wrote it; @param number the last one of its journal that is contained: a journal that was
 *              restored from an older copy goes on behind it
 * @param version of its manifest in the store: another one is another image, or the same that a new owner is about to replace
 * @param head what the owner keeps beside the values
 * @param chunks in order: together as long as the values together
 * @param bytes of all values; @param storedBytes what they take, compressed, with the list of values
 * @param swapped the process is not in memory any more; otherwise this is a checkpoint
 */
public record ProcessImage(String process, long epoch, long number, long version, byte[] head, List<Part> parts, List<Chunk> chunks,
                           long bytes, long storedBytes, long writtenMs, boolean swapped) {
    /** One value. */
    public record Part(String name, String contentType, long size) {}

    /**
     * Bytes that lie in the store under their hash.
     *
     * @param epoch of the owner that stored them; @param hash SHA-256 of the bytes as they are, in hexadecimal
     * @param stored what they take: as long as {@code length} when they are not compressed
     */
    public record Chunk(long epoch, String hash, int length, int stored) {}
}
