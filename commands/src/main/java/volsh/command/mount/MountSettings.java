package volsh.command.mount;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.assembly.CacheSettings;
import volsh.cache.disk.Quota;
import volsh.catalog.VolumePath;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.file.AtOption;
import volsh.fs.Owner;
import volsh.fs.ShellWord;
import volsh.fuse.Appearance;
import volsh.fuse.MountFlag;
import volsh.mount.BucketSpec;
import volsh.mount.MountPlan;
import volsh.mount.MountSpec;
import volsh.mount.OptionList;
import volsh.mount.Transport;
import volsh.tree.Places;
import volsh.unit.ByteSize;
import volsh.unit.Span;
import volsh.writeback.Writeback;

/** The arguments and options that {@code mount} and {@code service install} share. */
public final class MountSettings {
    private static final Set<MountFlag> OF_BUCKETS =
            EnumSet.of(MountFlag.READ_ONLY, MountFlag.ALLOW_OTHER, MountFlag.NO_EXECUTION);

    @Parameters(index = "0", paramLabel = "VOLUME[:PATH]",
            description = {"Volume, or a directory in it; VOLUME@SNAPSHOT for a snapshot of it;",
            "or a bucket: s3://BUCKET/PREFIX, or STORE://PREFIX in a store of 'volsh store list'."})
    private String source;

    @Parameters(index = "1", paramLabel = "DIRECTORY", description = "Mount point: an existing directory.")
    private Path directory;

    @Mixin
    private AtOption at = new AtOption();

    @Option(names = {"-r", "--read-only", "--ro"}, description = "Mount read-only.")
    private boolean readOnly;

    @Option(names = "--allow-other", negatable = true,
            description = {"Allow access by other users, subject to file permissions (default: yes for root).",
            "Users other than root need user_allow_other in /etc/fuse.conf."})
    private @Nullable Boolean allowOther;

    @Option(names = "--transport", paramLabel = "TRANSPORT", defaultValue = "auto",
            description = {"Set how requests reach the mount (default: ${DEFAULT-VALUE}).",
            "kernel: the FUSE protocol on /dev/fuse, as root or through fusermount3;",
            "jnr: libfuse 2, where that is not possible: slower, and without some calls;",
            "auto: kernel if possible, else jnr."})
    private Transport transport;

    @Option(names = "--uid", paramLabel = "NUMBER", description = "Show every file as owned by this user.")
    private @Nullable Integer uid;

    @Option(names = "--gid", paramLabel = "NUMBER", description = "Show every file as owned by this group.")
    private @Nullable Integer gid;

    @Option(names = "--umask", paramLabel = "OCTAL",
            description = "Show every file with all permissions except these, such as 022.")
    private @Nullable String umask;

    @Option(names = "--no-atime",
            description = "Accepted for compatibility; reads never update access times.")
    @SuppressWarnings("UnusedVariable")   // there is nothing to switch off
    private boolean noAtime;

    @Option(names = "--suid", description = "Honour set-user-id and set-group-id bits of programs.")
    private boolean setId;

    @Option(names = "--dev", description = "Let device files work as devices.")
    private boolean devices;

    @Option(names = "--no-exec", description = "Refuse to run programs from here.")
    private boolean noExecution;

    @Option(names = "--direct-io", description = "Bypass the kernel's page cache.")
    private boolean directIo;

    @Option(names = "--cache-memory", paramLabel = "SIZE", defaultValue = "256MiB",
            description =
                    "Limit the memory for recently read data and readahead; 0 for none (default: ${DEFAULT-VALUE}).")
    private ByteSize cacheMemory;

    @Option(names = "--readahead", paramLabel = "SIZE", defaultValue = "64MiB",
            description = {"Limit the readahead for a program that reads a file sequentially; 0 for none",
            "(default: ${DEFAULT-VALUE}). All readers together take a quarter of --cache-memory."})
    private ByteSize readahead;

