package dev.sand.workflow.data;

import com.dashjoin.jsonata.Functions;
import com.dashjoin.jsonata.JException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * JSONata's functions of numbers by picture: {@code $formatNumber} as XPath has it (Functions and Operators 3.1, 4.7), where the
 * library goes other ways, and {@code $parseInteger} of digits. Public and static because the library calls them by name.
 */
public final class QueryPictures {
    static final Map<String, String> SIGNATURES = Map.of("formatNumber", "<n-so?:s>", "parseInteger", "<s-s:n>");
    private static final Pattern WORDS = Pattern.compile("(A|a|I|i|W|w|Ww)(;.*)?", Pattern.DOTALL);
    private static final Pattern INTEGER = Pattern.compile("\\s*([-+]?[0-9]+)");

    private QueryPictures() {}

    public static String formatNumber(Number number, String picture, Map<?, ?> options) {
        if (number == null || picture == null) {
            return null;
        }
        QueryRun.checkBytes(2L * picture.length());
        QueryRun.current().budget().spend(picture.length() >> 4);
        NumberSymbols symbols = NumberSymbols.of(options);
        List<String> parts = List.of(picture.split(Pattern.quote(symbols.pattern()), -1));
        if (parts.size() > 2) {
            throw new JException("D3080", -1);
        }
        List<NumberPicture> pictures = parts.stream().map(part -> NumberPicture.of(part, symbols)).toList();
        BigDecimal value = decimal(number);
        boolean isNegative = value.signum() < 0;
        String written = written(value.abs(), isNegative ? pictures.getLast() : pictures.getFirst(), symbols);
        return isNegative && pictures.size() == 1 ? symbols.minus() + written : written;
    }

    /** With the digits that it is written with. */
    private static BigDecimal decimal(Number number) {
        double value = number.doubleValue();
        return Double.isInfinite(value) || Double.isNaN(value) ? new BigDecimal(number.toString()) : Decimals.shortest(value);
    }

    private static String written(BigDecimal number, NumberPicture picture, NumberSymbols symbols) {
        BigDecimal mantissa = number.multiply(BigDecimal.valueOf(picture.factor()));
        int exponent = 0;
        if (picture.exponent() > 0 && mantissa.signum() != 0) {
            exponent = mantissa.precision() - mantissa.scale() - picture.scale();
            mantissa = mantissa.scaleByPowerOfTen(-exponent);
        }
        String[] rounded = mantissa.setScale(picture.mostFraction(), RoundingMode.HALF_EVEN).toPlainString().split("\\.");
        String whole = symbols.shown(padded(rounded[0].replaceFirst("^0+", ""), picture.leastInteger()));
        StringBuilder fraction = new StringBuilder(rounded.length == 1 ? "" : rounded[1]);
        while (fraction.length() > picture.leastFraction() && fraction.charAt(fraction.length() - 1) == '0') {
            fraction.setLength(fraction.length() - 1);
        }
        fraction.append("0".repeat(Math.max(0, picture.leastFraction() - fraction.length())));
        StringBuilder out = new StringBuilder(picture.prefix());
        for (int i = 0; i < whole.length(); i++) {
            int left = whole.length() - i;
            if (i > 0 && (picture.every() > 0 ? left % picture.every() == 0 : picture.groups().contains(left))) {
                out.append(symbols.grouping());
            }
            out.append(whole.charAt(i));
        }
        if (!fraction.isEmpty() && picture.hasPoint()) {
            out.append(symbols.decimal());
        }
        for (int i = 0; i < fraction.length(); i++) {
            if (picture.fractionGroups().contains(i)) {
                out.append(symbols.grouping());
            }
            out.append(symbols.shown(fraction.substring(i, i + 1)));
        }
        if (picture.exponent() > 0) {
            out.append(symbols.exponent()).append(exponent < 0 ? symbols.minus() : "")
                    .append(symbols.shown(padded(String.valueOf(Math.abs(exponent)), picture.exponent())));
        }
        return out.append(picture.suffix()).toString();
    }

    private static String padded(String digits, int least) {
        return "0".repeat(Math.max(0, least - digits.length())) + digits;
    }

    /** The library reads digits as Java's decimal format does, fractions and all. */
    public static Object parseInteger(String text, String picture) throws Throwable {
        if (text == null || picture == null || WORDS.matcher(picture).matches()) {
            return Functions.parseInteger(text, picture);
        }
        Functions.formatInteger(0, picture); // refuses one that is none
        int modifier = picture.lastIndexOf(';');
        String primary = modifier < 0 ? picture : picture.substring(0, modifier);
        int zero = primary.chars().filter(Character::isDigit).map(c -> c - Character.digit(c, 10)).findFirst().orElse('0');
        String digits = modifier >= 0 && picture.startsWith("o", modifier + 1) ? text.substring(0, Math.max(0, text.length() - 2)) : text;
        StringBuilder plain = new StringBuilder();
        for (char c : digits.toCharArray()) {
            boolean isSeparator = primary.indexOf(c) >= 0 && !Character.isLetterOrDigit(c) && c != '#';
            plain.append(isSeparator ? "" : c >= zero && c < zero + 10 ? (char) (c - zero + '0') : c);
        }
        Matcher found = INTEGER.matcher(plain);
        return found.lookingAt() ? (Object) new BigDecimal(found.group(1)).doubleValue() : "NaN"; // as AWS writes what is no number
    }

    /** The characters that have a meaning in a picture. */
    record NumberSymbols(String decimal, String grouping, String exponent, String minus, String percent, String perMille, String optional,
                         String pattern, char zero) {
        private static final Map<String, String> DEFAULTS = Map.of("decimal-separator", ".", "grouping-separator", ",",
                "exponent-separator", "e", "minus-sign", "-", "percent", "%", "per-mille", "\u2030", "zero-digit", "0", "digit", "#",
                "pattern-separator", ";");

        static NumberSymbols of(Map<?, ?> options) {
            Map<String, String> all = new HashMap<>(DEFAULTS);
            if (options != null) {
                options.forEach((name, text) -> {
                    if (text instanceof String given && !given.isEmpty()) {
                        all.put(String.valueOf(name), given);
                    }
                });
            }
            return new NumberSymbols(all.get("decimal-separator"), all.get("grouping-separator"), all.get("exponent-separator"),
                    all.get("minus-sign"), all.get("percent"), all.get("per-mille"), all.get("digit"), all.get("pattern-separator"),
                    all.get("zero-digit").charAt(0));
        }

        boolean isDigit(char c) {
            return c >= zero && c < zero + 10;
        }

        boolean isPlace(char c) {
            return isDigit(c) || optional.equals(String.valueOf(c));
        }

        boolean isActive(char c) {
            return isPlace(c) || decimal.equals(String.valueOf(c)) || grouping.equals(String.valueOf(c));
        }

        int places(String text) {
            return (int) text.chars().filter(c -> isPlace((char) c)).count();
        }

        int mandatory(String text) {
            return (int) text.chars().filter(c -> isDigit((char) c)).count();
        }

        String shown(String digits) {
            return digits.chars().mapToObj(c -> String.valueOf((char) (c - '0' + zero))).reduce("", String::concat);
        }
    }
}
