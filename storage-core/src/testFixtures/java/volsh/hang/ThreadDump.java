package volsh.hang;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.Collectors;

/** What all threads of this process do, with the locks they hold and wait for, and which processes it has started. */
final class ThreadDump {
    private ThreadDump() {}

    /** The thread of interest first. */
    static String take(Thread first) {
        var all = ManagementFactory.getThreadMXBean().dumpAllThreads(true, true);
        return Arrays.stream(all)
                .sorted(Comparator.comparing((ThreadInfo each) -> each.getThreadId() != first.threadId())
                        .thenComparing(ThreadInfo::getThreadName))
                .map(ThreadDump::text).collect(Collectors.joining("\n", "", processes()));
    }

    /** As {@link ThreadInfo#toString}, which leaves out all but eight frames. */
    private static String text(ThreadInfo thread) {
        var text = new StringBuilder("\"%s\" #%d %s"
                .formatted(thread.getThreadName(), thread.getThreadId(), thread.getThreadState()));
        if (thread.getLockInfo() != null) {
            text.append(" on ").append(thread.getLockInfo());
        }
        if (thread.getLockOwnerName() != null) {
            text.append(" held by \"%s\" #%d".formatted(thread.getLockOwnerName(), thread.getLockOwnerId()));
        }
        text.append('\n');
        var frames = thread.getStackTrace();
        for (int depth = 0; depth < frames.length; depth++) {
            text.append("    at ").append(frames[depth]).append('\n');
            for (var monitor : thread.getLockedMonitors()) {
                if (monitor.getLockedStackDepth() == depth) {
                    text.append("    - locked ").append(monitor).append('\n');
                }
            }
        }
        for (var lock : thread.getLockedSynchronizers()) {
            text.append("    - holds ").append(lock).append('\n');
        }
        return text.toString();
    }

    /** The processes below this one, which is where a test of a program hangs. */
    private static String processes() {
        return ProcessHandle.current().descendants()
                .map(each -> "process %d, %s: %s%n".formatted(each.pid(), waitsIn(each.pid()),
                        each.info().commandLine().orElse(each.info().command().orElse("?"))))
                .collect(Collectors.joining("", "\n", ""));
    }

    private static String waitsIn(long pid) {
        try {
            String where = Files.readString(Path.of("/proc", Long.toString(pid), "wchan"));
            return where.isEmpty() || where.equals("0") ? "runs" : "waits in " + where;
        } catch (IOException gone) {
            return "has ended";
        }
    }
}
