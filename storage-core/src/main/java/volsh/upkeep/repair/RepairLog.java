package volsh.upkeep.repair;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import volsh.json.Json;
import volsh.upkeep.check.Finding;

/** Logs every row before a repair changes it, in a file that stays: a repair can be undone by hand. */
final class RepairLog implements AutoCloseable {
    private final Path path;
    private @Nullable FileChannel file;

    RepairLog(Path path) {
        this.path = path;
    }

    /** Survives power loss when this returns. */
    void write(Instant time, Finding finding, List<RowChange> changes) throws IOException {
        if (file == null) {
            Files.createDirectories(path.getParent());
            file = FileChannel.open(path, Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        var line = new LinkedHashMap<String, Object>();
        line.put("time", time);
        line.put("damage", finding.damage());
        line.put("subject", finding.subject());
        line.put("detail", finding.detail());
        line.put("rows", changes.stream().map(RowChange::toJson).toList());
        var bytes = ByteBuffer.wrap(Json.line(line));
        while (bytes.hasRemaining()) {
            file.write(bytes);
        }
        file.force(false);
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }
}
