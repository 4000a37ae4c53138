package volsh.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.hang.Eventually;

@Timeout(400)
final class JobsTest {
    @TempDir
    Path directory;
    private Jobs jobs;

    @BeforeEach
    void home() {
        jobs = new Jobs(directory.resolve("jobs"), launcher(), InstantSource.system());
    }

    private static List<String> launcher() {
        return List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC", "-Xshare:auto", "-cp", System.getProperty("java.class.path"),
                JobProgram.class.getName());
    }

    @AfterEach
    void stopAll() throws Exception {
        for (Job job : jobs.list()) {
            jobs.cancel(job.id(), true);
        }
    }

    private Job ended(String id) throws Exception {
        return Eventually.value("job %s has ended".formatted(id), () -> jobs.find(id), job -> !job.state().isOpen());
    }

    @Test
    void everybodySeesHowItEnds() throws Exception {
        Job good = jobs.start(List.of("0"), "nothing");
        Job bad = jobs.start(List.of("7"), "trouble");
        assertThat(List.of(good.id(), bad.id())).containsExactly("j1", "j2");
        assertThat(ended("j1")).matches(job ->
                job.state() == JobState.DONE && job.exit().equals(OptionalInt.of(0)) && job.title().equals("nothing"));
        var other = new Jobs(directory.resolve("jobs"), List.of("/nowhere"), InstantSource.system());
        ended("j2");
        assertThat(other.find("j2")).matches(job ->
                job.state() == JobState.FAILED && job.exit().equals(OptionalInt.of(7)) && job.ended().isPresent());
        assertThat(other.list()).extracting(Job::command).containsExactly(List.of("0"), List.of("7"));
        assertThat(bad.log()).content().as("processes started by a job are not the job").isEqualTo("again false\n");
        modes();
    }

    /** Records and logs name files and arguments: nobody else may read them. */
    private void modes() throws IOException {
        try (Stream<Path> all = Files.walk(directory.resolve("jobs"))) {
            for (Path path : all.toList()) {
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path))).as(path.toString())
                        .isEqualTo(Files.isDirectory(path) ? "rwx------" : "rw-------");
            }
        }
    }

    @Test
    void oneThatRunsIsCancelledAndThenForgotten() throws Exception {
        Job job = jobs.start(List.of("wait"), "long");
        assertThat(job.state()).isEqualTo(JobState.RUNNING);
        assertThat(jobs.forget(job.id())).isFalse();
        assertThat(jobs.cancel(job.id(), false)).isTrue();
        assertThat(ended(job.id()))
                .matches(over -> over.state() == JobState.CANCELLED && over.exit().equals(OptionalInt.of(143)));
        assertThat(jobs.cancel(job.id(), false)).isFalse();
        assertThat(jobs.forget(job.id())).isTrue();
        assertThatThrownBy(() -> jobs.find(job.id())).isInstanceOf(NoSuchElementException.class);
        assertThat(directory.resolve("jobs")).isEmptyDirectory();
    }

    /** Nobody waits for its process: what becomes of it is seen later. */
    @Test
    void oneThatIsLaunchedNeedNotHaveBegun() throws Exception {
        Job good = jobs.launch(List.of("0"), "nothing");
        assertThat(good.state().isOpen() || good.state() == JobState.DONE).isTrue();
        assertThat(ended(good.id()))
                .matches(over -> over.state() == JobState.DONE && over.command().equals(List.of("0")));
        Job mute = jobs.launch(List.of("mute"), "no");
        assertThat(ended(mute.id())).as("at once, not when patience is over")
                .matches(over -> over.state() == JobState.LOST && over.exit().isEmpty());
        assertThat(mute.log()).hasContent("cannot begin");
        Job stopped = jobs.launch(List.of("wait"), "long");
        assertThat(jobs.cancel(stopped.id(), false)).as("it waits until it can be").isTrue();
        assertThat(ended(stopped.id()).state()).isEqualTo(JobState.CANCELLED);
        var elsewhere = new Jobs(directory.resolve("others"), List.of("/nowhere"), InstantSource.system());
        assertThatThrownBy(() -> elsewhere.launch(List.of("0"), "no")).isInstanceOf(IOException.class);
        assertThat(directory.resolve("others")).isEmptyDirectory();
        modes();
    }

    @Test
    void oneWhoseProcessVanishesIsLost() throws Exception {
        Job job = jobs.start(List.of("vanish"), "gone");
        assertThat(ended(job.id())).matches(over -> over.state() == JobState.LOST && over.exit().isEmpty());
    }

    @Test
    void oneThatDoesNotBeginIsAnErrorAndLeavesNothing() {
        assertThatThrownBy(() -> jobs.start(List.of("mute"), "no")).isInstanceOf(IOException.class)
                .hasMessageContaining("cannot begin");
        assertThatThrownBy(() -> new Jobs(directory.resolve("jobs"), List.of("/nowhere"),
                InstantSource.system()).start(List.of("0"), "no"))
                .isInstanceOf(IOException.class);
        assertThat(directory.resolve("jobs")).isEmptyDirectory();
    }

    /** A number that the kernel gave to another process meanwhile, another start of the machine, another host. */
    @Test
    void anotherProcessIsNotTakenForIt() throws Exception {
        var self = ProcessIdentity.ofThisProcess();
        assertThat(new ProcessIdentity(self.host(), self.boot(), self.pid(), self.ticks()).isAlive()).as("the control")
                .isTrue();
        assertThat(new ProcessIdentity(self.host(), self.boot(), self.pid(), self.ticks() + 1).isAlive()).isFalse();
        assertThat(new ProcessIdentity(self.host(), "another", self.pid(), self.ticks()).isAlive()).isFalse();
        assertThat(new ProcessIdentity("another", self.boot(), self.pid(), self.ticks()).isHere()).isFalse();
    }

    @Test
    void jobsOfOtherHostsAndDamagedRecordsAreToldAsSuch() throws Exception {
        Job job = jobs.start(List.of("vanish"), "gone");
        ended(job.id());
        Path place = directory.resolve("jobs").resolve(job.id());
        var self = ProcessIdentity.ofThisProcess();
        PrivateFiles.put(place.resolve(JobProcess.PROCESS),
                new ProcessIdentity("another", self.boot(), self.pid(), self.ticks()).values());
        assertThat(jobs.find(job.id()).state()).isEqualTo(JobState.ELSEWHERE);
        assertThat(jobs.cancel(job.id(), false)).isFalse();
        Files.writeString(place.resolve("job.json"), "{");
        assertThat(jobs.list()).singleElement()
                .matches(damaged -> damaged.state() == JobState.LOST && damaged.title().contains("corrupt"));
        assertThat(jobs.forget(job.id())).isTrue();
    }

    @Test
    void namesThatAreNoJobsAreUnknown() {
        for (String id : List.of("", "j", "7", "../j1", "j1/..", "j99999999999")) {
            assertThatThrownBy(() -> jobs.find(id)).as(id).isInstanceOf(NoSuchElementException.class);
        }
    }

    /** All at once get numbers of their own, and the oldest that are over make room. */
    @Test
    void theRecordIsBounded() throws Exception {
        Path place = directory.resolve("jobs");
        PrivateFiles.makeDirectories(place);
        var self = ProcessIdentity.ofThisProcess();
        for (int number = 1; number <= 205; number++) {
            Path job = place.resolve("j" + number);
            PrivateFiles.makeDirectory(job);
            PrivateFiles.put(job.resolve("job.json"),
                    Map.of("title", "t", "command", List.of(), "directory", "/", "started", "2026-01-01T00:00:00Z"));
            boolean runs = number == 2;
            PrivateFiles.put(job.resolve(JobProcess.PROCESS),
                    new ProcessIdentity(self.host(), runs ? self.boot() : "before", self.pid(), self.ticks()).values());
        }
        var ids = new ArrayList<>(jobs.list().stream().map(Job::id).toList());
        assertThat(ids).hasSize(205);
        assertThat(jobs.start(List.of("0"), "more").id()).isEqualTo("j206");
        assertThat(jobs.list()).extracting(Job::id).hasSize(202).contains("j2", "j205")
                .doesNotContain("j1", "j3", "j4");
        PrivateFiles.put(place.resolve("j2").resolve(JobProcess.END),
                Map.of("exit", 0L, "cancelled", false, "ended", "2026-01-01T00:00:00Z"));
    }
}
