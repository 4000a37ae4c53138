package volsh.mount;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import volsh.unit.ByteSize;
import volsh.volume.Volume;

/** A file with bytes that only a mount's process has: what {@code umount --discard} would lose. */
public record UnwrittenFile(String path, long bytes, Instant since, String why) {
    private static final int TOLD_MAX = 20;

    static UnwrittenFile of(Volume.Pending file) {
        return new UnwrittenFile(file.path().orElse("inode %d (name unknown)".formatted(file.ino())), file.bytes(),
                file.since(), file.failure().map(Throwable::getMessage).orElse(""));
    }

    String line() {
        return Phrase.of("unwritten", List.of(path, Long.toString(bytes), Long.toString(since.toEpochMilli()), why));
    }

    static UnwrittenFile parse(String line) throws IOException {
        try {
            var words = Phrase.parse(line).words();
            return new UnwrittenFile(words.get(0), Long.parseLong(words.get(1)),
                    Instant.ofEpochMilli(Long.parseLong(words.get(2))), words.get(3));
        } catch (RuntimeException unknown) {
            throw new IOException("invalid unwritten file in the answer of the mount: " + line, unknown);
        }
    }

    /** As text, the first of many. */
    static String told(List<Volume.Pending> files) {
        return files.stream().limit(TOLD_MAX).map(UnwrittenFile::of)
                .map(file -> "%s (%s since %s)".formatted(file.path, new ByteSize(file.bytes), file.since))
                .collect(Collectors.joining(", ", "",
                        files.size() > TOLD_MAX ? " and %d more".formatted(files.size() - TOLD_MAX) : ""));
    }
}
