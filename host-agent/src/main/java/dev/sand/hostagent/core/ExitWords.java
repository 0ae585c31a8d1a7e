package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec;
import dev.sand.event.SandboxSpec;
import java.util.Locale;

/** The end of an instance's process, in words for whoever's event it ran. */
final class ExitWords {
    private static final int SIGKILL = 9;

    private ExitWords() {}

    /** @param note what the worker knows beyond the signal, or null */
    static Failure crash(GrainSpec grain, String instance, int exitCode, int signal, long peakMemoryBytes, String note,
                         SandboxSpec sandbox) {
        String known = note == null || note.isEmpty() ? "" : " (" + note + ")";
        if (signal == SIGKILL) {
            long limit = grain.instanceMemoryBytes(sandbox);
            boolean saysMemory = note != null && note.toLowerCase(Locale.ROOT).contains("memory");
            if (saysMemory || peakMemoryBytes >= limit - limit / 8) {
                return Failure.limit(Errors.OUT_OF_MEMORY, "instance " + instance + " of grain " + grain.name()
                        + " was killed for the memory it took: its peak was " + mebibytes(peakMemoryBytes) + " and the limit is "
                        + mebibytes(limit) + known + "; raise the grain's or the sandbox's memory, or use less",
                        Failure.Source.GRAIN, limit, peakMemoryBytes);
            }
        }
        String how = signal != 0
                ? "was ended by signal " + signal + " (" + signalName(signal) + ")"
                : "exited with code " + exitCode;
        return Failure.grain(Errors.CRASHED, "instance " + instance + " of grain " + grain.name() + " " + how
                + " before its handler returned" + known, null);
    }

    static Failure crashUnexplained(GrainSpec grain, String instance) {
        return Failure.grain(Errors.CRASHED, "instance " + instance + " of grain " + grain.name()
                + " closed its connection before its handler returned; how its process ended is not known", null);
    }

    private static String mebibytes(long bytes) {
        return (bytes >> 20) + " MiB";
    }

    private static String signalName(int signal) {
        return switch (signal) {
            case 1 -> "SIGHUP";
            case 2 -> "SIGINT";
            case 3 -> "SIGQUIT";
            case 4 -> "SIGILL: illegal instruction";
            case 6 -> "SIGABRT: abort";
            case 7 -> "SIGBUS: bad memory access";
            case 8 -> "SIGFPE: arithmetic error";
            case SIGKILL -> "SIGKILL";
            case 11 -> "SIGSEGV: segmentation fault";
            case 13 -> "SIGPIPE";
            case 14 -> "SIGALRM";
            case 15 -> "SIGTERM";
            case 24 -> "SIGXCPU: CPU limit";
            case 25 -> "SIGXFSZ: file size limit";
            case 31 -> "SIGSYS: forbidden system call";
            default -> "signal " + signal;
        };
    }
}
