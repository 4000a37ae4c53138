package volsh.checkpoint;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import volsh.fs.Attributes;
import volsh.fs.DirectoryEntry;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.transfer.TreeWalk;
import volsh.vfs.Vfs;

/**
 * Finds what a job has finished writing in a directory of the volume. A file or directory with a matching name is ready
 * when it is not open for writing, as far as {@link Busy} knows, and nothing in it has changed for a while. The last
 * number in its name is its step.
 */
public final class Watch {
    private static final Pattern NUMBER = Pattern.compile("(\\d{1,12})(?!.*\\d)");

    private final Vfs vfs;
    private final String directory;
    private final Pattern pattern;
    private final Duration settle;
    private final InstantSource clock;
    private final Busy busy;
    private final Map<Long, Seen> seen = new HashMap<>();
    private final Set<Long> done = new HashSet<>();

    /** Whether this file is being written. */
    public interface Busy {
        boolean test(long ino) throws IOException;
    }

    /** A finished file or directory. */
    public record Ready(String name, long step, String path, Attributes attributes) {}

    private record Seen(String state, Instant since) {}

    /** {@code pattern} is a shell pattern with {@code *} and {@code ?}. */
    public Watch(Vfs vfs, String directory, String pattern, Duration settle, InstantSource clock, Busy busy) {
        this.vfs = vfs;
        this.directory = directory;
        this.pattern = pattern(pattern);
        this.settle = settle;
        this.clock = clock;
        this.busy = busy;
    }

    private static Pattern pattern(String glob) {
        var text = new StringBuilder();
        for (char c : glob.toCharArray()) {
            text.append(c == '*' ? "[^/]*" : c == '?' ? "[^/]" : Pattern.quote(String.valueOf(c)));
        }
        return Pattern.compile(text.toString());
    }

    /** The step in a name; empty if it contains no number. */
    static OptionalLong step(String name) {
        Matcher number = NUMBER.matcher(name);
        return number.find() ? OptionalLong.of(Long.parseLong(number.group(1))) : OptionalLong.empty();
    }

    /** Those that are ready now and not {@link #done done}, by step. */
    public List<Ready> look() throws IOException {
        var ready = new ArrayList<Ready>();
        long root = new volsh.vfs.Paths(vfs).resolve(directory).ino();
        var page = vfs.list(root, null, Integer.MAX_VALUE);
        seen.keySet().retainAll(page.stream().map(DirectoryEntry::ino).toList());
        for (var entry : page) {
            String name = entry.name().toString();
            var step = step(name);
            if (pattern.matcher(name).matches() && step.isPresent() && !done.contains(entry.ino())
                    && isReady(entry.ino())) {
                ready.add(new Ready(name, step.getAsLong(), (directory.equals("/") ? "" : directory) + "/" + name,
                        vfs.attributes(entry.ino())));
            }
        }
        ready.sort(java.util.Comparator.comparingLong(Ready::step));
        return ready;
    }

    private boolean isReady(long ino) throws IOException {
        var now = clock.instant();
        String state;
        try {
            state = state(ino);
        } catch (FsException gone) {
            if (gone.error() != FsError.NO_ENTRY) {
                throw gone;
            }
            return false;
        }
        var before = seen.get(ino);
        if (before == null || !before.state().equals(state) || state.isEmpty()) {
            seen.put(ino, new Seen(state, now));
            return settle.isZero() && !state.isEmpty();
        }
        return !before.since().plus(settle).isAfter(now);
    }

    /** Changes when anything in it does; empty if it is being written, or has no content. */
    private String state(long ino) throws IOException {
        var attributes = vfs.attributes(ino);
        if (!attributes.isDirectory()) {
            return !attributes.isRegular() || attributes.size() == 0 || busy.test(ino) ? "" : mark(attributes);
        }
        var text = new StringBuilder();
        boolean[] writing = {false};
        new TreeWalk(vfs).below(ino, found -> {
            writing[0] |= found.attributes().isRegular() && busy.test(found.attributes().ino());
            text.append(found.path()).append(mark(found.attributes()));
            return true;
        });
        return writing[0] ? "" : text.toString();
    }

    private static String mark(Attributes attributes) {
        return ":%d:%d:%d:%d;".formatted(attributes.ino(), attributes.size(), attributes.mtime(), attributes.version());
    }

    /** Excludes it from further results. */
    public void done(Ready ready) {
        done.add(ready.attributes().ino());
    }

    /** Whether everything that matches has been found ready and nothing is waiting to settle. */
    public boolean isQuiet() {
        return done.containsAll(seen.keySet());
    }
}
