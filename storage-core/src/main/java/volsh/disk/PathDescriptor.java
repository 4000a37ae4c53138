package volsh.disk;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.lang.ref.Cleaner;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;

/**
 * A directory or a symbolic link that is held open (O_PATH), whatever happens to its name. {@link #path} leads to it
 * and to nothing else.
 *
 * <p>It is closed when this object is garbage collected, or by its only user: the number of a descriptor that was
 * closed too early may soon belong to another file.
 */
final class PathDescriptor implements AutoCloseable {
    private static final int O_NOFOLLOW = 0x20000;
    private static final int O_CLOEXEC = 0x80000;
    private static final int O_PATH = 0x200000;
    private static final int FLAGS = O_PATH | O_NOFOLLOW | O_CLOEXEC;
    private static final int NOT_THERE = 2;
    private static final int FORBIDDEN = 13;
    private static final int NO_DIRECTORY = 20;
    private static final int LINK_MAX = 4096;
    private static final Cleaner CLEANER = Cleaner.create(Thread.ofPlatform().daemon().name("descriptors").factory());

    private final int number;
    private final Cleaner.Cleanable closing;

    private PathDescriptor(int number) {
        this.number = number;
        this.closing = CLEANER.register(this, () -> Calls.close(number));
    }

    static PathDescriptor root() throws IOException {
        return of(Path.of("/"));
    }

    /** Opens this path; a link at its end is opened itself. */
    static PathDescriptor of(Path path) throws IOException {
        Path absolute = path.toAbsolutePath();
        return new PathDescriptor(Calls.open(-1, absolute, absolute));
    }

    /** Opens this name in the directory: a link is opened itself. {@code shown} is its path in messages. */
    PathDescriptor open(Path name, Path shown) throws IOException {
        return new PathDescriptor(Calls.open(number, name, shown));
    }

    /** A path to the held object, for any call that takes a path; without following links it needs a name after it. */
    Path path() {
        return Path.of("/proc/self/fd", Integer.toString(number));
    }

    /** The target of the held link. */
    Path target(Path shown) throws IOException {
        return Path.of(Calls.readLink(number, shown));
    }

    @Override
    public void close() {
        closing.clean();
    }

    /** The system calls. Linked when first used. */
    private static final class Calls {
        private static final Linker LINKER = Linker.nativeLinker();
        private static final StructLayout STATE = Linker.Option.captureStateLayout();
        private static final VarHandle ERRNO = STATE.varHandle(PathElement.groupElement("errno"));
        private static final MethodHandle OPENAT =
                call("openat", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT),
                        Linker.Option.firstVariadicArg(3));
        private static final MethodHandle READLINKAT =
                call("readlinkat", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG));
        private static final MethodHandle CLOSE = call("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

        private Calls() {}

        @SuppressWarnings("restricted")   // three calls that touch only the memory they are given
        private static MethodHandle call(String name, FunctionDescriptor shape, Linker.Option... options) {
            var all = new Linker.Option[options.length + 1];
            all[0] = Linker.Option.captureCallState("errno");
            System.arraycopy(options, 0, all, 1, options.length);
            return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), shape, all);
        }

        static int open(int directory, Path name, Path shown) throws IOException {
            try (var arena = Arena.ofConfined()) {
                var state = arena.allocate(STATE);
                int opened = (int) OPENAT.invokeExact(state, directory, text(arena, name), FLAGS);
                return (int) checked(opened, state, shown);
            } catch (IOException | RuntimeException | Error failed) {
                throw failed;
            } catch (Throwable impossible) {
                throw new IllegalStateException(impossible);
            }
        }

        static String readLink(int link, Path shown) throws IOException {
            try (var arena = Arena.ofConfined()) {
                var state = arena.allocate(STATE);
                var text = arena.allocate(LINK_MAX);
                long length = (long) READLINKAT.invokeExact(state, link, arena.allocateFrom(""), text, (long) LINK_MAX);
                length = checked(length, state, shown);
                return new String(text.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
            } catch (IOException | RuntimeException | Error failed) {
                throw failed;
            } catch (Throwable impossible) {
                throw new IllegalStateException(impossible);
            }
        }

        static void close(int number) {
            try (var arena = Arena.ofConfined()) {
                int _ = (int) CLOSE.invokeExact(arena.allocate(STATE), number);
            } catch (Throwable impossible) {
                throw new IllegalStateException(impossible);
            }
        }

        /** The exact bytes of a path, which its text may have lost; a slash at the end would follow a link. */
        private static MemorySegment text(Arena arena, Path path) {
            String raw = Path.of("/").resolve(path).toUri().getRawPath();
            var bytes = new ByteArrayOutputStream();
            for (int i = path.isAbsolute() ? 0 : 1; i < raw.length(); i++) {
                if (raw.charAt(i) == '%') {
                    bytes.write(Integer.parseInt(raw, i + 1, i + 3, 16));
                    i += 2;
                } else if (raw.charAt(i) != '/' || i == 0 || i < raw.length() - 1) {
                    bytes.write(raw.charAt(i));
                }
            }
            bytes.write(0);
            return arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes.toByteArray());
        }

        private static long checked(long result, MemorySegment state, Path shown) throws IOException {
            if (result >= 0) {
                return result;
            }
            int errno = (int) ERRNO.get(state, 0L);
            throw switch (errno) {
                case NOT_THERE -> new NoSuchFileException(shown.toString());
                case FORBIDDEN -> new AccessDeniedException(shown.toString());
                case NO_DIRECTORY -> new NotDirectoryException(shown.toString());
                default -> new FileSystemException(shown.toString(), null,
                        "cannot open it (errno %d)".formatted(errno));
            };
        }
    }
}
