package volsh.script;

import groovy.lang.MissingMethodException;
import groovy.lang.MissingPropertyException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.codehaus.groovy.control.CompilationFailedException;
import org.codehaus.groovy.control.MultipleCompilationErrorsException;
import org.codehaus.groovy.control.messages.SyntaxErrorMessage;
import org.codehaus.groovy.runtime.InvokerInvocationException;
import org.codehaus.groovy.syntax.SyntaxException;
import volsh.command.failure.CancelledException;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.Diagnosis;
import volsh.command.failure.ExitCode;
import volsh.command.failure.Problem;
import volsh.command.failure.Similar;
import volsh.command.line.Language.Finding;

/** Explains a failure of a script with the user's line, without class names and stack. */
final class Explanation {
    private static final int MOST_ERRORS = 3;
    private static final Pattern UNLIKE = Pattern.compile(
            "^Cannot compare (\\S+) with value '(.*)' and (\\S+) with value '(.*)'$", Pattern.DOTALL);
    /** How other languages name the parameter of a block. */
    private static final Pattern BARS = Pattern.compile("\\{\\s*\\|\\s*\\$?\\w+\\s*\\|");
    private static final Pattern UNRESOLVED = Pattern.compile("^unable to resolve class ([\\w.]+)");

    private final Places places;
    private final Collection<String> names;

    /** {@code names}: candidates for a mistyped name. */
    Explanation(Places places, Collection<String> names) {
        this.places = places;
        this.names = names;
    }

    CommandFailure of(Throwable thrown) {
        Throwable failure = unwrapped(thrown);
        CommandFailure explained = switch (failure) {
            case CommandFailure known -> known;
            case VolshException known -> CommandFailure.of(known.problem()).causedBy(known.getCause());
            case MultipleCompilationErrorsException errors -> syntax(errors);
            case CompilationFailedException wrong -> CommandFailure.usage("cannot compile: " + wrong.getMessage());
            case MissingPropertyException missing -> missing(missing);
            case MissingMethodException missing -> missing(missing);
            case AssertionError untrue -> untrue(untrue);
            case StackOverflowError endless -> failed("the script recurses too deeply");
            default -> other(failure);
        };
        return failure instanceof CompilationFailedException ? explained : placed(explained, failure);
    }

    private static Throwable unwrapped(Throwable thrown) {
        boolean wrapper = thrown instanceof InvokerInvocationException
                || thrown instanceof java.lang.reflect.UndeclaredThrowableException
                || thrown instanceof java.util.concurrent.CompletionException;
        return wrapper && thrown.getCause() != null ? unwrapped(thrown.getCause()) : thrown;
    }

    private CommandFailure placed(CommandFailure explained, Throwable failure) {
        CommandFailure located = explained;
        for (String line : places.chain(failure)) {
            located = located.detail(line);
        }
        for (Throwable suppressed : failure.getSuppressed()) {
            located = suppressed instanceof Note note ? located.detail(String.valueOf(note.getMessage())) : located;
        }
        if (located != failure) {
            located.addSuppressed(failure);   // for --debug
        }
        return located;
    }

    private CommandFailure syntax(MultipleCompilationErrorsException errors) {
        var found = new ArrayList<SyntaxException>();
        for (var message : errors.getErrorCollector().getErrors()) {
            if (message instanceof SyntaxErrorMessage syntax) {
                found.add(syntax.getCause());
            }
        }
        if (found.isEmpty()) {
            return CommandFailure.usage("cannot compile: " + errors.getMessage());
        }
        CommandFailure failure = CommandFailure.of(ExitCode.USAGE, "SCR-0002", sentence(found.getFirst()));
        for (SyntaxException error : found.subList(0, Math.min(MOST_ERRORS, found.size()))) {
            failure = pointed(failure, error);
        }
        if (failure.problem().details().stream().anyMatch(line -> BARS.matcher(line).find())) {
            return failure.hint("a block names its row with an arrow: { row -> row.used }; without, it is called it");
        }
        Optional<String> equivalent = equivalent(found.getFirst());
        return equivalent.isPresent() ? failure.hint(equivalent.get()) : failure;
    }

    /** Every syntax error by itself. */
    static List<Finding> findings(MultipleCompilationErrorsException errors) {
        var findings = new ArrayList<Finding>();
        for (var message : errors.getErrorCollector().getErrors()) {
            if (message instanceof SyntaxErrorMessage syntax) {
                findings.add(new Finding(syntax.getCause().getStartLine(), sentence(syntax.getCause()),
                        equivalent(syntax.getCause()).stream().toList()));
            }
        }
        return findings.isEmpty() ? List.of(new Finding(1, "cannot compile: " + errors.getMessage(), List.of()))
                : findings;
    }

    private static Optional<String> equivalent(SyntaxException error) {
        Matcher unresolved = UNRESOLVED.matcher(error.getOriginalMessage());
        return unresolved.find() ? Equivalents.of(unresolved.group(1)) : Optional.empty();
    }