    @Option(names = "--cache-dir", paramLabel = "DIRECTORY", split = ",",
            description = {
            "Also cache recently read and written data in these directories, on local disks, for distant stores",
            "(default: none). The cache survives restarts and bypasses a failing disk. Only one mount of a volume may"
                    + " use a directory."})
    private List<Path> cacheDirectories = List.of();

    @Option(names = "--cache-size", paramLabel = "SIZE|PERCENT",
            description = {
            "Limit --cache-dir: bytes in total, or a share of each directory's file system (default: 80%%).",
            "Always leaves a twentieth of the file system free, at most 10GiB."})
    private @Nullable Quota cacheSize;

    /** Whether files are copied whole. */
    enum Expand {
        AUTO, OFF;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(names = "--cache-expand", paramLabel = "auto|off", defaultValue = "off",
            description = {
            "Have the kernel read hot files that cannot change by itself, at the speed of the local disk: files of",
            "1 MiB and more, of a snapshot or below an immutable directory, that are opened again when all of their"
                    + " blocks",
            "are cached. Their whole copies are in the first --cache-dir and take at most half of its --cache-size.",
            "Needs root and Linux 6.9 (default: ${DEFAULT-VALUE})."})
    private Expand cacheExpand;

    @Option(names = "--writeback",
            description = {
            "Acknowledge writes when they are in a journal on a local disk, and store them in the background: fsync"
                    + " is as fast",
            "as that disk, and the store may be slow or unreachable for a while. Until data is stored, only this"
                    + " host has it."})
    private boolean writeback;

    @Option(names = "--journal-dir", paramLabel = "DIRECTORY",
            description =
                    "Keep the --writeback journal here (default: below the first --cache-dir, else in the home).")
    private @Nullable Path journalDirectory;

    @Option(names = "--volatile",
            description = {
            "Allow the journal on a file system in memory (tmpfs): a restart of the host loses data that is not"
                    + " stored yet,",
            "and 'durability' shows such data as buffered (default: refuse such a directory)."})
    private boolean memoryWillDo;

    @Option(names = "--journal-size", paramLabel = "SIZE",
            description =
                    "Limit the journal; further writes go to the store, at its speed (default: 16GiB).")
    private @Nullable ByteSize journalSize;

    @Option(names = "--upload-delay", paramLabel = "TIME",
            description = "Delay storing a block; data deleted meanwhile is never stored (default: 0s).")
    private @Nullable Span uploadDelay;

    @Option(names = "--flush-timeout", paramLabel = "TIME",
            description =
                    "Limit the time to store journal data at unmount; the next mount stores the rest (default: 60s).")
    private @Nullable Span flushTimeout;

    @Option(names = "--sole-writer",
            description = "Refuse other writers to the volume meanwhile; the kernel then caches names for an hour.")
    private boolean soleWriter;

    @Option(names = "--writeback-cache",
            description = "Let the kernel gather small writes until a file is closed or synced; implies --sole-writer.")
    private boolean writebackCache;

    @Option(names = "--local-locks",
            description =
                    "Keep file locks (flock, fcntl) local to this mount: faster, but other mounts do not see them.")
    private boolean localLocks;

    @Option(names = "--acl",
            description = "Support POSIX access control lists (setfacl, getfacl), which the kernel then enforces.")
    private boolean accessLists;

    @Option(names = "--root-squash",
            description = "Give root only the rights of user and group 65534, as NFS servers do.")
    private boolean rootSquash;

    @Option(names = "--all-squash", description = "Give every user only the rights of user and group 65534.")
    private boolean allSquash;

    @Option(names = {"--attribute-timeout", "--attr-timeout"}, paramLabel = "TIME",
            description =
                    "Let the kernel cache attributes this long (default: 1s; 1h for a sole writer; 0s with jnr).")
    private @Nullable Span attributeTimeout;

