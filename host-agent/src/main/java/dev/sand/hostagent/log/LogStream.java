package dev.sand.hostagent.log;

import dev.sand.datalayer.LogStore.Line;
import dev.sand.hostagent.log.LogProcesses.Attempt;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/**
 * One connection to log.sock: the standard output or error of one process. Its first line says which; where a process serves
 * many events, a marker line begins each attempt; everything else is what the process wrote.
 */
final class LogStream {
    private static final byte MARKER = 0x1e;

    private final SocketChannel channel;
    private final CollectorEndpoint endpoint;
    private final int lineBytes;
    private final LineBuffer lines;
    private boolean headerRead;
    private String stream;
    private String process;
    private LogProcesses.Process owner;
    private AttemptOutput output;
    private Attempt marked;
    private int linesRead;

    LogStream(SocketChannel channel, CollectorEndpoint endpoint, int lineBytes) {
        this.channel = channel;
        this.endpoint = endpoint;
        this.lineBytes = lineBytes;
        this.lines = new LineBuffer(lineBytes);
    }

    /**
     * Reads what is there, at most one buffer full a round, so that no process takes the others' time.
     *
     * @return false when the stream has ended
     */
    boolean read(ByteBuffer buffer) {
        buffer.clear();
        int count;
        try {
            count = channel.read(buffer);
        } catch (IOException e) {
            return false;
        }
        if (count < 0) {
            return false;
        }
        endpoint.catchUp();
        buffer.flip();
        linesRead = 0;
        lines.feed(buffer, this::onLine);
        return true;
    }

    /** Lines that ended in what was read last. */
    int linesRead() {
        return linesRead;
    }

    void close() {
        lines.finish(this::onLine);
        if (output != null) {
            endpoint.outputClosed(process, output);
        }
        try {
            channel.close();
        } catch (IOException e) {
            throw new IllegalStateException("closing a socket failed", e);
        }
    }

    private void onLine(byte[] bytes, int length, boolean ended) {
        linesRead++;
        if (!headerRead) {
            onHeader(new String(bytes, 0, Math.min(length, lineBytes), StandardCharsets.UTF_8));
        } else if (length > 0 && bytes[0] == MARKER) {
            onMarker(new String(bytes, 1, length - 1, StandardCharsets.UTF_8));
        } else {
            onText(bytes, length, ended);
        }
    }

    private void onHeader(String header) {
        headerRead = true;
        stream = header.startsWith("2 ") ? "stderr" : "stdout";
        process = header.length() > 2 ? header.substring(2) : "";
        owner = endpoint.process(process);
        output = endpoint.output(process);
        output.opened();
        if (owner == null || owner.worker) {
            stream = "platform";
        }
    }

    /** "execution event attempt"; an event's id may have spaces, since states' names may. */
    private void onMarker(String marker) {
        int first = marker.indexOf(' ');
        int last = marker.lastIndexOf(' ');
        if (first < 0 || first == last) {
            return;
        }
        try {
            String executionId = marker.substring(0, first);
            marked = new Attempt(executionId, marker.substring(first + 1, last), Integer.parseInt(marker.substring(last + 1)),
                    endpoint.cloudProcess(executionId));
        } catch (NumberFormatException e) {
            return;
        }
        output.begin(marker);
    }

    private void onText(byte[] bytes, int length, boolean ended) {
        if (output.admit(Math.min(length, lineBytes), endpoint.invocationBytes())) {
            String text = masked(bytes, length, ended);
            emit(stream, endpoint.levelOf(text), text);
        } else if (output.firstTruncation()) {
            emit("platform", "warning", "truncated: one attempt's output is kept up to " + endpoint.invocationBytes() + " bytes");
        }
    }

    private String masked(byte[] bytes, int length, boolean ended) {
        if (ended && length <= lineBytes) {
            return endpoint.masks().masked(new String(bytes, 0, length, StandardCharsets.UTF_8));
        }
        int most = length <= lineBytes ? Integer.MAX_VALUE : text(bytes, lineBytes).length();
        return endpoint.masks().masked(text(bytes, length), most, !ended);
    }

    /** Without a character of which there is a part at the end. */
    private static String text(byte[] bytes, int length) {
        int first = length - 1;
        while (first > 0 && first > length - 4 && (bytes[first] & 0xC0) == 0x80) {
            first--;
        }
        int lead = first < 0 ? 0 : bytes[first] & 0xff;
        int size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
        return new String(bytes, 0, first + size > length ? first : length, StandardCharsets.UTF_8);
    }

    private void emit(String lineStream, String level, String text) {
        Attempt attempt = marked != null ? marked : owner != null ? owner.attempt : Attempt.NONE;
        endpoint.emit(new Line(0, endpoint.epochMs(), endpoint.app() == null ? null : endpoint.app().application(),
                endpoint.app() == null ? 0 : endpoint.app().version(), owner == null ? null : owner.grain,
                attempt.executionId(), attempt.eventId(), attempt.number(), lineStream, level, text,
                endpoint.cloudProcess(attempt)));
    }
}
