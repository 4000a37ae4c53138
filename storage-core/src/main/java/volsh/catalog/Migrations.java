package volsh.catalog;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import volsh.catalog.Refusal.Reason;
import volsh.disk.Disk;
import volsh.json.Json;
import volsh.place.LayoutPolicy;
import volsh.unit.Rate;

/** The unfinished migrations of a volume that began on this host, with their requests: a file each. */
public final class Migrations {
    private static final String DRAFT = ".draft-";

    private final Disk disk;
    private final Path directory;

    public Migrations(Disk disk, Path directory) {
        this.disk = disk;
        this.directory = directory;
    }

    /**
     * One of them.
     *
     * @param path   of what is moved, in the volume
     * @param layout that it was to get; empty if it has it already
     * @param limit  how fast at most
     */
    public record Unfinished(String path, Optional<LayoutPolicy> layout, Optional<Rate> limit, Instant began) {}

    /** All of them, by their paths. */
    public List<Unfinished> list() throws IOException {
        var found = new ArrayList<Unfinished>();
        for (var file : disk.list(directory)) {
            if (!file.name().startsWith(DRAFT)) {
                read(directory.resolve(file.name())).ifPresent(found::add);
            }
        }
        found.sort(Comparator.comparing(Unfinished::path));
        return found;
    }

    public Optional<Unfinished> find(String path) throws IOException {
        return read(file(path));
    }

    /** One begins; what was unfinished of the same path is that no more. */
    public void begin(Unfinished one) throws IOException {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("path", one.path());
        one.layout().ifPresent(layout -> fields.put("layout", layout));
        one.limit().ifPresent(limit -> fields.put("limit", limit.exact()));
        fields.put("began", one.began());
        disk.makeDirectories(directory);
        var draft = directory.resolve(DRAFT + ProcessHandle.current().pid());
        disk.delete(draft);
        try (var file = disk.create(draft)) {
            file.write(ByteBuffer.wrap(Json.write(fields)), 0);
            file.sync();
        }
        disk.rename(draft, file(one.path()));
        disk.syncDirectory(directory);
    }

    /** It has come to its end. */
    public void end(String path) throws IOException {
        disk.delete(file(path));
    }

    private Path file(String path) {
        return directory.resolve(UUID.nameUUIDFromBytes(path.getBytes(StandardCharsets.UTF_8)).toString());
    }

    private Optional<Unfinished> read(Path path) throws IOException {
        byte[] bytes;
        try (var file = disk.open(path)) {
            bytes = new byte[Math.toIntExact(file.size())];
            file.read(ByteBuffer.wrap(bytes), 0);
        } catch (NoSuchFileException none) {
            return Optional.empty();
        }
        try {
            return Optional.of(parse(bytes));
        } catch (IOException | RuntimeException nonsense) {
            throw new Refusal(Reason.DAMAGED, "the record of an unfinished migration is damaged: %s".formatted(path),
                    nonsense)
                    .detail("remove this file and migrate again; no file of the volume was touched");
        }
    }

    private static Unfinished parse(byte[] bytes) throws IOException {
        var note = Json.read(bytes);
        var fields = note.values();
        return new Unfinished(note.text("path"),
                Optional.ofNullable(fields.get("layout")).map(Object::toString).map(LayoutPolicy::of),
                Optional.ofNullable(fields.get("limit")).map(Object::toString).map(Rate::of),
                Instant.parse(note.text("began")));
    }
}
