package volsh.disk;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

/** Type, mode and owner of a file or directory. */
record ModeAndOwner(int mode, int owner, int group) {
    static final int LINK = 0120000;
    static final int DIRECTORY = 0040000;
    private static final int TYPE = 0170000;

    /** By name; a link counts as itself. */
    static ModeAndOwner of(Path path) throws IOException {
        return of(path, NOFOLLOW_LINKS);
    }

    /** By {@linkplain PathDescriptor#path descriptor}. */
    static ModeAndOwner opened(Path descriptor) throws IOException {
        return of(descriptor, new LinkOption[0]);
    }

    private static ModeAndOwner of(Path path, LinkOption... options) throws IOException {
        Map<String, Object> found = Files.readAttributes(path, "unix:mode,uid,gid", options);
        return new ModeAndOwner(number(found, "mode"), number(found, "uid"), number(found, "gid"));
    }

    private static int number(Map<String, Object> found, String name) {
        return (int) Objects.requireNonNull(found.get(name), name);   // what was asked for is there
    }

    boolean is(int type) {
        return (mode & TYPE) == type;
    }

    boolean may(int bits) {
        return (mode & bits) != 0;
    }
}
