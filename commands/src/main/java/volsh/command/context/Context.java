package volsh.command.context;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.regex.Pattern;
import volsh.catalog.Home;
import volsh.command.Session;

/** The name of a home. In a protected home every change at a terminal needs a confirmation. */
public record Context(String name, boolean isProtected) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,30}");
    private static final String FILE = "context";
    private static final String PROTECTED = " protected";

    public Context {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "'%s' is not a valid name: use letters, digits, dots, dashes and underscores".formatted(name));
        }
    }

    /** The context of this home; empty if it has no name. */
    public static Optional<Context> of(Home home) {
        try {
            String line = Files.readString(home.config().resolve(FILE)).strip();
            boolean guarded = line.endsWith(PROTECTED);
            return Optional.of(new Context(guarded ? line.substring(0, line.length() - PROTECTED.length()) : line,
                    guarded));
        } catch (IOException | IllegalArgumentException none) {
            return Optional.empty();
        }
    }

    /** Whether changes need a confirmation; false without a home. */
    public static boolean asks(Session session) {
        try {
            return of(session.service(Home.class)).map(Context::isProtected).orElse(false);
        } catch (Exception homeless) {
            return false;
        }
    }

    void keep(Home home) throws IOException {
        Files.createDirectories(home.config(),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path fresh = Files.createTempFile(home.config(), ".context", "");   // 0600
        Files.writeString(fresh, name + (isProtected ? PROTECTED : "") + "\n");
        Files.move(fresh, home.config().resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
    }

    static void forget(Home home) throws IOException {
        try {
            Files.delete(home.config().resolve(FILE));
        } catch (NoSuchFileException none) {
            // already in that state
        }
    }
}
