package dev.sand.hostagent.mask;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/**
 * What masking a line costs. Prints the median in microseconds of a line of 1 KiB with 20 secrets in all their forms, of the
 * same with one of them in it, and of a search for each form by itself, and for three a secret; and what making the masks costs.
 */
final class MasksBench {
    private static final int ROUNDS = 20_000;

    private MasksBench() {}

    public static void main(String[] args) {
        Random random = new Random(1);
        List<String> secrets = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            secrets.add("key-" + Long.toString(random.nextLong(), 36) + (i % 4 == 0 ? "\"\\é" : "") + Long.toString(random.nextLong(), 36));
        }
        StringBuilder words = new StringBuilder("{\"level\":\"info\",\"message\":\"");
        while (words.length() < 1022) {
            words.append(Long.toString(random.nextLong(1 << 20), 36)).append(' ');
        }
        String line = words.substring(0, 1022) + "\"}";
        Masks masks = Masks.of(secrets);
        List<String> forms = masks.forms();
        System.out.println(forms.size() + " forms of " + secrets.size() + " secrets");
        print("a line of 1 KiB", () -> masks.masked(line));
        String told = line.substring(0, 500) + secrets.get(7) + line.substring(500);
        print("with a secret in it", () -> masks.masked(told));
        print("each form searched for by itself", () -> {
            String masked = line;
            for (String form : forms) {
                masked = masked.replace(form, "***");
            }
            return masked;
        });
        print("three forms a secret, each searched for by itself", () -> {
            String masked = line;
            for (String form : forms.subList(0, 60)) {
                masked = masked.replace(form, "***");
            }
            return masked;
        });
        print("making them", () -> Masks.of(secrets).masked(""));
    }

    private static void print(String name, Supplier<String> work) {
        long[] took = new long[ROUNDS];
        int length = 0;
        for (int round = 0; round < 2 * ROUNDS; round++) {
            long from = System.nanoTime();
            length += work.get().length();
            took[round % ROUNDS] = System.nanoTime() - from;
        }
        Arrays.sort(took);
        System.out.printf("%-55s %8.2f µs (%d)%n", name, took[ROUNDS / 2] / 1e3, length % 10);
    }
}
