package volsh.trace;

import volsh.fuse.Asked;

/** A request with its path below the mount; {@code otherPath} is a new name, or the target of a symbolic link. */
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

    /** Whether it changes something. Opening with O_TRUNC does. */
    public boolean changes() {
        return switch (operation()) {
            case "write", "create", "mkdir", "mknod", "unlink", "rmdir", "rename", "rename2", "symlink", "link",
                    "fallocate", "copy-file-range",
                 "setattr", "setxattr", "removexattr", "tmpfile" -> true;
            case "open" -> (asked.flags() & (Flags.ACCESS | Flags.TRUNCATE)) != 0;
            default -> false;
        };
    }

    /** The flags of open(2) on Linux. */
    static final class Flags {
        static final int ACCESS = 3;
        static final int READ_WRITE = 2;
        static final int TRUNCATE = 01000;
        static final int EXCLUSIVE = 0200;

        private Flags() {}
    }
}
