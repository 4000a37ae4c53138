package volsh.bucketfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import volsh.cache.disk.DiskTier;
import volsh.fs.Attributes;
import volsh.fs.Owner;
import volsh.hang.Eventually;
import volsh.object.MemoryObjects;
import volsh.object.ObjectHeaders;
import volsh.object.ObjectInfo;
import volsh.object.ObjectQuery;
import volsh.object.ObjectStore;
import volsh.object.PutCondition;
import volsh.unit.ByteSize;
import volsh.vfs.MountPosix;
import volsh.vfs.Posix;
import volsh.vfs.Program;
import volsh.vfs.RandomCalls;
import volsh.vfs.ReferencePosix;
import volsh.vfs.SeedList;

/**
 * Random system calls on a mount of a bucket and on the {@link ReferencePosix}: what the table of plain mounts in
 * docs/SEMANTICS.md promises is answered alike, the rest is refused; between them another program changes objects.
 * Whenever all files are closed, the objects of the bucket are the files of the model. With a small buffer files are
 * sent in parts; then EOPNOTSUPP and EBUSY are right answers where the table names them.
 */
@Tag("model")
final class BucketModelTest {
    private static final int CALLS =
            Integer.getInteger("volsh.calls", Boolean.getBoolean("volsh.long") ? 6_000 : 1_500);
    private static final int PARTS = 3;
    private static final int UNIT = 4096;
    private static final int SIZE_MAX = 12 * UNIT;
    private static final int LOG = 120;
    private static final int PAGE = 4096;
    private static final Pattern WRITE = Pattern.compile("write #\\d+ at (\\d+): \\[(\\d+) bytes.*");
    private static final Pattern FILE = Pattern.compile("#(\\d+)");
    private static final List<String> NAMES = List.of("a", "b", "c", "dd", "ee");

    @TempDir
    private Path temporary;

    @TestFactory
    Stream<DynamicTest> agreesWithTheModel() throws IOException {
        return new SeedList("/volsh/bucketfs/model-seeds.txt", 4, 100).seeds().stream()
                .map(seed -> DynamicTest.dynamicTest("seed " + seed, () -> new Run(seed, new MemoryObjects(UNIT))
                        .run()));
    }

    /** Negative control: a server that loses one put of ten is noticed. */
    @Test
    void noticesAPutThatIsLost() {
        assertThat(catchThrowable(() -> new Run(3, losing(new MemoryObjects(UNIT))).run()))
                .isInstanceOf(AssertionError.class);
    }

