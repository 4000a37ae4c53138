package volsh.command.web;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Set;
import java.util.regex.Pattern;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.fs.ShellWord;

/** What a visitor of a {@link WebServer} presents: 144 random bits, or a secret of the user's own from a file. */
record VisitorToken(String text) {
    private static final int BYTES = 18;
    private static final Pattern SHAPE = Pattern.compile("[A-Za-z0-9_.~-]{16,200}");
    private static final Set<PosixFilePermission> OF_OTHERS = PosixFilePermissions.fromString("---rwxrwx");

    static VisitorToken random() {
        var bytes = new byte[BYTES];
        new SecureRandom().nextBytes(bytes);
        return new VisitorToken(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
    }

    /** Reads the token in a file that only this user can read; makes the file, with a new one, where there is none. */
    static VisitorToken in(Path file) throws IOException {
        try {
            var made = random();
            var mode = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
            try (var channel = Files.newByteChannel(file,
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), mode)) {
                channel.write(StandardCharsets.US_ASCII.encode(made.text + "\n"));
            }
            return made;
        } catch (FileAlreadyExistsException exists) {
            return read(file);
        }
    }

    private static VisitorToken read(Path file) throws IOException {
        var modes = Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS);
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) || modes.stream().anyMatch(OF_OTHERS::contains)) {
            throw CommandFailure.of(ExitCode.PERMISSION, "WEB-0002", "other users can read the token in " + file)
                    .hint("chmod 600 " + ShellWord.of(file));
        }
        String text = Files.readString(file).strip();
        if (!SHAPE.matcher(text).matches()) {
            throw CommandFailure.usage("%s does not hold a token: 16 to 200 letters, digits or any of - _ . ~"
                    .formatted(file));
        }
        return new VisitorToken(text);
    }

    boolean is(String offered) {
        return MessageDigest.isEqual(offered.getBytes(StandardCharsets.UTF_8), text.getBytes(StandardCharsets.UTF_8));
    }
}
