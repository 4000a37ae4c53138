package volsh.fuse;

/** What a mount does or allows besides the usual. */
public enum MountFlag {
    /** Every change is refused. */
    READ_ONLY("ro"),
    /** Other users than the one who mounts may come in, as far as file permissions allow. */
    ALLOW_OTHER("allow_other"),
    /** The kernel keeps no pages: every read and write is asked for. */
    DIRECT_IO("direct_io"),
    /** The kernel gathers writes and sends them later. Nobody else may write to the volume meanwhile. */
    WRITEBACK_CACHE("writeback_cache"),
    /** Nobody else may write to the volume while it is mounted, so the kernel may remember for long. */
    SOLE_WRITER("sole_writer"),
    /** Locks of files are known on this mount only: faster, and right where no other mount locks the same files. */
    LOCAL_LOCKS("local_locks"),
    /** Set-user-id and set-group-id bits of programs take effect. */
    SET_ID("suid"),
    /** Device files are devices. */
    DEVICES("dev"),
    /** No program is run from here. */
    NO_EXECUTION("noexec");

    private final String option;

    MountFlag(String option) {
        this.option = option;
    }

    /** What mount(8) and {@code /etc/fstab} call it. */
    public String option() {
        return option;
    }
}
