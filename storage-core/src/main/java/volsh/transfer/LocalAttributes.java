package volsh.transfer;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Extended attributes of local files, of every namespace; the view of Java opens the file for each call and shows only
 * those of {@code user}. Symbolic links are not followed. Names are those of the kernel: {@code user.origin}.
 */
final class LocalAttributes {
    private static final String USER = "user.";
    private static final String ACCESS_LISTS = "system.posix_acl_";
    private static final String SELINUX = "security.selinux";   // the file system of the target sets its own
    private static final int BYTES = 64 << 10;   // the limit of the kernel for a list and for a value

    private static final MethodHandle LIST = call("llistxattr",
            FunctionDescriptor.of(JAVA_LONG, ADDRESS, ADDRESS, JAVA_LONG));
    private static final MethodHandle GET = call("lgetxattr",
            FunctionDescriptor.of(JAVA_LONG, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG));
    private static final MethodHandle SET = call("lsetxattr",
            FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT));

    private LocalAttributes() {}

    @SuppressWarnings("restricted")   // the only native code of this package
    private static MethodHandle call(String name, FunctionDescriptor shape) {
        var linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), shape);
    }

    /** Whether a copy gets it: those outside {@code user} only if it is to be like the original in every way. */
    static boolean isKept(String name, boolean all) {
        return name.startsWith(USER) || all;
    }

    /** The name in a warning of attributes that are not kept. */
    static String kind(String name) {
        return name.startsWith(USER) ? "extended attributes" : name.startsWith(ACCESS_LISTS) ? "access control lists"
                : "extended attributes outside user.*";
    }

    /** The names of all attributes of the file; none where the file system has no extended attributes. */
    static List<String> names(Path file) {
        try (var arena = Arena.ofConfined()) {
            var path = path(arena, file);
            if ((long) LIST.invokeExact(path, MemorySegment.NULL, 0L) <= 0) {
                return List.of();
            }
            var answer = arena.allocate(BYTES);
            long length = (long) LIST.invokeExact(path, answer, (long) BYTES);
            return split(answer, length);
        } catch (RuntimeException | Error failed) {
            throw failed;
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static List<String> split(MemorySegment list, long length) {
        var names = new ArrayList<String>();
        for (long at = 0; at < length; ) {
            var name = list.getString(at, StandardCharsets.ISO_8859_1);   // byte for byte
            at += name.length() + 1;
            if (!name.equals(SELINUX)) {
                names.add(name);
            }
        }
        return names;
    }

    /** The value; empty if it is gone or may not be read. */
    static Optional<byte[]> value(Path file, String name) {
        try (var arena = Arena.ofConfined()) {
            var answer = arena.allocate(BYTES);
            long length = (long) GET.invokeExact(path(arena, file), text(arena, name), answer, (long) BYTES);
            return length < 0 ? Optional.empty()
                    : Optional.of(answer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE));
        } catch (RuntimeException | Error failed) {
            throw failed;
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Sets it; false if the file system refuses. */
    static boolean set(Path file, String name, byte[] value) {
        try (var arena = Arena.ofConfined()) {
            return (int) SET.invokeExact(path(arena, file), text(arena, name),
                    arena.allocateFrom(ValueLayout.JAVA_BYTE, value), (long) value.length, 0) == 0;
        } catch (RuntimeException | Error failed) {
            throw failed;
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static MemorySegment text(Arena arena, String name) {
        return arena.allocateFrom(name, StandardCharsets.ISO_8859_1);
    }

    private static MemorySegment path(Arena arena, Path file) {
        byte[] bytes = RawPaths.bytes(file);
        var path = arena.allocate(bytes.length + 1L);
        return path.copyFrom(MemorySegment.ofArray(bytes));
    }
}
