package volsh.vfs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;
import volsh.fs.Attributes;
import volsh.fs.FileKind;
import volsh.fs.FsException;

/** A program on a file system: its open files, and what it sees, in words that compare. */
public final class Program {
    private Posix fs;
    private final Function<Attributes, String> shown;
    private final List<Integer> files = new ArrayList<>();

    /** One system call; what it answers. */
    @FunctionalInterface
    public interface Call {
        Object on(Program program) throws IOException;
    }

    public Program(Posix fs) {
        this(fs, Program::words);
    }

    /** Speaks of attributes in words of its own. */
    public Program(Posix fs, Function<Attributes, String> shown) {
        this.fs = fs;
        this.shown = shown;
    }

    public Posix fs() {
        return fs;
    }

    /** Goes on with another file system; all files must be closed. */
    public void moveTo(Posix other) {
        if (!files.isEmpty()) {
            throw new IllegalStateException("files are open");
        }
        fs = other;
    }

    public int openFiles() {
        return files.size();
    }

    /** The descriptor of an open file. */
    public int file(int index) {
        return files.get(index);
    }

    Object opened(int file) {
        files.add(file);
        return "opened";
    }

    Object close(int index) throws IOException {
        fs.close(files.remove(index));
        return "closed";
    }

    public void closeAll() throws IOException {
        while (!files.isEmpty()) {
            close(files.size() - 1);
        }
    }

    /** What the call answers: a value, or the refusal. */
    public String run(Call call) throws IOException {
        try {
            return words(call.on(this));
        } catch (FsException refused) {
            return "refused: " + refused.error();
        }
    }

    private String words(Object value) {
        return switch (value) {
            case byte[] bytes -> Fingerprint.of(bytes);
            case Attributes found -> shown.apply(found);
            case null -> "done";
            default -> value.toString();
        };
    }

    private static String words(Attributes found) {
        return "%s %o %d:%d links %d size %d a %d m %d c %d dev %d".formatted(
                found.kind(), found.mode(), found.uid(), found.gid(), found.links(),
                found.isDirectory() ? 0 : found.size(), found.atime(), found.mtime(), found.ctime(), found.device());
    }

    /** All there is below the root: attributes, bytes, targets, extended attributes; by path. */
    public TreeMap<String, String> tree() throws IOException {
        var tree = new TreeMap<String, String>();
        describe("/", tree);
        return tree;
    }

    private void describe(String path, TreeMap<String, String> tree) throws IOException {
        var found = fs.lstat(path);
        var text = new StringBuilder(shown.apply(found));
        if (found.kind() == FileKind.SYMLINK) {
            text.append(" -> ").append(fs.readlink(path));
        } else {
            for (var name : fs.listxattr(path).stream().sorted().toList()) {
                text.append(' ').append(name).append('=').append(Fingerprint.of(fs.getxattr(path, name)));
            }
        }
        if (found.isRegular()) {
            text.append(' ').append(Fingerprint.of(fs.load(path)));
        }
        tree.put(path, text.toString());
        if (found.isDirectory()) {
            for (var name : fs.list(path)) {
                describe(path.equals("/") ? "/" + name : path + "/" + name, tree);
            }
        }
    }
}
