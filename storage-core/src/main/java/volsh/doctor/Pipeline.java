package volsh.doctor;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import volsh.proc.KernelFile;

/**
 * Samples what the processes of a job do: each look finds a process in one {@link Stage}. Only those that use files
 * meanwhile count. Reads /proc and changes nothing.
 */
public final class Pipeline {
    private final Path proc;
    private final Syscalls syscalls;
    private final Map<Long, EnumMap<Stage, Integer>> looks = new HashMap<>();

    /** What a process is doing. */
    public enum Stage {
        OPEN("open and stat"),
        READ("reading"),
        WRITE("writing"),
        DECODE("decode and compute"),
        WAIT("waiting for the job");

        private final String words;

        Stage(String words) {
            this.words = words;
        }

        public String words() {
            return words;
        }
    }

    public Pipeline(Path proc) {
        this.proc = proc;
        this.syscalls = Syscalls.ofThisMachine();
    }

    /** Looks once at these processes. Dead ones are skipped. */
    public void look(Set<Long> processes) {
        for (long process : processes) {
            stage(process).ifPresent(stage -> looks.computeIfAbsent(process, _ -> new EnumMap<>(Stage.class))
                    .merge(stage, 1, Integer::sum));
        }
    }

    /** The most telling of its threads: one that uses a file before one that computes before one that waits. */
    private Optional<Stage> stage(long process) {
        Stage found = null;
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(proc.resolve(process + "/task"))) {
            for (var task : tasks) {
                var stage = thread(process, task);
                found = found == null || stage.compareTo(found) < 0 ? stage : found;
            }
        } catch (IOException gone) {
            return Optional.empty();
        }
        return Optional.ofNullable(found);
    }

    private Stage thread(long process, Path task) {
        String stat = text(task.resolve("stat"));
        char state = stat.isEmpty() ? 'S' : stat.charAt(Math.min(stat.length() - 1, stat.lastIndexOf(')') + 2));
        if (state == 'R') {
            return Stage.DECODE;
        }
        String[] call = text(task.resolve("syscall")).strip().split(" ");
        if (call[0].isEmpty()) {   // permission denied
            return state == 'D' ? Stage.READ : Stage.WAIT;
        }
        if (call[0].equals("running")) {
            return Stage.DECODE;
        }
        int number = Integer.parseInt(call[0]);
        if (number < 0) {
            return state == 'D' ? Stage.READ : Stage.WAIT;   // a page of a mapped file
        }
        var stage = syscalls.stage(number);
        boolean ofFile = stage == Stage.OPEN || isFile(process, call.length > 1 ? call[1] : "0x0");
        return ofFile ? stage : Stage.WAIT;
    }

    /** Reading a pipe or a socket is waiting for another process. */
    private boolean isFile(long process, String descriptor) {
        try {
            var target = Files.readSymbolicLink(proc.resolve("%d/fd/%d".formatted(process, Long.decode(descriptor))))
                    .toString();
            return target.startsWith("/") && !target.startsWith("/dev/");
        } catch (IOException | NumberFormatException unknown) {
            return false;
        }
    }

    private static String text(Path file) {
        try {
            return KernelFile.text(file);
        } catch (IOException unreadable) {
            return "";
        }
    }

    /** How many processes used files. */
    public long readers() {
        return looks.values().stream().filter(Pipeline::usesFiles).count();
    }

    /** The fraction of looks in each stage. Empty if no process used a file. */
    public Map<Stage, Double> parts() {
        var sums = new EnumMap<Stage, Double>(Stage.class);
        double total = 0;
        for (var each : looks.values()) {
            if (usesFiles(each)) {
                for (var stage : each.entrySet()) {
                    sums.merge(stage.getKey(), (double) stage.getValue(), Double::sum);
                    total += stage.getValue();
                }
            }
        }
        double all = total;
        sums.replaceAll((_, count) -> count / all);
        return sums;
    }

    private static boolean usesFiles(Map<Stage, Integer> stages) {
        return stages.containsKey(Stage.OPEN) || stages.containsKey(Stage.READ) || stages.containsKey(Stage.WRITE);
    }
}
