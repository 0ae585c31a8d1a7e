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

    /** What a topic of that application is for: the first part of its name. */
    public static String purpose(String topic) {
        return topic.substring(0, topic.indexOf('.'));
    }

    /** The grain whose {@link #work} it is, or null. */
    public static String grainOf(String application, String topic) {
        String prefix = work(application, "");
        return topic.startsWith(prefix) ? topic.substring(prefix.length()) : null;
    }

    /** Whether the topic is one of that application's, of whichever version. */
    public static boolean isOf(String application, String topic) {
        return topic.equals(journal(application)) || topic.equals(requests(application)) || topic.equals(returns(application))
                || topic.startsWith("work." + application + ".");
    }
}
