package volsh.fuse.jnr;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The native part of jffi, on which jnr is based. The image contains it; otherwise jffi would unpack it into the shared
 * temporary directory, so here it is unpacked into a private one.
 */
final class NativeLibrary {
    private static final String NAME = System.mapLibraryName("jffi-1.2");
    private static final String UNPACK_INTO = "jffi.extract.dir";

    private NativeLibrary() {}

    /** Loads something that needs the library. */
    interface Loading<T> {
        T load();
    }

    /** Runs the first action that needs the library. */
    static <T> T with(Loading<T> loading) throws IOException {
        if (isInPlace() || System.getProperty(UNPACK_INTO) != null) {
            return loading.load();
        }
        var directory = Files.createTempDirectory("volsh-jffi");   // 0700
        System.setProperty(UNPACK_INTO, directory.toString());
        try {
            return loading.load();
        } finally {
            Files.deleteIfExists(directory);   // jffi has removed its file
        }
    }

    private static boolean isInPlace() {
        return Arrays.stream(System.getProperty("java.library.path", "").split(File.pathSeparator))
                .anyMatch(directory -> Files.exists(Path.of(directory, NAME)));
    }
}