    @Option(names = "--entry-timeout", paramLabel = "TIME",
            description = "Let the kernel cache names this long (default: 1s; 1h for a sole writer).")
    private @Nullable Span entryTimeout;

    @Option(names = {"-O", "--options"}, paramLabel = "LIST",
            description = "Set options as in mount(8) and /etc/fstab, such as ro,uid=1000; for a bucket also"
                    + " endpoint=URL,ttl=5m and so on.")
    private List<String> lists = List.of();

    @Mixin
    private BucketOptions bucket = new BucketOptions();

    /** @throws CommandFailure USAGE if they contradict each other or mean nothing */
    public MountPlan plan(Session session) throws Exception {
        return Places.isUrl(source) ? bucketSpec(session) : spec(session);
    }

    private BucketSpec bucketSpec(Session session) throws Exception {
        boolean root = session.service(Owner.class).uid() == 0;
        try {
            requireNoVolumeOptions();
            var flags = EnumSet.noneOf(MountFlag.class);
            var rest = bucket.taken(String.join(",", lists));
            var all = OptionList.apply(rest, MountSpec.of(new VolumePath("bucket", "/"),
                    directory.toAbsolutePath().normalize()).with(appearance())
                    .with(MountFlag.READ_ONLY, readOnly).with(MountFlag.NO_EXECUTION, noExecution)
                    .with(MountFlag.ALLOW_OTHER, allowOther == null ? root : allowOther));
            flags.addAll(all.flags());
            requireNoVolumeOptions(all);
            return bucket.spec(session, source, directory.toAbsolutePath().normalize(), flags, all.appearance(),
                    caching());
        } catch (IllegalArgumentException wrong) {
            throw CommandFailure.usage(wrong.getMessage()).hint("volsh help mount");
        }
    }

    private void requireNoVolumeOptions() {
        var given = new ArrayList<String>();
        add(given, setId, "--suid");
        add(given, devices, "--dev");
        add(given, directIo, "--direct-io");
        add(given, writeback || journalDirectory != null || journalSize != null || uploadDelay != null
                || flushTimeout != null || memoryWillDo, "--writeback");
        add(given, soleWriter, "--sole-writer");
        add(given, writebackCache, "--writeback-cache");
        add(given, localLocks, "--local-locks");
        add(given, accessLists, "--acl");
        add(given, rootSquash, "--root-squash");
        add(given, allSquash, "--all-squash");
        add(given, cacheExpand == Expand.AUTO, "--cache-expand");
        add(given, attributeTimeout != null, "--attribute-timeout");
        add(given, entryTimeout != null, "--entry-timeout");
        add(given, transport == Transport.JNR, "--transport jnr");
        add(given, at.isGiven(), "--at");
        refuse(given);
    }

    private void requireNoVolumeOptions(MountSpec listed) {
        var given = new ArrayList<String>();
        add(given, listed.writeback().isPresent(), "-O writeback");
        listed.flags().stream().filter(flag -> !OF_BUCKETS.contains(flag))
                .forEach(flag -> given.add("-O " + flag.option()));
        refuse(given);
    }

    private void refuse(List<String> given) {
        if (!given.isEmpty()) {
            throw new IllegalArgumentException("%s is for volumes, and %s is a bucket%s".formatted(given.getFirst(),
                    source, given.getFirst().endsWith("-timeout") ? " (try --ttl)" : ""));
        }
    }

    private static void add(List<String> given, boolean is, String option) {
        if (is) {
            given.add(option);
        }
    }

