package volsh.trace;

import volsh.fuse.Asked;

/**
 * A request with the path it was about, below the mount; {@code otherPath} is the new name of a rename or link, or what a symbolic
 * link points to.
 */
public record Event(Asked asked, String path, String otherPath) {
    public String operation() {
        return asked.operation();
    }

    public boolean failed() {
        return asked.errno() != 0;
    }

    public boolean isRead() {
        return operation().equals("read");
    }

    public boolean isWrite() {
        return operation().equals("write");
    }

    /** Does it change something? Opening with O_TRUNC does. */
    public boolean changes() {
        return switch (operation()) {
            case "write", "create", "mkdir", "mknod", "unlink", "rmdir", "rename", "rename2", "symlink", "link", "fallocate",
                    "copy-file-range",
                 "setattr", "setxattr", "removexattr", "tmpfile" -> true;
            case "open" -> (asked.flags() & (Flags.ACCESS | Flags.TRUNCATE)) != 0;
            default -> false;
        };
    }

    /** Of open(2), on Linux. */
    static final class Flags {
        static final int ACCESS = 3;
        static final int READ_WRITE = 2;
        static final int TRUNCATE = 01000;
        static final int EXCLUSIVE = 0200;

        private Flags() {}
    }
}
