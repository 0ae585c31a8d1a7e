package dev.sand.workflow.objects;

import dev.sand.workflow.data.WorkflowLimits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Rows of delimited text (RFC 4180), of which the place of each is known, so that reading can go on behind any: fields in double
 * quotes may have delimiters, line ends and, doubled, quotes in them. Lines without a character are passed over.
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
            field.write(stream.read());
        }
        return field.toString(StandardCharsets.UTF_8);
    }

    private void quoted() throws IOException {
        for (int next = stream.read(); next >= 0; next = stream.read()) {
            if (next != '"') {
                field.write(next);
            } else if (stream.peek() == '"') {
                field.write(stream.read());
            } else {
                return;
            }
        }
        throw new ItemFault("it ends within a field in quotes");
    }

    /** @throws ItemFault when they are too long */
    static List<String> checkedHeaders(List<String> headers) throws ItemFault {
        if (headers.stream().mapToLong(header -> header.getBytes(StandardCharsets.UTF_8).length + 1).sum() > WorkflowLimits.CSV_HEADER_BYTES) {
            throw new ItemFault("its headers have more than " + WorkflowLimits.CSV_HEADER_BYTES + " bytes");
        }
        return headers;
    }
}
