package dev.sand.event;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The topics of an application on the global bus: made at its deployment, one partition a slot, and deleted with it. An
 * application's name has no dot, so that no name is the beginning of another application's.
 */
public final class Topics {
    private Topics() {}

    /** Backups and condition flags. */
    public static String journal(String application) {
        return "journal." + application;
    }

    /** Whose {@link #journal} that is. */
    public static String applicationOfJournal(String topic) {
        return topic.substring(topic.indexOf('.') + 1);
    }

    /** Requests that no owner could be reached for: {@link RequestRecord}. */
    public static String requests(String application) {
        return "requests." + application;
    }

    /** Results of events that ran on another host than their execution's owner. */
    public static String returns(String application) {
        return "returns." + application;
    }

    /** Events of the grain that are to run on another host. */
    public static String work(String application, String grain) {
        return "work." + application + "." + grain;
    }

    public static List<String> of(String application, Collection<String> grains) {
        List<String> topics = new ArrayList<>(List.of(journal(application), requests(application), returns(application)));
        grains.forEach(grain -> topics.add(work(application, grain)));
        return topics;
    }

    /** Messages that wait in a queue or for a trigger; made when the first version that has it is deployed. */
    public static String queue(String application, String queue) {
        return "queue." + application + "." + queue;
    }

    /** What a topic of the platform is for: the first part of its name. */
    public static String purpose(String topic) {
        int dot = topic.indexOf('.');
        return dot < 0 ? topic : topic.substring(0, dot);
    }

    /** Whether it looks like one of the platform's, of an application or the membership: a bus may be shared with somebody else. */
    public static boolean isOurs(String topic) {
        return topic.split("\\.", -1).length == switch (purpose(topic)) {
            case "slots", "hosts" -> 1;
            case "journal", "requests", "returns" -> 2;
            case "work", "queue" -> 3;
            default -> 0;
        };
    }

    /** The application whose topic it is, or null: it is that of all. */
    public static String applicationOf(String topic) {
        String[] parts = topic.split("\\.", 3);
        return parts.length > 1 ? parts[1] : null;
    }

    /** The grain whose {@link #work} it is, or the {@link #queue}; or null. */
    public static String nameIn(String topic) {
        String[] parts = topic.split("\\.", 3);
        return parts.length > 2 ? parts[2] : null;
    }

    /** Whether the topic is one of that application's, of whichever version, and no queue. */
    public static boolean isOf(String application, String topic) {
        return isOurs(topic) && application.equals(applicationOf(topic)) && !purpose(topic).equals("queue");
    }
}
