package dev.sand.workflow.data;

import com.dashjoin.jsonata.Functions;

/** A time by a picture (XPath Functions and Operators 3.1, 9.8.4), where the library loses a doubled bracket that ends a literal part. */
final class TimePictures {
    private TimePictures() {}

    /** @param offset such as +0100; null: UTC */
    static String written(Number millis, String picture, String offset) {
        if (millis == null || picture == null || !picture.contains("]]")) {
            return Functions.dateTimeFromMillis(millis, picture, offset);
        }
        char mark = '\uE000'; // stands in for that bracket
        while (picture.indexOf(mark) >= 0) {
            mark++;
        }
        return Functions.dateTimeFromMillis(millis, marked(picture, mark), offset).replace(mark, ']');
    }

    /** With a mark for each doubled closing bracket outside of markers. */
    private static String marked(String picture, char mark) {
        StringBuilder out = new StringBuilder(picture.length());
        for (int i = 0; i < picture.length(); i++) {
            if (picture.startsWith("[[", i)) {
                out.append("[[");
                i++;
            } else if (picture.charAt(i) == '[') {
                int end = picture.indexOf(']', i);
                end = end < 0 ? picture.length() - 1 : end;
                out.append(picture, i, end + 1);
                i = end;
            } else if (picture.startsWith("]]", i)) {
                out.append(mark);
                i++;
            } else {
                out.append(picture.charAt(i));
            }
        }
        return out.toString();
    }
}
