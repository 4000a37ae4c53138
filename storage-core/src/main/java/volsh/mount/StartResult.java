package volsh.mount;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import volsh.catalog.Refusal.Reason;
import volsh.disk.OsDisk;
import volsh.json.Fields;
import volsh.json.Json;

/**
 * The result of starting a mount in a process of its own: a small JSON file named by the starting process and filled in
 * by the mount's process. An empty file means that the mount is still starting.
 */
public sealed interface StartResult {
    /** The mount answers. */
    record Ready() implements StartResult {}

    /** There is no mount. */
    record Failed(Reason reason, String message, List<String> hints) implements StartResult {
        public Failed {
            hints = List.copyOf(hints);
        }
    }

    /** Writes the result atomically; does nothing if the file is gone, because then no process waits for it. */
    default void write(Path file) throws IOException {
        if (!Files.exists(file)) {
            return;
        }
        var fresh = file.resolveSibling("." + file.getFileName());
        var disk = new OsDisk();
        disk.delete(fresh);
        try (var out = disk.create(fresh)) {   // 0600, whatever the umask
            out.write(ByteBuffer.wrap(Json.write(switch (this) {
                case Ready() -> Map.of("ready", true);
                case Failed(var reason, var message, var hints) ->
                        Map.of("ready", false, "reason", reason.name(), "message", message, "hints", hints);
            })), 0);
        }
        disk.rename(fresh, file);
    }

    /** Empty while the mount is starting. */
    static Optional<StartResult> read(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        return bytes.length == 0 ? Optional.empty() : Optional.of(of(Json.read(bytes)));
    }

    private static StartResult of(Fields fields) throws IOException {
        if (Boolean.TRUE.equals(fields.values().get("ready"))) {
            return new Ready();
        }
        var hints = fields.values().get("hints") instanceof List<?> list ? list : List.of();
        return new Failed(
                Reason.valueOf(fields.text("reason")), fields.text("message"),
                hints.stream().map(String::valueOf).toList());
    }
}
