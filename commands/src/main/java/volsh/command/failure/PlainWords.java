package volsh.command.failure;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** The message of an exception without class names, and never "null". */
final class PlainWords {
    private static final int LONGEST_CHAIN = 8;

    private PlainWords() {}

    /** The exception itself, without the wrappers that only carry it between threads and signatures. */
    static Throwable unwrapped(Throwable thrown) {
        Throwable inner = thrown;
        while (wrapper(inner) && inner.getCause() != null) {
            inner = inner.getCause();
        }
        return inner;
    }

    private static boolean wrapper(Throwable thrown) {
        return thrown instanceof java.io.UncheckedIOException || thrown instanceof ExecutionException
                || thrown instanceof CompletionException
                || thrown instanceof java.lang.reflect.InvocationTargetException
                || thrown instanceof java.lang.reflect.UndeclaredThrowableException
                || thrown.getClass() == IOException.class && thrown.getCause() instanceof IOException again
                        && Objects.equals(thrown.getMessage(), again.getMessage());
    }

    static String of(Throwable thrown) {
        return switch (thrown) {
            case NoSuchFileException gone -> about(gone, "no such file or directory");
            case AccessDeniedException denied -> about(denied, "permission denied");
            case FileAlreadyExistsException exists -> about(exists, "file exists");
            case DirectoryNotEmptyException full -> about(full, "directory not empty");
            case NotDirectoryException file -> about(file, "not a directory");
            case FileSystemException other -> about(other, "the operation failed");
            case UnknownHostException host -> "unknown host " + text(host, "");
            case ConnectException refused -> text(refused, "connection refused");
            case SocketTimeoutException late -> text(late, "timed out");
            case ClosedChannelException closed -> "the connection or file was closed";
            case OutOfMemoryError memory -> "out of memory (" + text(memory, "heap") + ")";
            default -> text(thrown, "unexpected " + words(thrown));
        };
    }

    private static String about(FileSystemException failure, String usual) {
        String reason = failure.getReason() == null ? usual : failure.getReason();
        return failure.getFile() == null ? reason : failure.getFile() + ": " + reason;
    }

    /** The message without a leading class name or a trailing parser location; the fallback if it is empty. */
    private static String text(Throwable thrown, String fallback) {
        String message = thrown.getMessage();
        if (message == null || message.isBlank() || message.equals("null")) {
            return fallback;
        }
        int place = message.indexOf("\n at [Source");
        message = place > 0 ? message.substring(0, place) : message;
        int colon = message.indexOf(": ");
        while (colon > 0 && className(message.substring(0, colon))) {
            message = message.substring(colon + 2);
            colon = message.indexOf(": ");
        }
        return className(message) || message.equals("null") ? fallback : message;
    }

    private static boolean className(String text) {
        boolean suffix = text.endsWith("Exception") || text.endsWith("Error");
        return suffix && text.indexOf(' ') < 0 && text.indexOf('.') > 0;
    }

    /** {@code ArrayIndexOutOfBoundsException} is "array index out of bounds". */
    private static String words(Throwable thrown) {
        String name = thrown.getClass().getSimpleName();
        String bare = name.endsWith("Exception") ? name.substring(0, name.length() - "Exception".length()) : name;
        var words = new StringBuilder();
        for (char c : bare.toCharArray()) {
            words.append(Character.isUpperCase(c) && !words.isEmpty() ? " " : "").append(Character.toLowerCase(c));
        }
        return words.isEmpty() ? "failure" : words.toString();
    }

    /** The messages of the causes, from the outside in, without repetitions. */
    static List<String> causes(Throwable thrown, String message) {
        var causes = new ArrayList<String>();
        String before = message;
        Throwable cause = thrown.getCause();
        for (int depth = 0; cause != null && depth < LONGEST_CHAIN; depth++, cause = cause.getCause()) {
            String words = wrapper(cause) || cause instanceof DateTimeException ? before : of(cause);
            if (!before.contains(words) && !words.contains("(Service: null, Status Code: ")) {
                causes.add(words);
                before = words;
            }
        }
        return causes;
    }
}
