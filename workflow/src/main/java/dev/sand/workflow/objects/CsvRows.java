package dev.sand.workflow.objects;

import dev.sand.workflow.data.WorkflowLimits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Rows of delimited text, of which the place of each is known, so that reading can go on behind any. Fields in double quotes may
 * have delimiters and line ends in them. By the rules of AWS's guide, which go beyond RFC 4180, a doubled quote stands for one
 * outside quotes too, and a backslash before a quote, a backslash or the delimiter takes its meaning from it; before anything else
 * it is passed over. So are lines without a character.
 */
final class CsvRows {
    private final RangeStream stream;
    private final int delimiter;
    private final ByteArrayOutputStream field = new ByteArrayOutputStream();

    CsvRows(RangeStream stream, char delimiter) {
        this.stream = stream;
        this.delimiter = delimiter;
    }

    /** @return null at the end */
    List<String> next() throws IOException {
        stream.beginItem();
        while (stream.peek() == '\n' || stream.peek() == '\r') {
            stream.read();
        }
        if (stream.peek() < 0) {
            return null;
        }
        List<String> row = new ArrayList<>();
        while (true) {
            row.add(field());
            int end = stream.read();
            if (end == delimiter) {
                continue;
            }
            if (end == '\r' && stream.peek() == '\n') {
                stream.read();
            }
            return row;
        }
    }

    /** Up to what ends it, which is not read. */
    private String field() throws IOException {
        field.reset();
        if (stream.peek() == '"') {
            stream.read();
            quoted();
            int next = stream.peek();
            if (next >= 0 && next != delimiter && next != '\n' && next != '\r') {
                throw new ItemFault("there is something between the end of a field in quotes and what ends the field");
            }
        }
        for (int next = stream.peek(); next >= 0 && next != delimiter && next != '\n' && next != '\r'; next = stream.peek()) {
            stream.read();
            if (next == '"' && stream.peek() == '"') {
                stream.read();
            }
            write(next);
        }
        return field.toString(StandardCharsets.UTF_8);
    }

    private void quoted() throws IOException {
        for (int next = stream.read(); next >= 0; next = stream.read()) {
            if (next == '"' && stream.peek() != '"') {
                return;
            }
            if (next == '"') {
                stream.read();
            }
            write(next);
        }
        throw new ItemFault("it ends within a field in quotes");
    }

    /** Of a backslash, what it stands for. */
    private void write(int character) throws IOException {
        if (character != '\\') {
            field.write(character);
        } else if (stream.peek() == '\\' || stream.peek() == '"' || stream.peek() == delimiter) {
            field.write(stream.read());
        }
    }

    /** @throws ItemFault when they are too long */
    static List<String> checkedHeaders(List<String> headers) throws ItemFault {
        if (headers.stream().mapToLong(header -> header.getBytes(StandardCharsets.UTF_8).length + 1).sum() > WorkflowLimits.CSV_HEADER_BYTES) {
            throw new ItemFault("its headers have more than " + WorkflowLimits.CSV_HEADER_BYTES + " bytes");
        }
        return headers;
    }
}
