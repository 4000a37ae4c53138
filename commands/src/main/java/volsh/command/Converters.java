package volsh.command;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.TypeConversionException;
import volsh.command.failure.CommandFailure;
import volsh.command.pipe.RowCondition;
import volsh.command.render.OutputFormat;
import volsh.unit.ByteSize;
import volsh.unit.Percent;
import volsh.unit.Rate;
import volsh.unit.Span;

/** Converts words to values. A reader fails with {@link IllegalArgumentException}, whose message the user sees. */
public final class Converters {
    private final Map<Class<?>, Function<String, ?>> readers = new LinkedHashMap<>();

    /** Sizes, rates, spans, percentages, output formats and numbers. Only values of maps may be negative. */
    public static Converters standard() {
        return new Converters()
                .with(int.class, Converters::count)
                .with(Integer.class, Converters::count)
                .with(long.class, Converters::number)
                .with(Long.class, Converters::number)
                .with(double.class, Converters::fraction)
                .with(OutputFormat.class, OutputFormat::of)
                .with(RowCondition.class, Converters::condition)
                .with(ByteSize.class, ByteSize::of)
                .with(Rate.class, Rate::of)
                .with(Span.class, Span::of)
                .with(Percent.class, Percent::of);
    }

    private static RowCondition condition(String text) {
        try {
            return RowCondition.of(text);
        } catch (CommandFailure none) {
            throw new IllegalArgumentException(none.getMessage(), none);
        }
    }

    private static int count(String word) {
        long number = number(word);
        if (number > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("'%s' is more than %d".formatted(word, Integer.MAX_VALUE));
        }
        return (int) number;
    }

    private static long number(String word) {
        long number;
        try {
            number = Long.parseLong(word);
        } catch (NumberFormatException none) {
            throw new IllegalArgumentException("'%s' is not a whole number".formatted(word), none);
        }
        if (number < 0) {
            throw new IllegalArgumentException("'%s' is negative".formatted(word));
        }
        return number;
    }

    private static double fraction(String word) {
        double number;
        try {
            number = Double.parseDouble(word);
        } catch (NumberFormatException none) {
            throw new IllegalArgumentException("'%s' is not a number".formatted(word), none);
        }
        if (!(number >= 0)) {
            throw new IllegalArgumentException("'%s' is negative".formatted(word));
        }
        return number;
    }

    /** Also reads options and parameters of this type. */
    public <V> Converters with(Class<V> type, Function<String, V> reader) {
        readers.put(type, reader);
        return this;
    }

    /** Registers these types with a parser and its present commands. */
    public CommandLine install(CommandLine parser) {
        readers.forEach((type, reader) -> register(parser, type, reader));
        var choices = new HashSet<Class<?>>();
        choices(parser.getCommandSpec(), choices);
        choices.forEach(type -> register(parser, type, word -> choice(type, word)));
        return parser.setExpandAtFiles(false);
    }

    /** Enum constants are written in lower case with dashes. */
    private static void choices(CommandSpec spec, Set<Class<?>> found) {
        for (ArgSpec argument : spec.args()) {
            Class<?> type = argument.auxiliaryTypes()[0];
            if (type.isEnum()) {
                found.add(type);
            }
        }
        spec.subcommands().values().forEach(sub -> choices(sub.getCommandSpec(), found));
    }

    private static Object choice(Class<?> type, String word) {
        var names = new StringJoiner(", ");
        for (Object constant : type.getEnumConstants()) {
            String name = word(constant);
            if (name.equalsIgnoreCase(word)) {
                return constant;
            }
            names.add(name);
        }
        throw new IllegalArgumentException("'" + word + "' is not one of " + names);
    }

    /** An enum constant as users write it. */
    public static String word(Object constant) {
        return ((Enum<?>) constant).name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // with() ensures that the reader returns values of the type
    private static void register(CommandLine parser, Class<?> type, Function<String, ?> reader) {
        parser.registerConverter((Class) type, (ITypeConverter) word -> read(reader, word));
    }

    private static Object read(Function<String, ?> reader, String word) {
        try {
            return reader.apply(word);
        } catch (IllegalArgumentException refused) {
            throw new TypeConversionException(refused.getMessage());
        }
    }
}
