package volsh.imported;

import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Optional;
import volsh.block.StoreUrl;
import volsh.json.Fields;
import volsh.json.Json;

/**
 * What a volume remembers of an import, in the setting {@code import-N}.
 *
 * @param number by which block rows name it; never used again
 * @param url the bucket, and the prefix that keys are relative to
 * @param directory the inode whose files the objects became
 * @param after the key behind which an unfinished import goes on; empty from the beginning
 * @param finished when it last ended; empty while it is unfinished
 */
public record ImportRecord(
        int number, StoreUrl url, long directory, Instant started, Optional<Instant> finished, String after) {
    static final String PREFIX = "import-";

    String setting() {
        return PREFIX + number;
    }

    ImportRecord after(String key) {
        return new ImportRecord(number, url, directory, started, Optional.empty(), key);
    }

    ImportRecord finished(Instant time) {
        return new ImportRecord(number, url, directory, started, Optional.of(time), "");
    }

    ImportRecord startedAgain(Instant time) {
        return new ImportRecord(number, url, directory, time, Optional.empty(), "");
    }

    byte[] toBytes() throws IOException {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("form", "1");
        fields.put("url", url.toString());
        fields.put("directory", directory);
        fields.put("started", started.toString());
        fields.put("finished", finished.map(Instant::toString).orElse(""));
        fields.put("after", after);
        return Json.write(fields);
    }

    static ImportRecord parse(String setting, byte[] value) throws IOException {
        try {
            Fields fields = Json.read(value);
            if (!fields.text("form").equals("1")) {
                throw new IOException("form " + fields.text("form"));
            }
            String finished = fields.text("finished");
            return new ImportRecord(Integer.parseInt(setting.substring(PREFIX.length())),
                    StoreUrl.of(fields.text("url")), fields.number("directory"), Instant.parse(fields.text("started")),
                    finished.isEmpty() ? Optional.empty() : Optional.of(Instant.parse(finished)),
                    fields.text("after"));
        } catch (IOException | IllegalArgumentException | DateTimeException nonsense) {
            throw new IOException("the setting '%s' is no import that this volsh knows: %s"
                    .formatted(setting, nonsense.getMessage()), nonsense);
        }
    }
}