    private static String sentence(SyntaxException error) {
        String message = error.getOriginalMessage().lines().findFirst().orElse("the code is not valid Groovy");
        return message.replaceFirst(" @ line \\d+, column \\d+\\.?$", "");
    }

    private CommandFailure pointed(CommandFailure failure, SyntaxException error) {
        var place = places.of(error.getSourceLocator(), error.getStartLine());
        if (place.isEmpty() || error.getStartLine() < 1) {
            return failure;
        }
        String prefix = place.get().name() + ":" + place.get().number() + ": ";
        return failure.detail(prefix + place.get().line())
                .detail(" ".repeat(prefix.length() + Math.max(0, error.getStartColumn() - 1 - place.get().before()))
                        + "^");
    }

    private CommandFailure missing(MissingPropertyException missing) {
        boolean ofScript = missing.getType() != null && VolshScript.class.isAssignableFrom(missing.getType());
        String name = missing.getProperty();
        if (!ofScript) {
            return failed("%s has no property '%s'".formatted(kind(missing.getType()), name));
        }
        CommandFailure failure = CommandFailure.of(ExitCode.USAGE, "SCR-0003", "unknown name '" + name + "'");
        return Equivalents.of(name).map(failure::hint).orElseGet(() -> meant(failure, name));
    }

    private CommandFailure missing(MissingMethodException missing) {
        String name = missing.getMethod();
        if (missing.getType() != null && VolshScript.class.isAssignableFrom(missing.getType())) {
            var takes = new StringJoiner(", ", "(", ")");
            for (Object argument : missing.getArguments() == null ? new Object[0] : missing.getArguments()) {
                takes.add(argument == null ? "null" : kind(argument.getClass()));
            }
            return meant(CommandFailure.of(ExitCode.USAGE, "SCR-0003", "unknown method '" + name + takes + "'"), name);
        }
        CommandFailure failure = failed(
                "%s has no operation '%s' for these arguments".formatted(kind(missing.getType()), name));
        boolean ofDate = missing.getType() != null && java.util.Date.class.isAssignableFrom(missing.getType());
        return ofDate ? failure.hint(Equivalents.of("DateTime").orElseThrow()) : failure;
    }

    private CommandFailure meant(CommandFailure failure, String name) {
        List<String> similar = Similar.to(name, names);
        return similar.isEmpty() || similar.getFirst().equals(name) ? failure
                : failure.hint("did you mean: " + similar.getFirst());
    }

    private static String kind(Class<?> type) {
        return type == null ? "null" : switch (type.getSimpleName()) {
            case "GStringImpl" -> "String";
            case "NullObject" -> "null";
            case "" -> "this";
            default -> type.getSimpleName();
        };
    }

    /** {@code assert} shows the values of its parts, line by line. */
    private static CommandFailure untrue(AssertionError untrue) {
        String text = untrue.getMessage() == null ? "assertion failed" : untrue.getMessage();
        var lines = text.lines().toList();
        CommandFailure failure = CommandFailure.of(ExitCode.EXPECTATION, "SCR-0011", lines.getFirst());
        for (String line : lines.subList(1, lines.size())) {
            failure = failure.detail(line);
        }
        return failure;
    }

    private static CommandFailure other(Throwable failure) {
        Problem problem = Diagnosis.of(failure);
        boolean ofTheScript = problem.code().equals("CLI-0070");
        return ofTheScript ? failed(UNLIKE.matcher(problem.message().replaceFirst("^internal error: ", "")
                .replaceFirst("^internal error$", words(failure))).replaceFirst(unlike -> Matcher.quoteReplacement(
                        "cannot compare %s with %s".formatted(value(unlike.group(1), unlike.group(2)),
                                value(unlike.group(3), unlike.group(4))))))
                : CommandFailure.of(problem);
    }

    /** A value as people call it, by the name of its class. */
    private static String value(String type, String value) {
        return switch (type) {
            case "java.lang.String", "org.codehaus.groovy.runtime.GStringImpl" -> "the text '" + value + "'";
            case "java.lang.Integer", "java.lang.Long", "java.lang.Double", "java.math.BigDecimal",
                    "java.math.BigInteger" -> "the number " + value;
            default -> "'" + value + "'";
        };
    }

    /** The message for an exception without one, such as {@code NullPointerException}. */
    private static String words(Throwable failure) {
        String message = failure.getMessage();
        return message == null || message.isBlank() ? "a value is null where one is required" : message;
    }

    private static CommandFailure failed(String message) {
        return CommandFailure.of(ExitCode.FAILED, "SCR-0001", message);
    }

    /** Whether it requests the end of the script and is no failure. */
    static boolean wish(Throwable thrown) {
        Throwable failure = unwrapped(thrown);
        return failure instanceof CancelledException || failure instanceof InterruptedException
                || failure instanceof volsh.command.line.Exit;
    }
}
