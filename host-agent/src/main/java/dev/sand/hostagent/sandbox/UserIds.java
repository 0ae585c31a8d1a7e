package dev.sand.hostagent.sandbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * User ids of sandboxes, one each: the kernel counts processes by user id across containers, and keeps users apart where a
 * container's wall fails. Starts anywhere in the range, so that two host agents on one machine do not meet.
 */
final class UserIds {
    static final int INSTALLER = 199_999;
    private static final int FIRST = 200_000;
    private static final int COUNT = 1 << 20;
    /** What an engine with a user namespace of its own (rootless, userns-remap) maps: 65,536 ids. */
    private static final int FIRST_MAPPED = 20_000;
    private static final int COUNT_MAPPED = 40_000;

    private final int first;
    private final int count;
    private final AtomicInteger next;

    UserIds(boolean mapped) {
        first = mapped ? FIRST_MAPPED : FIRST;
        count = mapped ? COUNT_MAPPED : COUNT;
        next = new AtomicInteger(ThreadLocalRandom.current().nextInt(count));
    }

    int take() {
        return first + Math.floorMod(next.getAndIncrement(), count);
    }

    /** This process's own, as the owner of a folder it made. */
    static int own(Path madeByUs) {
        try {
            return (Integer) Files.getAttribute(madeByUs, "unix:uid");
        } catch (IOException e) {
            throw new UncheckedIOException("cannot tell who owns " + madeByUs, e);
        }
    }
}
