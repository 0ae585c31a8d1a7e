package dev.sand.hostagent.sim;

import java.util.List;
import java.util.SplittableRandom;

/** All chance of one simulation, from its seed; how often things go wrong is drawn from it too. */
final class Dice {
    static final long US = 1_000;
    static final long MS = 1_000_000;

    private final SplittableRandom random;
    /** From 0 (nothing goes wrong) to about 3. */
    private double intensity;
    /** Of what came to the simulations later: draws from here leave all others as they were. */
    private final SplittableRandom aside;
    private final double calmness;
    private final Dice parent;

    Dice(long seed) {
        random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + 1);
        intensity = random.nextInt(6) == 0 ? 0 : random.nextDouble() * 2.5 + 0.2;
        aside = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + 2);
        calmness = 1;
        parent = this;
    }

    private Dice(Dice parent, double calmness) {
        this.random = parent.random;
        this.aside = parent.aside;
        this.calmness = calmness;
        this.parent = parent.parent;
    }

    /** The same dice for a place where less goes wrong. */
    Dice calmer(double times) {
        return new Dice(this, calmness * times);
    }

    boolean aside(int percent) {
        return aside.nextInt(100) < percent;
    }

    int aside(int from, int to) {
        return aside.nextInt(from, to);
    }

    void stopFaults() {
        parent.intensity = 0;
    }

    boolean faultsStopped() {
        return parent.intensity == 0;
    }

    /** A fault of that usual probability in percent. */
    boolean fault(double percent) {
        return parent.intensity > 0 && random.nextDouble() * 100 < percent * parent.intensity / calmness;
    }

    boolean percent(double percent) {
        return random.nextDouble() * 100 < percent;
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    long between(long lowNs, long highNs) {
        return random.nextLong(lowNs, highNs + 1);
    }

    <T> T oneOf(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    /** Time on the way to the core: short, now and then long. */
    long hop() {
        return fault(3) ? between(MS, 400 * MS) : between(5 * US, 300 * US);
    }
}
