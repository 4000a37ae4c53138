package volsh.gateway;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import volsh.json.Json;

/**
 * The access keys of a home, in one file that only its owner can read: signatures are checked with the secrets
 * themselves. A gateway that runs follows changes of the file.
 */
public final class AccessKeys {
    private static final FileAttribute<Set<PosixFilePermission>> PRIVATE = PosixFilePermissions.asFileAttribute(
            PosixFilePermissions.fromString("rw-------"));
    private static final FileAttribute<Set<PosixFilePermission>> PRIVATE_DIRECTORY = PosixFilePermissions
            .asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    private static final int ID_BYTES = 8;
    private static final int SECRET_BYTES = 20;

    private final Path file;
    private final SecureRandom random = new SecureRandom();
    private volatile Known known = new Known(FileTime.fromMillis(0), -1, List.of());

    private record Known(FileTime changed, long size, List<AccessKey> keys) {}

    /** In the directory of gateways of this state. */
    public AccessKeys(Path state) {
        this.file = state.resolve("gateway").resolve("keys.json");
    }

    public List<AccessKey> list() throws IOException {
        try {
            var found = Files.readAttributes(file, java.nio.file.attribute.BasicFileAttributes.class);
            var last = known;
            if (!found.lastModifiedTime().equals(last.changed) || found.size() != last.size) {
                last = new Known(found.lastModifiedTime(), found.size(), read());
                known = last;
            }
            return last.keys;
        } catch (NoSuchFileException none) {
            return List.of();
        }
    }

    Optional<AccessKey> find(String id) throws IOException {
        return list().stream().filter(key -> key.id().equals(id)).findFirst();
    }

    /** Makes a key with a new id and a new secret. */
    public AccessKey create(List<String> volumes, String prefix, boolean readOnly, Instant now,
            Optional<Instant> expires) throws IOException {
        var key = new AccessKey("VOLSH" + text(ID_BYTES).toUpperCase(java.util.Locale.ROOT), text(SECRET_BYTES),
                volumes, prefix, readOnly, now, expires);
        change(keys -> {
            var more = new ArrayList<>(keys);
            more.add(key);
            return more;
        });
        return key;
    }

    /** Removes a key; false if there is none of this id. */
    public boolean revoke(String id) throws IOException {
        boolean[] found = {false};
        change(keys -> {
            found[0] = keys.stream().anyMatch(key -> key.id().equals(id));
            return keys.stream().filter(key -> !key.id().equals(id)).toList();
        });
        return found[0];
    }

    private String text(int bytes) {
        byte[] chosen = new byte[bytes];
        random.nextBytes(chosen);
        return HexFormat.of().formatHex(chosen);
    }

    private List<AccessKey> read() throws IOException {
        var keys = new ArrayList<AccessKey>();
        for (var fields : Json.read(Files.readAllBytes(file)).list("keys")) {
            keys.add(AccessKey.of(fields));
        }
        return List.copyOf(keys);
    }

    /** Replaces the file, one process at a time. */
    private void change(UnaryOperator<List<AccessKey>> edit) throws IOException {
        Path directory = file.resolveSibling(".").normalize();
        Files.createDirectories(directory, PRIVATE_DIRECTORY);
        try (var lock = FileChannel.open(directory.resolve("keys.lock"),
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), PRIVATE);
                var _ = lock.lock()) {
            var keys = Files.exists(file) ? read() : List.<AccessKey>of();
            Path fresh = Files.createTempFile(directory, ".keys", ".new", PRIVATE);
            Files.write(fresh, Json.write(Map.of("keys", edit.apply(keys).stream().map(AccessKey::json).toList())));
            try (var written = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
                written.force(true);
            }
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        }
    }
}
