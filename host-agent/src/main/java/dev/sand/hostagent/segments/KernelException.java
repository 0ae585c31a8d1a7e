package dev.sand.hostagent.segments;

import java.io.IOException;

/** A system call that failed, with its error number. */
final class KernelException extends IOException {
    private static final long serialVersionUID = 1L;
    private final int errno;

    KernelException(String call, int errno, String message) {
        super(call + ": " + message);
        this.errno = errno;
    }

    /** Memory or descriptors have run out: of the host, not of what was asked. */
    boolean isShortage() {
        return errno == Kernel.ENOMEM || errno == Kernel.ENOSPC || errno == Kernel.EMFILE || errno == Kernel.ENFILE;
    }
}
