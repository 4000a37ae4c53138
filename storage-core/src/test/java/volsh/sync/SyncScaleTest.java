package volsh.sync;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.fs.Attributes;
import volsh.fs.FileKind;
import volsh.transfer.Observer;
import volsh.tree.CopySettings;
import volsh.tree.FileTree;
import volsh.tree.TreeCursor;
import volsh.tree.TreeEntry;

/** A sync of very many files keeps none of them in memory. */
@Tag("memory")
final class SyncScaleTest {
    private static final int FILES = Boolean.getBoolean("volsh.long") ? 5_000_000 : 300_000;
    /** What a hundred bytes for each file would be. */
    private static final long MOST = FILES * 100L;

    private static TreeEntry file(int number) {
        return new TreeEntry("d%04d/file%07d".formatted(number / 1000, number), new Attributes(0,
                FileKind.REGULAR, 0, 0, 0, 1, number, number, 0, 0, 0, 0, 0), "etag",
                new TreeEntry.Origin.Key("key"));
    }

    private static final TreeEntry TOP = new TreeEntry("", new Attributes(0, FileKind.DIRECTORY, 0, 0, 0, 1, 0, 0, 0,
            0, 0, 0, 0), "", new TreeEntry.Origin.Key(""));

    /** Lists so many objects, without every {@code left}-th. Says how much memory is in use half way. */
    private static FileTree tree(int left, AtomicLong removed, AtomicLong used) {
        return (FileTree) Proxy.newProxyInstance(FileTree.class.getClassLoader(), new Class<?>[] {FileTree.class},
                (_, method, arguments) -> switch (method.getName()) {
                    case "find" -> Optional.of(TOP);
                    case "below" -> (TreeCursor) new TreeCursor() {
                        private int next;

                        @Override
                        public TreeEntry next() {
                            if (next > FILES / 2 && used.get() == 0) {
                                System.gc();
                                used.set(Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
                            }
                            next += next % left == 0 ? 1 : 0;
                            return next >= FILES ? null : file(next++);
                        }
                    };
                    case "remove" -> {
                        removed.addAndGet(((List<?>) arguments[0]).size());
                        yield null;
                    }
                    case "keepsAttributes" -> false;
                    case "name" -> "fake:" + arguments[0];
                    case "sync", "complete", "close", "makeDirectory" -> null;
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    @Test
    void memoryDoesNotGrowWithTheListing() throws Exception {
        System.gc();
        long before = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
        var removed = new AtomicLong();
        var used = new AtomicLong();
        var source = tree(3, removed, used);
        var target = tree(FILES, removed, used);
        var settings = new SyncSettings(CopySettings.of(2), true, false, SyncSettings.ALL);
        var summary = new TreeSync(source, target, settings, Observer.NONE).run();
        assertThat(summary.removed()).isEqualTo(removed.get()).isGreaterThan(FILES / 4);
        assertThat(summary.unchanged()).isGreaterThan(FILES / 2);
        assertThat(used.get() - before).as("bytes for %d files", FILES).isLessThan(MOST);
    }
}
