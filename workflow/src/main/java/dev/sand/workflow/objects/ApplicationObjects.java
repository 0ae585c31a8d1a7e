package dev.sand.workflow.objects;

import java.io.IOException;
import java.util.List;

/** An application's objects, as a Map that reads or writes them needs them. All calls may block. */
public interface ApplicationObjects {
    /** @param sha256 of the content in hexadecimal, or null when that is not known */
    record Info(long version, long size, String sha256) {}

    /** @return null when there is no such object; @throws IOException when that cannot be told */
    Info info(String key) throws IOException;

    /** @return the bytes from the offset on, at most {@code length}; @throws IOException when the object is not at this version */
    byte[] read(String key, long version, long offset, int length) throws IOException;

    /** Keys with the prefix, in order, behind {@code after} (null: from the first one). */
    List<String> keys(String prefix, String after, int limit) throws IOException;

    /**
     * Writes part of an object, which is made if need be. Doing it again changes nothing.
     *
     * @param isLast the object ends with it
     */
    void write(String key, String contentType, long offset, byte[] bytes, boolean isLast) throws IOException;
}
