package dev.sand.workflow.data;

import com.dashjoin.jsonata.JException;
import com.dashjoin.jsonata.Jsonata;
import com.dashjoin.jsonata.utils.Signature;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What a function of JSONata takes, checked as the reference implementation does: null is a value of its own, and an argument that
 * does not fit is named by its place. The library reads signatures as it should, and checks by them loosely. It keeps what it has
 * read to itself, so that this is found by reflection, as in {@link QueryTree}.
 */
final class QuerySignature extends Signature {
    private static final long serialVersionUID = 1L;
    private static final Field PARAMETERS = field(Signature.class, "_params");
    private static final Field NAME = field(Signature.class, "functionName");
    private static final Class<?> PARAMETER = parameterClass();
    private static final Field TYPE = field(PARAMETER, "type");
    private static final Field REGEX = field(PARAMETER, "regex");
    private static final Field CONTEXT = field(PARAMETER, "context");
    private static final Field SUBTYPE = field(PARAMETER, "subtype");
    private static final Field OF_FUNCTION = field(Jsonata.JFunction.class, "signature");
    private static final Field STATIC_FRAME = field(Jsonata.class, "staticFrame");
    private static final Field BINDINGS = field(Jsonata.Frame.class, "bindings");

    /** @param subtype what an array has to be of; null: of anything */
    private record Parameter(boolean isArray, boolean isNumber, String pattern, boolean takesContext, String subtype) {}

    private final transient Signature of;
    private final transient List<Parameter> parameters;
    private final transient Pattern whole;

    private QuerySignature(Signature of) {
        super("<x?:x>", String.valueOf(get(NAME, of)));
        this.of = of;
        this.parameters = ((List<?>) get(PARAMETERS, of)).stream().map(parameter -> new Parameter(
                "a".equals(get(TYPE, parameter)), "n".equals(get(TYPE, parameter)), (String) get(REGEX, parameter),
                (Boolean) get(CONTEXT, parameter), (String) get(SUBTYPE, parameter))).toList();
        this.whole = Pattern.compile(parameters.stream().map(parameter -> "(" + parameter.pattern + ")").collect(Collectors.joining()));
    }

    /** The same, checked by these rules. */
    static Signature strict(Signature signature) {
        return signature instanceof QuerySignature ? signature : new QuerySignature(signature);
    }

    static Jsonata.JFunction strict(Jsonata.JFunction function) {
        if (get(OF_FUNCTION, function) instanceof Signature signature) {
            set(OF_FUNCTION, function, strict(signature));
        }
        return function;
    }

    /** The library's own functions: they are the same objects in every expression. */
    static void makeLibraryStrict() {
        for (Object bound : ((Map<?, ?>) get(BINDINGS, get(STATIC_FRAME, null))).values()) {
            if (bound instanceof Jsonata.JFunction function) {
                strict(function);
            }
        }
    }

    @Override
    public int getNumberOfArgs() {
        return of.getNumberOfArgs();
    }

    @Override
    public int getMinNumberOfArgs() {
        return of.getMinNumberOfArgs();
    }

    /** The arguments as the function takes them: the context where it stands in for one, what is no array as one of one. */
    @Override
    public Object validate(Object given, Object context) {
        List<?> arguments = (List<?>) given;
        StringBuilder letters = new StringBuilder();
        arguments.forEach(argument -> letters.append(letter(argument)));
        Matcher matcher = whole.matcher(letters);
        if (!matcher.matches()) {
            throw refusal(letters);
        }
        List<Object> valid = new ArrayList<>();
        int at = 0;
        for (int i = 0; i < parameters.size(); i++) {
            Parameter parameter = parameters.get(i);
            String matched = matcher.group(i + 1);
            if (matched.isEmpty() && parameter.takesContext) {
                if (!Pattern.matches(parameter.pattern, String.valueOf(letter(context)))) {
                    throw new JException("T0411", -1, at + 1, get(NAME, this));
                }
                valid.add(context);
                continue;
            }
            for (int j = 0; j < matched.length(); j++, at++) {
                Object argument = arguments.get(at);
                checkFinite(parameter, argument);
                valid.add(parameter.isArray ? array(parameter.subtype, argument, matched.charAt(j), at) : argument);
            }
        }
        return valid;
    }

    /** A number that is not finite can be compared, and few functions take it ({@link QueryArithmetic#functions}). */
    private void checkFinite(Parameter parameter, Object argument) {
        if (parameter.isNumber && !QueryArithmetic.isFinite(argument) && !QueryArithmetic.ROUNDING.contains(get(NAME, this))) {
            throw new JException("D1001", 0, argument);
        }
    }

    private Object array(String subtype, Object argument, char letter, int at) {
        if (letter == 'm') {
            return null;
        }
        List<?> elements = letter == 'a' ? (List<?>) argument : null;
        if (subtype != null) {
            char wanted = subtype.charAt(0);
            boolean fits = elements == null ? letter == wanted : elements.stream().allMatch(element -> letter(element) == wanted);
            if (!fits) {
                throw new WrongElements(at + 1, String.valueOf(get(NAME, this)), subtype);
            }
        }
        if (elements != null) {
            return elements;
        }
        List<Object> one = new ArrayList<>(1);
        one.add(argument);
        return one;
    }

    /** The place is that of the first argument that no parameter takes. */
    private JException refusal(CharSequence letters) {
        int good = 0;
        StringBuilder pattern = new StringBuilder();
        for (Parameter parameter : parameters) {
            Matcher matcher = Pattern.compile(pattern.append(parameter.pattern).toString()).matcher(letters);
            if (!matcher.lookingAt()) {
                break;
            }
            good = matcher.end();
        }
        return new JException("T0410", -1, good + 1, get(NAME, this));
    }

    /** In signatures; m, missing, of nothing. */
    private static char letter(Object value) {
        return switch (value) {
            case null -> 'm';
            case String text -> 's';
            case Number number -> 'n';
            case Boolean bool -> 'b';
            case List<?> list -> 'a';
            case Map<?, ?> map -> 'o';
            default -> value == Jsonata.NULL_VALUE ? 'l' : 'f';
        };
    }

    /** T0412, with what the library's exceptions have no place for. */
    static final class WrongElements extends JException {
        private static final long serialVersionUID = 1L;
        private final String subtype;

        WrongElements(int place, String function, String subtype) {
            super("T0412", -1, place, function);
            this.subtype = subtype;
        }

        String subtype() {
            return subtype;
        }
    }

    private static Class<?> parameterClass() {
        try {
            return Class.forName(Signature.class.getName() + "$Param");
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("this version of the JSONata library has other signatures", e);
        }
    }

    private static Field field(Class<?> of, String name) {
        return QueryTree.field(of, name);
    }

    private static Object get(Field field, Object of) {
        return QueryTree.get(field, of);
    }

    private static void set(Field field, Object of, Object value) {
        try {
            field.set(of, value);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
