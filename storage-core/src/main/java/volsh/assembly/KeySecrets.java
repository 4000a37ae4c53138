package volsh.assembly;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import volsh.catalog.KeySource;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.VolumeSpec;
import volsh.crypt.KeySecret;
import volsh.fs.ShellWord;
import volsh.secret.Secrets;

/** Reads the secrets that open encrypted volumes from where they are kept. */
public final class KeySecrets {
    /** The variable that holds a passphrase where no person can be asked. */
    public static final String VARIABLE = "VOLSH_PASSPHRASE";

    private static final int LENGTH_MAX = 4096;
    private static final int COMMAND_SECONDS = 30;
    private static final int KILLED = 137;
    private static final Set<PosixFilePermission> OTHERS = EnumSet.of(
            PosixFilePermission.GROUP_READ, PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_WRITE);

    private volatile Asker asker = (_, _) -> Optional.empty();

    /** Asks a person for a passphrase. */
    @FunctionalInterface
    public interface Asker {
        /** Empty if no person can be asked. {@code again} if it is a new one, to be typed twice. */
        Optional<String> ask(String volume, boolean again) throws IOException;
    }

    /** From now on passphrases are asked for so. */
    public void onAsk(Asker other) {
        asker = other;
    }

    /** @throws Refusal NOT_FOUND, FORBIDDEN or UNAVAILABLE if there is none, INVALID if it is too short */
    KeySecret read(KeySource source, VolumeSpec spec) throws IOException {
        return secret(source, spec.name(), Optional.of(useHint(spec)));
    }

    /** The same for a secret that is used for the first time. */
    KeySecret readNew(KeySource source, String volume) throws IOException {
        return secret(source, volume, Optional.empty());
    }

    /** Names another place to take the key of a volume that exists from: a new key would not open it. */
    static String useHint(VolumeSpec spec) {
        boolean typed = spec.encryption().keys().stream().anyMatch(key -> key.iterations() > 0);
        return "volsh key use %s %s".formatted(ShellWord.of(spec.name()),
                typed ? "passphrase" : ShellWord.of("key-file:/etc/volsh/%s.key".formatted(spec.name())));
    }

    /** {@code otherwise} is what helps if there is no secret; empty for a new one. */
    private KeySecret secret(KeySource source, String volume, Optional<String> otherwise) throws IOException {
        try {
            return switch (source) {
                case KeySource.File(var path) -> new KeySecret.Key(file(path, otherwise.orElse(newKey(path))));
                case KeySource.Passphrase() -> new KeySecret.Passphrase(asked(volume, otherwise.isEmpty()));
                case KeySource.Environment(var name) -> new KeySecret.Passphrase(variable(name, volume, otherwise));
                case KeySource.Command(var line) -> new KeySecret.Passphrase(printed(line));
            };
        } catch (IllegalArgumentException weak) {
            throw new Refusal(Reason.INVALID, "%s: %s".formatted(source, weak.getMessage()), weak,
                    "(umask 077; head -c 32 /dev/urandom > volume.key)");
        }
    }

    private static String newKey(Path path) {
        return "(umask 077; head -c 32 /dev/urandom > %s)".formatted(ShellWord.of(path));
    }

    private static byte[] file(Path path, String hint) throws IOException {
        try {
            var permissions = EnumSet.copyOf(Files.getPosixFilePermissions(path));
            permissions.retainAll(OTHERS);
            if (!permissions.isEmpty()) {
                throw new Refusal(Reason.FORBIDDEN, "key file %s can be read or changed by others".formatted(path),
                        "chmod 600 " + ShellWord.of(path));
            }
            try (var in = Files.newInputStream(path)) {
                return in.readNBytes(LENGTH_MAX);
            }
        } catch (NoSuchFileException none) {
            throw new Refusal(Reason.NOT_FOUND, "key file %s does not exist".formatted(path), none, hint);
        } catch (AccessDeniedException denied) {
            throw new Refusal(Reason.FORBIDDEN, "key file %s cannot be read by this user".formatted(path), denied,
                    "ls -l " + ShellWord.of(path));
        }
    }

    private String asked(String volume, boolean fresh) throws IOException {
        var given = Secrets.find(VARIABLE);
        return given.isPresent() ? given.get() : asker.ask(volume, fresh).orElseThrow(() -> new Refusal(
                Reason.FORBIDDEN, "volume '%s' needs its passphrase, and there is no terminal to ask for it"
                        .formatted(volume), "in scripts: a key file, or the variable %s".formatted(VARIABLE)));
    }

    private static String variable(String name, String volume, Optional<String> otherwise) throws Refusal {
        return Secrets.find(name).filter(value -> !value.isEmpty()).orElseThrow(() -> new Refusal(Reason.FORBIDDEN,
                "the key of volume '%s' is in the variable %s, which is not set".formatted(volume, name),
                otherwise.stream().toArray(String[]::new)));
    }

    /** @throws Refusal FORBIDDEN if the variable is not set */
    static void requireVariable(String name, VolumeSpec spec) throws Refusal {
        var _ = variable(name, spec.name(), Optional.of(useHint(spec)));
    }

    private static String printed(String line) throws IOException {
        var process = new ProcessBuilder(List.of("/bin/sh", "-c", line))
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectError(ProcessBuilder.Redirect.DISCARD).start();
        try (var out = process.getInputStream()) {
            String text = first(process, out);
            int exit = process.waitFor();
            if (exit != 0 || text.isEmpty()) {
                throw new Refusal(Reason.UNAVAILABLE, "the command of a key %s: %s".formatted(exit == KILLED
                        ? "timed out after %d s".formatted(COMMAND_SECONDS)
                        : exit != 0 ? "failed with exit code " + exit : "printed nothing", line), line);
            }
            return text;
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("cancelled");
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    /** What it prints, without the end of the line. A timer ends a command that goes on for too long. */
    private static String first(Process process, InputStream out) throws IOException {
        var timer = Thread.ofVirtual().start(() -> {
            try {
                if (!process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS)) {
                    process.descendants().forEach(ProcessHandle::destroyForcibly);
                    process.destroyForcibly();
                }
            } catch (InterruptedException done) {
                // it has ended
            }
        });
        try {
            return new String(out.readNBytes(LENGTH_MAX), StandardCharsets.UTF_8).stripTrailing();
        } finally {
            timer.interrupt();
        }
    }
}
