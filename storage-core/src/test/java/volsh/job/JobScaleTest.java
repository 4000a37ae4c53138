package volsh.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.json.Json;

/** Records of years are listed, and the oldest go. */
final class JobScaleTest {
    private static final int JOBS = Boolean.getBoolean("volsh.long") ? 10_000 : 250;

    @TempDir
    Path directory;

    @Test
    void theOldestThatAreOverGo() throws Exception {
        var place = directory.resolve("jobs");
        PrivateFiles.makeDirectories(place);
        for (int i = 1; i <= JOBS; i++) {
            var job = place.resolve("j" + i);
            PrivateFiles.makeDirectory(job);
            var record = new LinkedHashMap<String, Object>();
            record.put("title", "job " + i);
            record.put("command", List.of("version"));
            record.put("directory", directory);
            record.put("started", Instant.EPOCH);
            PrivateFiles.put(job.resolve("job.json"), record);
            PrivateFiles.put(job.resolve(JobProcess.END), Map.of("exit", 0, "ended", Instant.EPOCH));
        }
        var jobs = new Jobs(place, List.of("/bin/sleep"), InstantSource.system());
        assertThat(jobs.list()).hasSize(JOBS).allMatch(job -> job.state() == JobState.DONE);
        var launched = jobs.launch(List.of("1000"), "one more");
        assertThat(launched.id()).isEqualTo("j" + (JOBS + 1));
        assertThat(jobs.list()).hasSize(201);
        assertThat(Files.exists(place.resolve("j1"))).isFalse();
        ProcessHandle.of(Json.read(Files.readAllBytes(place.resolve(launched.id()).resolve("launched.json")))
                .number("pid")).ifPresent(ProcessHandle::destroyForcibly);
    }
}
