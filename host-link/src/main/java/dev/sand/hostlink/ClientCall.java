package dev.sand.hostlink;

import dev.sand.event.HostAgentPort.BuildException;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import dev.sand.event.thrift.network.Accepted;
import dev.sand.event.thrift.network.Ended;
import dev.sand.event.thrift.network.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/** A call that is under way: what its answers mean. On the event loop. */
sealed interface ClientCall {
    /** @return whether that was its last answer */
    boolean onAnswer(long call, Message answer);

    void onBroken(String why);

    /** An execution's, whose output may come in chunks after its end was told. */
    final class OfInvocation implements ClientCall {
        private final ClientConnection connection;
        private final HostPeer.Answers answers;

        OfInvocation(ClientConnection connection, HostPeer.Answers answers) {
            this.connection = connection;
            this.answers = answers;
        }

        @Override
        public boolean onAnswer(long call, Message answer) {
            switch (answer.getSetField()) {
                case ACCEPTED -> {
                    answers.onAccepted(answer.getAccepted().getSlot(), answer.getAccepted().getEpoch());
                    return false;
                }
                case ENDED -> {
                    return onEnded(call, answer.getEnded());
                }
                default -> throw new LinkException(answer.getSetField() + " is no answer to an invocation");
            }
        }

        private boolean onEnded(long call, Ended ended) {
            if (!ended.isSetOutput()) {
                answers.onEnd(ended.getSlot(), ended.getEpoch(), result(ended, null));
                return true;
            }
            boolean here = ended.getOutput().isSetBytes();
            connection.receive(call, ended.getOutput(), bytes -> {
                connection.remove(call);
                answers.onEnd(ended.getSlot(), ended.getEpoch(),
                        result(ended, new Payload(ended.getOutput().getContentType(), bytes, null)));
            }, why -> {
                // The output is lost on its way, not the execution: whoever asks again gets it.
                if (connection.remove(call)) {
                    answers.onBroken(why);
                }
            });
            return here;
        }

        private static InvocationResult result(Ended ended, Payload output) {
            List<InvocationResult.Hop> hops = new ArrayList<>(ended.getHops().size());
            ended.getHops().forEach(hop -> hops.add(Wire.hop(hop)));
            return new InvocationResult(ended.getExecutionId(), Wire.name(InvocationResult.Status.class, ended.getStatus()), output,
                    ended.isSetFailure() ? Wire.failure(ended.getFailure()) : null, hops);
        }

        @Override
        public void onBroken(String why) {
            answers.onBroken(why);
        }
    }

    /** A watch's. */
    final class OfWatch implements ClientCall {
        private final HostPeer.Progress progress;

        OfWatch(HostPeer.Progress progress) {
            this.progress = progress;
        }

        @Override
        public boolean onAnswer(long call, Message answer) {
            switch (answer.getSetField()) {
                case HOPPED -> {
                    progress.onHop(Wire.hop(answer.getHopped().getHop()));
                    return false;
                }
                case WATCH_ENDED -> {
                    progress.onEnd(answer.getWatchEnded().getEpoch());
                    return true;
                }
                default -> throw new LinkException(answer.getSetField() + " is no answer to a watch");
            }
        }

        @Override
        public void onBroken(String why) {
            progress.onBroken(why);
        }
    }

    /** Of one question with one answer, and maybe lines of progress before it, or that it is accepted. */
    final class OfQuestion<T> implements ClientCall {
        private final Function<Message, T> answer;
        private final Consumer<String> progress;
        /** Null: it is not told of that before its answer. */
        private final Consumer<Accepted> accepted;
        private final CompletableFuture<T> future = new CompletableFuture<>();

        OfQuestion(Function<Message, T> answer) {
            this(answer, line -> { }, null);
        }

        OfQuestion(Function<Message, T> answer, Consumer<String> progress) {
            this(answer, progress, null);
        }

        private OfQuestion(Function<Message, T> answer, Consumer<String> progress, Consumer<Accepted> accepted) {
            this.answer = answer;
            this.progress = progress;
            this.accepted = accepted;
        }

        /** @param accepted given what comes before its answer; null: nothing does */
        static <T> OfQuestion<T> accepted(Function<Message, T> answer, Consumer<Accepted> accepted) {
            return new OfQuestion<>(answer, line -> { }, accepted);
        }

        CompletableFuture<T> future() {
            return future;
        }

        @Override
        public boolean onAnswer(long call, Message message) {
            if (message.isSetAccepted() && accepted != null) {
                accepted.accept(message.getAccepted());
                return false;
            }
            switch (message.getSetField()) {
                case PROGRESS -> {
                    progress.accept(message.getProgress().getLine());
                    return false;
                }
                case FAILED -> {
                    var failure = Wire.failure(message.getFailed().getFailure());
                    future.completeExceptionally(message.getFailed().isBuild() ? new BuildException(failure)
                            : new LinkException(failure.cause()));
                }
                default -> {
                    try {
                        future.complete(answer.apply(message));
                    } catch (RuntimeException e) {
                        // Of another kind than the question's: Thrift's unions say so by throwing.
                        throw new LinkException(message.getSetField() + " is not the answer to what was asked");
                    }
                }
            }
            return true;
        }

        @Override
        public void onBroken(String why) {
            future.completeExceptionally(new LinkException(why));
        }
    }
}
