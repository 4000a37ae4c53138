package volsh.fuse.jnr;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The native half of jffi, on which jnr rests. The image has it beside the other native libraries; if it is not there jffi
 * would unpack it into the temporary directory all users share, so here it is unpacked into one that is ours alone.
 */
final class NativeLibrary {
    private static final String NAME = System.mapLibraryName("jffi-1.2");
    private static final String UNPACK_INTO = "jffi.extract.dir";

    private NativeLibrary() {}

    /** Loads something that needs the library. */
    interface Loading<T> {
        T load();
    }

    /** Does the first thing that needs the library. */
    static <T> T with(Loading<T> loading) throws IOException {
        if (isInPlace() || System.getProperty(UNPACK_INTO) != null) {
            return loading.load();
        }
        var directory = Files.createTempDirectory("volsh-jffi");   // 0700
        System.setProperty(UNPACK_INTO, directory.toString());
        try {
            return loading.load();
        } finally {
            Files.deleteIfExists(directory);   // jffi has taken its file away again
        }
    }

    private static boolean isInPlace() {
        return Arrays.stream(System.getProperty("java.library.path", "").split(File.pathSeparator))
                .anyMatch(directory -> Files.exists(Path.of(directory, NAME)));
    }
}
