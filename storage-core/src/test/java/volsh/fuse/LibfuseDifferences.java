package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * Everything a mount through libfuse 2 does otherwise than one through the kernel's protocol: the tests that fail
 * there, why, and with which words. A test listed here has to fail with them, so that nothing stays in the list that
 * works by now. docs/SEMANTICS.md tells users the same.
 */
final class LibfuseDifferences implements InvocationInterceptor {
    private static final String RENAME =
            "libfuse 2 has no renameat2: the kernel answers EINVAL, and nothing is renamed";
    private static final String COPY =
            "libfuse 2 has no copy_file_range: the kernel copies the bytes itself, holes as zeros";
    private static final String SEEK = "libfuse 2 has no lseek: to the kernel all of a file is data";
    private static final String UNNAMED =
            "libfuse 2 has no O_TMPFILE: the kernel answers EOPNOTSUPP, and programs make a named file";
    private static final String REMOVED = "libfuse 2 asks for attributes by path only: a removed directory has none";
    private static final String UNLINKED =
            "libfuse 2 changes mode, owner, times and extended attributes by path only: an unlinked file has none";

    /** Why a test fails, and words of its failure. */
    record Difference(String reason, String failure) {}

    static final Map<String, Difference> CONTRACT = Map.of(
            "noReplaceReplacesNothing", new Difference(RENAME, "invalid argument"),
            "exchangeSwapsAnythingWithAnything", new Difference(RENAME, "invalid argument"),
            "renameToTheSameFileIsNothing", new Difference(RENAME, "invalid argument"),
            "entriesThatComeAndGoChangeTheirDirectory", new Difference(RENAME, "invalid argument"),
            "holesAreCopiedAsHoles", new Difference(COPY, "to be less than"),
            "sharedBytesAreStoredOnce", new Difference(COPY, "but was: OptionalLong[6]"),
            "copiesEndWithTheSource", new Difference(COPY, "refused with FILE_TOO_BIG"),
            "seekFindsDataAndHoles", new Difference(SEEK, "but was: 0L"),
            "holesBeginAndEndWithBlocks", new Difference(SEEK, "but was: 0L"));

    static final Map<String, Difference> POSIX_SUITE = Map.of(
            "temporary_files", new Difference(UNNAMED, "Operation not supported"),
            "rename_flags", new Difference(RENAME, "answers EINVAL"),
            "unlinked_files_live_while_open", new Difference(UNLINKED, "No such file or directory"),
            "directories_know_their_parent", new Difference(REMOVED, "No such file or directory"),
            "set_group_id_directories_give_their_group", new Difference(UNNAMED, "Operation not supported"));

    @Override
    public void interceptTestMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        var difference = Optional.ofNullable(CONTRACT.get(method.getExecutable().getName()));
        if (difference.isEmpty()) {
            invocation.proceed();
            return;
        }
        assertThat(failure(invocation)).as("works by now, or fails otherwise: " + difference.get().reason())
                .contains(difference.get().failure());
    }

    private static String failure(Invocation<Void> invocation) {
        try {
            invocation.proceed();
            return "";
        } catch (Throwable failed) {
            return failed.toString();
        }
    }
}
