package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** The beginning of an input or record as text, whatever its type; in base 64 where it is none. JSON that is cut is no JSON any more. */
final class InputPreview {
    private InputPreview() {}

    /** Adds `preview`, and `isBase64Encoded` of one that is no text. @param bytes that there are in all */
    static ObjectNode addTo(ObjectNode shown, byte[] preview, long bytes) {
        try {
            return shown.put("preview", text(preview, preview.length < bytes));
        } catch (CharacterCodingException e) {
            return shown.put("preview", Base64.getEncoder().encodeToString(preview)).put("isBase64Encoded", true);
        }
    }

    /** @param isCut its last character may be a part of one, which is left out */
    private static String text(byte[] bytes, boolean isCut) throws CharacterCodingException {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        CharBuffer text = CharBuffer.allocate(bytes.length);
        CoderResult result = decoder.decode(ByteBuffer.wrap(bytes), text, !isCut);
        if (result.isError()) {
            result.throwException();
        }
        return text.flip().toString();
    }
}