    private MountSpec spec(Session session) throws Exception {
        boolean root = session.service(Owner.class).uid() == 0;
        bucket.requireNone();
        if (source.startsWith("/") || source.startsWith(".")) {
            throw CommandFailure.usage("'%s' is not a volume: the volume comes first, then the mount point"
                    .formatted(source)).hint("volsh mount " + ShellWord.of(List.of(directory, source)));
        }
        var place = at.in(session, source.contains(":") ? VolumePath.of(source) : VolumePath.whole(source));
        try {
            var spec = MountSpec.of(place, directory.toAbsolutePath().normalize())
                    .with(MountFlag.READ_ONLY, readOnly || place.moment().isPresent())
                    .with(MountFlag.ALLOW_OTHER, allowOther == null ? root : allowOther)
                    .with(transport)
                    .with(caching())
                    .with(MountFlag.SET_ID, setId)
                    .with(MountFlag.DEVICES, devices)
                    .with(MountFlag.NO_EXECUTION, noExecution)
                    .with(MountFlag.DIRECT_IO, directIo)
                    .with(MountFlag.SOLE_WRITER, soleWriter)
                    .with(MountFlag.WRITEBACK_CACHE, writebackCache)
                    .with(MountFlag.LOCAL_LOCKS, localLocks)
                    .with(MountFlag.ACCESS_LISTS, accessLists)
                    .with(MountFlag.ROOT_SQUASH, rootSquash)
                    .with(MountFlag.ALL_SQUASH, allSquash)
                    .with(MountFlag.CACHE_EXPAND, cacheExpand == Expand.AUTO)
                    .with(appearance());
            spec = writeback ? spec.with(writeback()) : withoutJournal(spec);
            spec = attributeTimeout == null ? spec : spec.withAttributeTimeout(attributeTimeout.duration());
            spec = entryTimeout == null ? spec : spec.withEntryTimeout(entryTimeout.duration());
            return OptionList.apply((noAtime ? "noatime," : "") + String.join(",", lists), spec);
        } catch (IllegalArgumentException wrong) {
            throw CommandFailure.usage(wrong.getMessage()).hint("volsh help mount");
        }
    }

    private CacheSettings caching() {
        if (cacheSize != null && cacheDirectories.isEmpty()) {
            throw new IllegalArgumentException("--cache-size needs --cache-dir");
        }
        if (cacheExpand == Expand.AUTO && cacheDirectories.isEmpty()) {
            throw new IllegalArgumentException("--cache-expand needs --cache-dir");
        }
        var directories = cacheDirectories.stream().map(path -> path.toAbsolutePath().normalize()).toList();
        return new CacheSettings(cacheMemory, directories, cacheSize == null ? CacheSettings.QUOTA : cacheSize,
                readahead);
    }

    private Writeback writeback() {
        var place = journalDirectory != null ? journalDirectory : cacheDirectories.isEmpty() ? null
                : cacheDirectories.getFirst().resolve("journal");
        return new Writeback(
                Optional.ofNullable(place).map(path -> path.toAbsolutePath().normalize()),
                journalSize == null ? Writeback.LIMIT : journalSize,
                uploadDelay == null ? Writeback.DELAY : uploadDelay.duration(),
                flushTimeout == null ? Writeback.PATIENCE : flushTimeout.duration(),
                memoryWillDo);
    }

    private MountSpec withoutJournal(MountSpec spec) {
        if (journalDirectory != null || journalSize != null || uploadDelay != null || flushTimeout != null
                || memoryWillDo) {
            throw new IllegalArgumentException(
                    "--journal-dir, --journal-size, --upload-delay, --flush-timeout and --volatile need --writeback");
        }
        return spec;
    }

    private Appearance appearance() {
        var hidden = umask == null ? OptionalInt.empty() : OptionalInt.of(octal(umask));
        return new Appearance(optional(uid), optional(gid), hidden);
    }

    private static OptionalInt optional(@Nullable Integer number) {
        return number == null ? OptionalInt.empty() : OptionalInt.of(number);
    }

    private static int octal(String umask) {
        if (!umask.matches("0?[0-7]{1,3}")) {
            throw new IllegalArgumentException("not a umask: '%s' (try 022)".formatted(umask));
        }
        return Integer.parseInt(umask, 8);
    }
}
