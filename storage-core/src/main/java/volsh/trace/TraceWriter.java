package volsh.trace;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import volsh.fuse.Asked;

/**
 * Writes a trace as it is recorded: a header, a line for each request, the names of files that no request named, and an
 * end. See docs/FORMAT.md.
 */
public final class TraceWriter implements AutoCloseable {
    static final String MAGIC = "volsh-trace 1";
    static final String HEADER = "# ";
    static final String NAME = "name ";
    static final String END = "end ";
    static final long ROOT = 1;

    private final BufferedWriter out;
    private final Set<Long> named = new HashSet<>(Set.of(ROOT));
    private final Set<Long> nameless = new HashSet<>();
    private long count;

    /** Creates a file that only its owner may read: it contains names. */
    public TraceWriter(Path file, Map<String, String> header) throws IOException {
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        out = new BufferedWriter(new OutputStreamWriter(new GZIPOutputStream(
                Files.newOutputStream(file, StandardOpenOption.WRITE)), StandardCharsets.US_ASCII));
        out.write(MAGIC + "\n");
        for (var field : header.entrySet()) {
            out.write("%s%s %s%n".formatted(HEADER, field.getKey(),
                    Asked.encoded(field.getValue().getBytes(StandardCharsets.UTF_8))));
        }
    }

    public void add(List<Asked> requests) throws IOException {
        for (var asked : requests) {
            if (asked.operation().equals(Asked.ENTRY)) {
                if (!named.contains(asked.result())) {
                    name(asked.result(), asked.node(), asked.name());
                }
                continue;
            }
            out.write(asked.line());
            out.write('\n');
            count++;
            note(asked.node());
            if (asked.other() != 0) {
                note(asked.other());
            }
            if (asked.name().length > 0 && asked.result() != 0) {
                named.add(asked.result());
                nameless.remove(asked.result());
            }
        }
    }

    private void note(long node) {
        if (node != 0 && !named.contains(node)) {
            nameless.add(node);
        }
    }

    /** Files and directories of requests whose names no request contains: the kernel had them cached. */
    public int nameless() {
        return nameless.size();
    }

    public boolean isNameless(long node) {
        return nameless.contains(node);
    }

    /** The name of an inode, in a directory. */
    public void name(long node, long directory, byte[] name) throws IOException {
        out.write("%s%d %d %s%n".formatted(NAME, node, directory, Asked.encoded(name)));
        nameless.remove(node);
        note(directory);
        named.add(node);
    }

    public long count() {
        return count;
    }

    /** Marks the trace as complete: without this it counts as truncated. */
    public void finish(long dropped, long nanos) throws IOException {
        out.write("%s%d %d %d%n".formatted(END, count, dropped, nanos));
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
