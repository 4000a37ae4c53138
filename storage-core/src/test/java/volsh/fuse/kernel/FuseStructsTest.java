package volsh.fuse.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.fuse.Programs;
import volsh.fuse.kernel.FuseStructs.Int16;
import volsh.fuse.kernel.FuseStructs.Int32;
import volsh.fuse.kernel.FuseStructs.Int64;

/**
 * Are the fields where the C compiler has them? By name: {@code ReadIn.FH} is {@code fh} of
 * {@code struct fuse_read_in}.
 */
@Tag("mount")
final class FuseStructsTest {
    private static final Path HEADER = Path.of("/usr/include/linux/fuse.h");
    private static final Pattern MINOR = Pattern.compile("KERNEL_MINOR_VERSION (3[89]|[4-9]\\d|\\d{3})");
    private static final String SOURCE = """
            #include <linux/fuse.h>
            #include <poll.h>
            #include <stddef.h>
            #include <stdio.h>
            #include <sys/uio.h>
            int main(void) {
            %s}
            """;

    /** Fields of protocol 7.40 and the words by which a header has them: that of Debian 12 is older. */
    private static final Map<String, String> NEWER = Map.of("BackingMap.BYTES", "struct fuse_backing_map",
            "BackingMap.FD", "struct fuse_backing_map", "OpenOut.BACKING_ID", "backing_id",
            "InitOut.MAX_STACK_DEPTH", "max_stack_depth");

    @TempDir
    Path directory;

    @Test
    void fieldsAndRequestsAreThoseOfTheHeaderFile() throws Exception {
        assumeHeader();
        var ours = new TreeMap<String, String>();
        var source = new StringBuilder();
        String header = Files.readString(HEADER);
        for (var structure : FuseStructs.class.getDeclaredClasses()) {
            if (structure.isInterface()) {
                for (var field : structure.getDeclaredFields()) {
                    var name = structure.getSimpleName() + "." + field.getName();
                    if (NEWER.containsKey(name) && !header.contains(NEWER.get(name))) {
                        System.out.println("FuseStructsTest leaves out " + name + ": " + HEADER + " is older");
                        continue;
                    }
                    ours.put(name, ours(field));
                    source.append(print(name, theirs(structure, field.getName())));
                }
            }
        }
        for (var opcode : Opcode.class.getDeclaredFields()) {
            ours.put("Opcode." + opcode.getName(), ours(opcode));
            source.append(print("Opcode." + opcode.getName(), "(size_t) FUSE_" + opcode.getName() + ", (size_t) 0"));
        }
        assertThat(ours).as("fields").hasSizeGreaterThan(150);
        assertThat(compiled(source.toString())).isEqualTo(ours);
    }

    private static void assumeHeader() throws Exception {
        boolean here = Programs.isThere("gcc") && Files.exists(HEADER)
                && MINOR.matcher(Files.readString(HEADER)).find();
        var why = "this needs gcc and %s of protocol 7.38 or later (linux-libc-dev)".formatted(HEADER);
        if (!here) {
            System.out.println("FuseStructsTest is skipped: " + why);
        }
        assumeTrue(here, why);
    }

    /** Where it is, and how many bytes it has. */
    private static String ours(Field field) throws IllegalAccessException {
        return switch (field.get(null)) {
            case Int16(int offset) -> offset + " 2";
            case Int32(int offset) -> offset + " 4";
            case Int64(int offset) -> offset + " 8";
            case Integer number -> number + " 0";
            default -> throw new AssertionError(field);
        };
    }

    private static String theirs(Class<?> structure, String field) {
        var struct = switch (structure.getSimpleName()) {
            case "Iovec" -> "struct iovec";
            case "Pollfd" -> "struct pollfd";
            case String name -> "struct fuse" + name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
        };
        var member = Map.of("LK_START", "lk.start", "LK_END", "lk.end", "LK_TYPE", "lk.type", "LK_PID", "lk.pid")
                .getOrDefault(field, field.toLowerCase(Locale.ROOT));
        return switch (field) {
            case "BYTES" -> "sizeof(" + struct + "), (size_t) 0";
            case "COMPAT_BYTES" -> "(size_t) FUSE_COMPAT_SETXATTR_IN_SIZE, (size_t) 0";
            case "ATTR" -> "offsetof(%s, attr), (size_t) 0".formatted(struct);
            default -> "offsetof(%1$s, %2$s), sizeof(((%1$s *) 0)->%2$s)".formatted(struct, member);
        };
    }

    private static String print(String name, String values) {
        return "printf(\"%s %%zu %%zu\\n\", %s);%n".formatted(name, values);
    }

    private Map<String, String> compiled(String statements) throws Exception {
        Files.writeString(directory.resolve("offsets.c"), SOURCE.formatted(statements));
        Programs.run(directory, "gcc", "-o", "offsets", "offsets.c");
        var all = new TreeMap<String, String>();
        Programs.run(directory, "./offsets").lines().forEach(line -> {
            int name = line.indexOf(' ');
            all.put(line.substring(0, name), line.substring(name + 1));
        });
        return all;
    }
}
