package dev.sand.frontend.hosts;

import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Who waits for an answer, and counts the answers. */
final class Caller implements InvocationListener {
    final CompletableFuture<Void> accepted = new CompletableFuture<>();
    final CompletableFuture<InvocationResult> ended = new CompletableFuture<>();
    final AtomicInteger answers = new AtomicInteger();
    volatile boolean wantsEnd = true;

    static InvocationRequest request(String id, String target, byte[] input, long timeoutMs, boolean durable) {
        return new InvocationRequest(id, "demo", 1, target, new Payload(Payload.OCTETS, input, null), timeoutMs, durable, null);
    }

    @Override
    public void onAccepted() {
        accepted.complete(null);
    }

    @Override
    public void onEnd(InvocationResult result) {
        answers.incrementAndGet();
        ended.complete(result);
    }

    @Override
    public boolean wantsEnd() {
        return wantsEnd;
    }

    InvocationResult result() throws Exception {
        return ended.get(20, TimeUnit.SECONDS);
    }

    void awaitAccepted() throws Exception {
        accepted.get(20, TimeUnit.SECONDS);
    }
}
