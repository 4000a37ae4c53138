package volsh.fuse;

/** Optional behaviour of a mount. */
public enum MountFlag {
    /** Every change is refused. */
    READ_ONLY("ro"),
    /** Users other than the one who mounts may use it, as far as file permissions allow. */
    ALLOW_OTHER("allow_other"),
    /** The kernel caches no pages: every read and write becomes a request. */
    DIRECT_IO("direct_io"),
    /** The kernel gathers writes and sends them later. Requires that there is no other writer of the volume. */
    WRITEBACK_CACHE("writeback_cache"),
    /** There is no other writer while the volume is mounted, so the kernel may cache for long. */
    SOLE_WRITER("sole_writer"),
    /** File locks are known on this mount only: faster, and correct if no other mount locks the same files. */
    LOCAL_LOCKS("local_locks"),
    /** Whole copies of files in the cache directory, from which the kernel reads by itself. */
    CACHE_EXPAND("cache_expand"),
    /** Set-user-id and set-group-id bits of programs take effect. */
    SET_ID("suid"),
    /** Device files work as devices. */
    DEVICES("dev"),
    /** Programs cannot be executed from here. */
    NO_EXECUTION("noexec"),
    /** Access control lists are shown, may be set, and are enforced by the kernel. */
    ACCESS_LISTS("acl"),
    /** Requests of root are those of the anonymous user, 65534. */
    ROOT_SQUASH("root_squash"),
    /** Requests of all users are those of the anonymous user, 65534. */
    ALL_SQUASH("all_squash");

    private final String option;

    MountFlag(String option) {
        this.option = option;
    }

    /** Its name for mount(8) and {@code /etc/fstab}. */
    public String option() {
        return option;
    }
}
