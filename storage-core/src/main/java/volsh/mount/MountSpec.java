package volsh.mount;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import volsh.unit.ByteSize;
import volsh.unit.Span;
import volsh.volume.VolumePath;

/** What is to be mounted where, and how. It travels to the mount's own process as words of a command line. */
public record MountSpec(
        VolumePath source,
        Path mountPoint,
        boolean readOnly,
        boolean allowOther,
        boolean directIo,
        boolean writebackCache,
        Duration attributeTimeout,
        Duration entryTimeout,
        ByteSize cacheMemory) {

    public MountSpec {
        if (!mountPoint.isAbsolute()) {
            throw new IllegalArgumentException("a mount point is an absolute path: " + mountPoint);
        }
    }

    /** What the kernel's mount table shows as the source. */
    String label() {
        return "volsh:" + (source.path().equals("/") ? source.volume() : source);
    }

    /** The options as words: what {@code volsh mount} was asked, without the defaults. */
    public List<String> words() {
        var words = new ArrayList<String>();
        words.add(source.toString());
        words.add(mountPoint.toString());
        add(words, readOnly, "--read-only");
        add(words, !allowOther, "--no-allow-other");
        add(words, directIo, "--direct-io");
        add(words, writebackCache, "--writeback-cache");
        words.add("--attribute-timeout=" + new Span(attributeTimeout));
        words.add("--entry-timeout=" + new Span(entryTimeout));
        words.add("--cache-memory=" + cacheMemory.exact());
        return words;
    }

    private static void add(List<String> words, boolean wanted, String word) {
        if (wanted) {
            words.add(word);
        }
    }
}
