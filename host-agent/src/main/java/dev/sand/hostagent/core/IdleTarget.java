package dev.sand.hostagent.core;

/**
 * How many instances a grain keeps waiting: at least its minimum, one more than ran at once lately, and at most its maximum;
 * after a quiet period it goes half of the way back down. Arithmetic only: {@link InstancePool} forks and dismisses.
 */
final class IdleTarget {
    private final int min;
    private final int max;
    private int target;
    private int peak;

    IdleTarget(int min, int max) {
        this.min = min;
        this.max = Math.max(min, max);
        this.target = min;
    }

    /** @param running attempts at once, this one included */
    void onHandOver(int running) {
        peak = Math.max(peak, running);
        target = Math.max(target, Math.min(max, running + 1));
    }

    /** An event found no instance waiting. @param wanted attempts that could run at once now */
    void onMiss(int wanted) {
        onHandOver(wanted);
    }

    /** Called once a period. */
    void review() {
        int needed = peak == 0 ? min : Math.clamp(peak + 1L, min, max);
        if (needed < target) {
            target -= (target - needed + 1) / 2;
        }
        peak = 0;
    }

    int current() {
        return target;
    }

    /** Below this, the pool is filled up at once; above, when it disturbs nobody. */
    int comfortable() {
        return target / 2;
    }
}
