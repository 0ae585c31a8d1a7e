package dev.sand.hostagent.work;

import dev.sand.event.Topics;

/** What a topic between hosts is for, by its name. */
final class WorkTopics {
    private static final String WORK = "work.";
    private static final String RETURNS = Topics.returns("");
    private static final String REQUESTS = Topics.requests("");

    private WorkTopics() {}

    static boolean isWork(String topic) {
        return topic.startsWith(WORK);
    }

    static boolean isReturns(String topic) {
        return topic.startsWith(RETURNS);
    }

    static boolean isRequests(String topic) {
        return topic.startsWith(REQUESTS);
    }
}
