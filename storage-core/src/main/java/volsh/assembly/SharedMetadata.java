package volsh.assembly;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.disk.Disk;
import volsh.engine.MetaEngine;
import volsh.engine.postgres.PostgresMetaEngine;
import volsh.engine.postgres.PostgresUrl;

/**
 * Metadata that is not in a volume's directory here but in a database: a file there, mode 0600, names the database. It
 * may hold a password, so its content is only for the engine.
 */
public record SharedMetadata(Disk disk) {
    private static final String FILE = "meta.url";

    /** Beside it where the volume was made, as against attached: an empty file. */
    private static final String MADE_HERE = "meta.made-here";

    private static final String SUM = "sum ";
    private static final Pattern SUMMED = Pattern.compile("(?s).*sum [0-9a-f]{8}\\s*");

    /** Where the metadata is, if it is in a database. @throws Refusal DAMAGED if the file is not what was written */
    public Optional<PostgresUrl> place(Path directory) throws IOException {
        try {
            return Optional.of(PostgresUrl.of(
                    line(new String(Files.readAllBytes(directory.resolve(FILE)), StandardCharsets.UTF_8))));
        } catch (NoSuchFileException embedded) {
            return Optional.empty();
        } catch (IllegalArgumentException nonsense) {
            throw new Refusal(Reason.DAMAGED, "the file that says which database has the metadata is damaged: %s"
                    .formatted(directory.resolve(FILE)), nonsense)
                    .detail("write the URL of the database there, postgres://user@host/database#volume, "
                            + "as its only line");
        }
    }

    /** The URL, if the checksum below it matches. A line alone was written by an earlier version, or by hand. */
    private static String line(String text) {
        var lines = text.lines().toList();
        boolean sound = lines.size() == 2 ? lines.get(1).equals(SUM + sum(lines.getFirst()))
                : lines.size() == 1 && text.endsWith("\n") && !SUMMED.matcher(text).matches();
        if (!sound) {
            throw new IllegalArgumentException("it does not match its checksum");
        }
        return lines.getFirst();
    }

    private static String sum(String line) {
        var sum = new CRC32C();
        sum.update(line.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().toHexDigits((int) sum.getValue());
    }

    /**
     * Creates the metadata. The file that names the database is written first, so that an interrupted creation can be
     * removed.
     */
    public MetaEngine create(Path directory, PostgresUrl url, UUID volume) throws IOException {
        writeMade(directory, url);
        return PostgresMetaEngine.create(url, volume);
    }

    /**
     * Whether this machine made them: it may take away what they were of even if the database is lost. Homes of earlier
     * versions do not know.
     */
    boolean areMadeHere(Path directory) {
        return Files.exists(directory.resolve(MADE_HERE));
    }

    /** Remembers where they are, and that this machine made them. */
    public void writeMade(Path directory, PostgresUrl url) throws IOException {
        write(directory, url);
        disk.delete(directory.resolve(MADE_HERE));
        try (var mark = disk.create(directory.resolve(MADE_HERE))) {
            mark.sync();
        }
        disk.syncDirectory(directory);
    }

    public MetaEngine open(PostgresUrl url, UUID volume) throws IOException {
        return PostgresMetaEngine.open(url, volume);
    }

    /** Removes the metadata, for all machines. */
    void drop(PostgresUrl url, UUID volume) throws IOException {
        PostgresMetaEngine.drop(url, volume);
    }

    /** They are beside everything of this machine from now on. */
    public void forget(Path directory) throws IOException {
        disk.delete(directory.resolve(FILE));
        disk.delete(directory.resolve(MADE_HERE));
        disk.syncDirectory(directory);
    }

    /**
     * Remembers where they are, in one step: a file that is half written would keep a killed creation from being
     * undone.
     */
    public void write(Path directory, PostgresUrl url) throws IOException {
        var text = "%s\n%s%s\n".formatted(url.secret(), SUM, sum(url.secret()));
        var unfinished = directory.resolve(FILE + ".new");
        disk.makeDirectories(directory);
        disk.delete(unfinished);
        try (var file = disk.create(unfinished)) {
            file.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), 0);
            file.sync();
        }
        disk.rename(unfinished, directory.resolve(FILE));
        disk.syncDirectory(directory);
    }
}
