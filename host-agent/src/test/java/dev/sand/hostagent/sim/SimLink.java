package dev.sand.hostagent.sim;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * What leaves a host's process and comes to it. What leaves over one channel keeps its order; it waits inside while the
 * process is paused or cut off the network, and is lost with the process, but for what the network has already. So a host
 * that wakes up sends, late, what it meant to send long ago.
 */
final class SimLink {
    private static final class Channel {
        long lastNs;
        final ArrayDeque<Runnable> blocked = new ArrayDeque<>();
    }

    private final Schedule schedule;
    private final Dice dice;
    private final Map<String, Channel> channels = new HashMap<>();
    private final ArrayDeque<Runnable> arrived = new ArrayDeque<>();
    private int life;
    private boolean paused;
    private boolean cut;
    /** What runs now was sent by a process that is gone. */
    private boolean ghost;

    SimLink(Schedule schedule, Dice dice) {
        this.schedule = schedule;
        this.dice = dice;
    }

    boolean isPaused() {
        return paused;
    }

    boolean isOpen() {
        return !paused && !cut;
    }

    /** Which start of the process this is. */
    int life() {
        return life;
    }

    void pause(boolean now) {
        paused = now;
        flush();
    }

    void cut(boolean now) {
        cut = now;
        flush();
    }

    private void flush() {
        while (!paused && !arrived.isEmpty()) {
            arrived.poll().run();
        }
        if (isOpen()) {
            channels.values().forEach(channel -> {
                while (isOpen() && !channel.blocked.isEmpty()) {
                    channel.blocked.poll().run();
                }
            });
        }
    }

    /** The process is gone. */
    void died() {
        life++;
        paused = false;
        cut = false;
        arrived.clear();
        channels.clear();
    }

    void out(String channelName, Runnable there) {
        Channel channel = channels.computeIfAbsent(channelName, name -> new Channel());
        long delayNs = dice.fault(4) ? dice.between(5 * Dice.MS, 250 * Dice.MS) : dice.between(20 * Dice.US, 2 * Dice.MS);
        channel.lastNs = Math.max(channel.lastNs, schedule.nowNs() + delayNs);
        int mine = life;
        schedule.at(channel.lastNs, () -> {
            if (mine != life) {
                if (dice.percent(30)) {
                    sendLast(there); // the network had it
                }
            } else if (isOpen() && channel.blocked.isEmpty()) {
                there.run();
            } else {
                channel.blocked.add(there);
            }
        });
    }

    /** Nobody hears the answer any more. */
    private void sendLast(Runnable there) {
        ghost = true;
        there.run();
        ghost = false;
    }

    /** From the network: what comes for a process that is gone is lost. */
    void in(Runnable here) {
        if (!ghost) {
            inAfter(dice.between(20 * Dice.US, Dice.MS), here);
        }
    }

    /** What is sent by others. */
    void fromOthers(Runnable here) {
        inAfter(dice.between(20 * Dice.US, Dice.MS), here);
    }

    private void inAfter(long delayNs, Runnable here) {
        int meant = life;
        schedule.after(delayNs, () -> {
            if (meant != life) {
                return;
            }
            if (cut) {
                inAfter(10 * Dice.MS, here);
            } else {
                inside(here);
            }
        });
    }

    /** Within the host: it waits only while the process is paused. */
    void inside(Runnable here) {
        if (paused) {
            arrived.add(here);
        } else {
            here.run();
        }
    }
}
