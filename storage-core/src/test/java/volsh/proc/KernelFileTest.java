package volsh.proc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The real /proc, as cat(1) reads it. */
final class KernelFileTest {
    @ParameterizedTest
    @ValueSource(strings = {"/proc/sys/vm/overcommit_ratio", "/proc/sys/kernel/pid_max", "/proc/sys/vm/max_map_count",
            "/proc/sys/kernel/hostname", "/proc/sys/kernel/random/boot_id", "/proc/sys/fs/pipe-max-size",
            "/proc/version", "/proc/cpuinfo", "/proc/filesystems"})
    void whatCatPrints(String file) throws Exception {
        String first = cat(file);
        String read = KernelFile.text(Path.of(file));
        // clock rates and tables may change meanwhile
        for (int tries = 0; tries < 20 && !read.equals(first); tries++) {
            first = cat(file);
            read = KernelFile.text(Path.of(file));
        }
        assertThat(read).isEqualTo(first).isNotBlank();
        assertThat(KernelFile.line(Path.of(file))).doesNotEndWith("\n");
    }

    private static String cat(String file) throws Exception {
        var process = new ProcessBuilder("cat", file).redirectErrorStream(true).start();
        var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        assertThat(process.waitFor()).isZero();
        return text;
    }

    @Test
    void numbers() throws IOException {
        assertThat(KernelFile.number(Path.of("/proc/sys/kernel/pid_max"))).isGreaterThanOrEqualTo(300);
        assertThatThrownBy(() -> KernelFile.number(Path.of("/proc/version"))).isInstanceOf(IOException.class)
                .hasMessageContaining("/proc/version is not a number");
        assertThatThrownBy(() -> KernelFile.text(Path.of("/proc/none"))).isInstanceOf(NoSuchFileException.class);
    }

    /** Larger than one buffer: the table of symbols, or what this process maps. */
    @Test
    void longFiles() throws IOException {
        assertThat(KernelFile.text(Path.of("/proc/self/smaps"))).contains("VmFlags:").hasSizeGreaterThan(64 << 10);
    }

    @Test
    void processes() throws IOException, InterruptedException {
        assertThat(ProcessStat.isRunning(ProcessHandle.current().pid())).isTrue();
        var stat = ProcessStat.parse(
                "12 (a) b (c)) Z 1 2 3 4 5 4194304 7 8 9 10 11 12 13 14 15 16 17 18 987654 20 21 9\n");
        assertThat(stat).isEqualTo(new ProcessStat('Z', 4194304, 987654, 9));
        assertThat(stat.isRunning()).isFalse();
        var sleeper = new ProcessBuilder("sleep", "60").start();
        assertThat(ProcessStat.of(sleeper.pid()).orElseThrow().isRunning()).isTrue();
        sleeper.destroyForcibly().waitFor();
        assertThat(ProcessStat.isRunning(sleeper.pid())).isFalse();
    }

    /**
     * No other way to read what the kernel makes up: what looks like /proc or /sys is read here, and nowhere by Files.
     */
    @Test
    void nobodyReadsThemOtherwise() throws IOException {
        var wrong = Pattern.compile(
                "Files\\s*\\.(readString|readAllLines|readAllBytes|lines|newBufferedReader)\\(\\s*[^;]*"
                        + "(\"/(proc|sys)|\\bproc\\b|\\bPROC\\b|cgroup|meminfo|mountinfo|/status\"|hostname|boot_id)");
        var project = Path.of(System.getProperty("volsh.project", "")).toAbsolutePath();
        while (!Files.isDirectory(project.resolve("storage-core/src/main/java"))) {
            project = project.getParent();
        }
        for (String module : List.of("storage-core", "commands", "shell")) {
            try (var sources = Files.walk(project.resolve(module).resolve("src/main/java"))) {
                for (var source : sources.filter(path -> path.toString().endsWith(".java")).toList()) {
                    assertThat(wrong.matcher(Files.readString(source)).results()
                            .map(found -> source.getFileName() + ": " + found.group()).toList()).isEmpty();
                }
            }
        }
    }
}