    private static ObjectStore losing(MemoryObjects store) {
        var random = new Random(1);
        return (ObjectStore) Proxy.newProxyInstance(ObjectStore.class.getClassLoader(),
                new Class<?>[] {ObjectStore.class}, (_, method, arguments) -> {
                    if (method.getName().equals("put") && random.nextInt(10) == 0) {
                        int size = ((ByteBuffer) arguments[1]).remaining();
                        return new ObjectInfo((String) arguments[0], size, Instant.now(), "lost", Map.of());
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    private final class Run {
        private final long seed;
        private final Random random;
        private final ObjectStore store;
        private final BucketSettings settings;
        private final long buffer;
        private final boolean asking;
        private final ArrayDeque<String> log = new ArrayDeque<>();
        private final Set<Long> sent = new HashSet<>();   // open files that were long
        private final Program expected = new Program(new ReferencePosix(InstantSource.system()), Run::words);

        Run(long seed, ObjectStore store) {
            this.seed = seed;
            this.store = store;
            this.random = new Random(seed);
            this.asking = random.nextBoolean();
            this.buffer = random.nextBoolean() ? 1 << 20 : UNIT * (2L + random.nextInt(6));
            this.settings = new BucketSettings(asking ? Duration.ZERO : Duration.ofMinutes(1), false, false, false,
                    new Owner(0, 0), new ByteSize(UNIT), new ByteSize(buffer), ByteSize.of("1MiB"), 1000);
        }

        void run() throws IOException {
            System.out.printf("bucket model seed %d: buffer %d, asking %s%n", seed, buffer, asking);
            for (int part = 0; part < PARTS; part++) {
                part();
            }
        }

        /** Mounts, works, closes and unmounts. */
        private void part() throws IOException {
            var parent = Files.createTempDirectory(temporary, "part");
            try (var bucket = MountedBucket.of(parent, settings, store, store, DiskTier.NONE);
                    var posix = new MountPosix(bucket.directory())) {
                var actual = new Program(posix, Run::words);
                assertSame(actual, "mounted", true);
                var calls = new RandomCalls(random, SIZE_MAX, UNIT);
                for (int i = 0; i < CALLS / PARTS; i++) {
                    if (asking && random.nextInt(20) == 0) {
                        another();
                    }
                    step(calls.next(expected.openFiles()), actual);
                    if (i % 250 == 249) {
                        assertSame(actual, "on the way", false);
                    }
                }
                expected.closeAll();
                actual.closeAll();
                assertSame(actual, "closed", true);
                assertObjects();
                Eventually.holds("no upload is left", () -> store.unfinished("").isEmpty());
            }
        }

        // ---- another program

        /** Puts or deletes an object that no program on the mount has open. */
        private void another() throws IOException {
            var path = "/" + NAMES.get(random.nextInt(NAMES.size()))
                    + (random.nextBoolean() ? "/" + NAMES.get(random.nextInt(NAMES.size())) : "");
            var now = expected.run(program -> program.fs().lstat(path));
            boolean isFile = now.startsWith("REGULAR");
            boolean canBeMade = now.equals("refused: NO_ENTRY")
                    && expected.run(program -> program.fs().stat(path.substring(0, path.lastIndexOf('/') + 1)))
                            .startsWith("DIRECTORY");
            if (isFile && isOpenBelow(path) || !isFile && !canBeMade) {
                return;
            }
            if (isFile && random.nextBoolean()) {
                told("another program deletes " + path);
                store.delete(List.of(path.substring(1)));
                expected.fs().unlink(path);
            } else {
                byte[] bytes = new byte[random.nextInt(SIZE_MAX)];
                random.nextBytes(bytes);
                told("another program puts %d bytes as %s".formatted(bytes.length, path));
                store.put(path.substring(1), ByteBuffer.wrap(bytes), ObjectHeaders.NONE,
                        PutCondition.ALWAYS);
                expected.fs().save(path, bytes);
            }
        }

        private void told(String line) {
            log.addLast(line);
            if (log.size() > LOG) {
                log.removeFirst();
            }
        }

        // ---- what the model says

        private boolean isOpenBelow(String path) throws IOException {
            return openBelow(path, 0);
        }

        /** Whether a program has a file open, longer than this, at a path or below it. */
        private boolean openBelow(String path, long size) throws IOException {
            var found = expected.fs().lstat(path);
            if (found.isDirectory()) {
                for (var name : expected.fs().list(path)) {
                    if (openBelow(path + "/" + name, size)) {
                        return true;
                    }
                }
                return false;
            }
            for (int i = 0; i < expected.openFiles(); i++) {
                if (opened(i).ino() == found.ino()) {
                    return found.size() >= size;
                }
            }
            return false;
        }

        private Attributes opened(int index) throws IOException {
            return expected.fs().fstat(expected.file(index));
        }

        /** Whether the table promises this call at all. */
        private boolean isPromised(RandomCalls.Step step) {
            return !step.text().matches("(fallocate|copy|link|symlink|mknod|chmod|chown|utimens|futimens|getxattr"
                    + "|setxattr|listxattr|removexattr|rename .* EXCHANGE).*");
        }

        /** Whether a call is about a file that was removed or replaced while it was open. */
        private boolean isAboutARemovedFile(RandomCalls.Step step) throws IOException {
            var names = FILE.matcher(step.text());
            while (names.find()) {
                if (opened(Integer.parseInt(names.group(1))).links() == 0) {
                    return true;
                }
            }
            return false;
        }

        /** Whether the table lets this call be refused although the model does not. */
        private boolean mayBeRefused(RandomCalls.Step step, String answer) throws IOException {
            var words = step.text().split(" ");
            return switch (answer) {
                case "refused: NOT_SUPPORTED" -> switch (words[0]) {
                    case "write", "read", "ftruncate" -> isLong(step);
                    case "truncate" ->
                        Math.max(expected.fs().stat(words[1]).size(), Long.parseLong(words[3])) > buffer
                                || sent.contains(expected.fs().stat(words[1]).ino());
                    default -> false;
                };
                case "refused: BUSY" -> words[0].equals("rename") && openBelow(words[1], buffer);
                default -> false;
            };
        }

        /** Whether a file of this call is, or would become, longer than what a mount keeps in memory. */
        private boolean isLong(RandomCalls.Step step) throws IOException {
            var names = FILE.matcher(step.text());
            long size = 0;
            while (names.find()) {
                var file = opened(Integer.parseInt(names.group(1)));
                size = Math.max(size, sent.contains(file.ino()) ? buffer + 1 : file.size());
            }
            return size > buffer || reach(step.text()) > buffer;
        }

        /** The kernel may send such a write page by page, and the second one be refused. */
        private static boolean isSplit(RandomCalls.Step step) {
            var write = WRITE.matcher(step.text());
            return write.matches() && Long.parseLong(write.group(1)) / PAGE != (reach(step.text()) - 1) / PAGE;
        }

        private static long reach(String text) {
            var write = WRITE.matcher(text);
            var resize = Pattern.compile("ftruncate #\\d+ to (\\d+)").matcher(text);
            return write.matches() ? Long.parseLong(write.group(1)) + Long.parseLong(write.group(2))
                    : resize.matches() ? Long.parseLong(resize.group(1)) : 0;
        }

        // ---- steps

        private void step(RandomCalls.Step step, Program actual) throws IOException {
            told(step.text());
            try {
                if (!isPromised(step)) {
                    refused(step, actual);
                } else if (buffer > SIZE_MAX || !isSplit(step)) {
                    compare(step, actual);
                }
            } catch (IOException | RuntimeException failure) {
                throw new AssertionError(story(step.text()), failure);
            }
        }

        /** Changing nothing may succeed. The kernel copies by reading and writing. */
        private void refused(RandomCalls.Step step, Program actual) throws IOException {
            if (step.text().startsWith("copy")) {
                return;
            }
            String answer = actual.run(step.call());
            boolean mayBeNothing = step.text().matches("((chmod|chown|utimens|futimens) .*|rename (\\S+) to \\3 .*)");
            if (!mayBeNothing && !answer.equals("nothing")) {
                assertThat(answer).as(story(step.text())).startsWith("refused");
            }
        }

        private void compare(RandomCalls.Step step, Program actual) throws IOException {
            boolean removed = isAboutARemovedFile(step);
            String answer = actual.run(step.call());
            told("    " + answer);
            if (isRefusal(answer) && mayBeRefused(step, answer)) {
                return;
            }
            String right = expected.run(step.call());
            noteLongFiles();
            boolean both = isRefusal(answer) && isRefusal(right);
            if (!answer.equals(right) && !both && !removed) {
                assertThat(answer).as(story(step.text())).isEqualTo(right);
            }
        }

        /** Parts of a long file are sent, and cannot be changed before it is closed even if it becomes short. */
        private void noteLongFiles() throws IOException {
            var open = new HashSet<Long>();
            for (int i = 0; i < expected.openFiles(); i++) {
                var file = opened(i);
                open.add(file.ino());
                if (file.size() > buffer) {
                    sent.add(file.ino());
                }
            }
            sent.retainAll(open);
        }

        private static boolean isRefusal(String answer) {
            return answer.startsWith("refused");
        }

        // ---- trees

        private void assertSame(Program actual, String when, boolean contents) throws IOException {
            var right = new TreeMap<String, String>();
            describe(expected.fs(), "/", contents, right);
            var found = new TreeMap<String, String>();
            describe(actual.fs(), "/", contents, found);
            assertThat(found).as(story(when)).isEqualTo(right);
        }

        private void describe(Posix fs, String path, boolean contents, Map<String, String> tree) throws IOException {
            var found = fs.lstat(path);
            tree.put(path, words(found) + (contents && found.isRegular() ? " " + Arrays.hashCode(fs.load(path)) : ""));
            if (found.isDirectory()) {
                for (var name : fs.list(path)) {
                    describe(fs, path.equals("/") ? "/" + name : path + "/" + name, contents, tree);
                }
            }
        }

        /** One file is one object, and nothing else is in the bucket but markers of directories. */
        private void assertObjects() throws IOException {
            var right = new TreeMap<String, Integer>();
            files("/", right);
            var found = new TreeMap<String, Integer>();
            var page = store.list(ObjectQuery.all(""));
            assertThat(page.next()).isEmpty();
            for (var object : page.objects()) {
                if (!object.key().endsWith("/")) {
                    var bytes = ByteBuffer.allocate((int) object.size());
                    store.get(object.key(), 0, bytes, null);
                    found.put("/" + object.key(), Arrays.hashCode(bytes.array()));
                }
            }
            assertThat(found).as(story("objects")).isEqualTo(right);
        }

        private void files(String path, Map<String, Integer> found) throws IOException {
            for (var name : expected.fs().list(path)) {
                String child = path + name;
                if (expected.fs().lstat(child).isDirectory()) {
                    files(child + "/", found);
                } else {
                    found.put(child, Arrays.hashCode(expected.fs().load(child)));
                }
            }
        }

        private static String words(Attributes found) {
            return found.isDirectory() ? "DIRECTORY" : "%s size %d".formatted(found.kind(), found.size());
        }

        private String story(String when) {
            return "seed %d, %s%n%s%n".formatted(seed, when, String.join("\n", log));
        }
    }
}
