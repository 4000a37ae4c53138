package volsh.script;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;
import volsh.disk.Trust;

/**
 * Compiled scripts, kept by the digest of their text and of the program that compiled them, so that a job's prologue is
 * compiled once. A cache may forget anything at any time: what is damaged, foreign or unwritable is as if it were not
 * there. The directory must be ours alone, because what is in it is run.
 */
final class ScriptCache {
    private static final int MAGIC = 0x56534331;
    private static final int MOST_FILES = 256;
    private static final int MOST_BYTES = 16 << 20;

    private final Path directory;
    private final String program;

    /** {@code program} tells one build of volsh from another. */
    ScriptCache(Path directory, String program) {
        this.directory = directory;
        this.program = program;
    }

    /** The name under which a text is kept. */
    String key(String text) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            digest.update(program.getBytes(StandardCharsets.UTF_8));
            digest.update((byte) 0);
            return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException never) {
            throw new IllegalStateException(never);
        }
    }

    /** The classes of a script, by name. */
    Optional<Map<String, byte[]>> load(String key) {
        Path file = directory.resolve(key);
        try {
            return isOurs() && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && Files.size(file) <= MOST_BYTES
                    ? read(file) : Optional.empty();
        } catch (IOException | RuntimeException unusable) {
            return Optional.empty();
        }
    }

    private static Optional<Map<String, byte[]>> read(Path file) throws IOException {
        byte[] all = Files.readAllBytes(file);
        var checksum = new CRC32C();
        checksum.update(all, 0, all.length - Integer.BYTES);
        var classes = new LinkedHashMap<String, byte[]>();
        try (var in = new DataInputStream(new java.io.ByteArrayInputStream(all))) {
            if (in.readInt() != MAGIC) {
                return Optional.empty();
            }
            int count = in.readInt();
            for (int i = 0; i < count; i++) {
                String name = in.readUTF();
                classes.put(name, in.readNBytes(in.readInt()));
            }
            return in.readInt() == (int) checksum.getValue() ? Optional.of(classes) : Optional.empty();
        }
    }

    void store(String key, Map<String, byte[]> classes) {
        try {
            if (!Files.exists(directory)) {
                Files.createDirectories(directory.getParent());
                Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(
                        PosixFilePermissions.fromString("rwx------")));
            }
            if (isOurs()) {
                write(key, classes);
                prune();
            }
        } catch (IOException | RuntimeException unwritable) {
            // the next run compiles the script again
        }
    }

    private void write(String key, Map<String, byte[]> classes) throws IOException {
        var bytes = new java.io.ByteArrayOutputStream();
        try (var out = new DataOutputStream(bytes)) {
            out.writeInt(MAGIC);
            out.writeInt(classes.size());
            for (var entry : classes.entrySet()) {
                out.writeUTF(entry.getKey());
                out.writeInt(entry.getValue().length);
                out.write(entry.getValue());
            }
            var checksum = new CRC32C();
            checksum.update(bytes.toByteArray());
            out.writeInt((int) checksum.getValue());
        }
        Path temporary = Files.createTempFile(directory, "new", "");
        try {
            Files.write(temporary, bytes.toByteArray());
            Files.move(temporary, directory.resolve(key), StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /** Whether this user owns the directory and no other user can write to it. */
    private boolean isOurs() throws IOException {
        return Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
                && Trust.ofThisProcess().ofDirectory(directory).isEmpty();
    }

    private void prune() throws IOException {
        try (var files = Files.list(directory)) {
            var oldestFirst = files.sorted(Comparator.comparingLong((Path file) -> file.toFile().lastModified()))
                    .toList();
            for (Path file : oldestFirst.subList(0, Math.max(0, oldestFirst.size() - MOST_FILES))) {
                Files.deleteIfExists(file);
            }
        }
    }
}
