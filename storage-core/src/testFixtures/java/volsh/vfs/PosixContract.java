package volsh.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;

/** What the parts of {@link VfsContract} have in common: the file system under test, empty when a test starts. */
public interface PosixContract {
    Posix fs() throws Exception;

    /** Makes sure that the next change has a later time than the last one. */
    void letTimePass() throws Exception;

    /** The borders between blocks, which tests write across. */
    default int blockSize() {
        return 4 << 20;
    }

    /** The kind of file that tests make many of. */
    default FileKind manyOf() {
        return FileKind.FIFO;
    }

    /** The link count of a directory with so many directories in it. */
    default int links(int directories) {
        return directories + 2;
    }

    /** How many blocks the store holds; empty where a test cannot know. */
    default OptionalLong blocks() throws Exception {
        return OptionalLong.empty();
    }

    /** The call is refused, for this reason. */
    static void refused(FsError error, ThrowingCallable call) {
        var thrown = catchThrowable(call);
        assertThat(thrown).as("refused with %s", error).isInstanceOf(FsException.class);
        assertThat(((FsException) thrown).error()).isEqualTo(error);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Bytes of which no two ranges are likely to be equal. */
    static byte[] noise(int length, long seed) {
        byte[] bytes = new byte[length];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }
}
