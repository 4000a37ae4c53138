package volsh.mount;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;
import volsh.assembly.CacheSettings;
import volsh.catalog.VolumePath;
import volsh.fuse.Appearance;
import volsh.fuse.MountFlag;
import volsh.unit.ByteSize;
import volsh.unit.Span;
import volsh.writeback.Writeback;

/**
 * What to mount where, and how. It is passed to the mount's own process as a command line. Without a timeout the kernel
 * caches for a second, or for an hour if there is no other writer or a past state is mounted. With libfuse it caches no
 * attributes: there each name of a file has its own attributes, and would not see changes made under another.
 */
public record MountSpec(
        VolumePath source,
        Path mountPoint,
        Set<MountFlag> flags,
        Appearance appearance,
        Optional<Duration> attributeTimeout,
        Optional<Duration> entryTimeout,
        Transport transport,
        CacheSettings caching,
        Optional<Writeback> writeback) implements MountPlan {
    /** The default size of the memory cache. */
    private static final ByteSize CACHE_MEMORY = ByteSize.of("256MiB");
    private static final Duration SHARED = Duration.ofSeconds(1);
    private static final Duration ALONE = Duration.ofHours(1);

    public MountSpec {
        if (!mountPoint.isAbsolute()) {
            throw new IllegalArgumentException("the mount point must be an absolute path: " + mountPoint);
        }
        flags = Set.copyOf(flags);
        if (flags.contains(MountFlag.READ_ONLY)
                && (flags.contains(MountFlag.SOLE_WRITER) || flags.contains(MountFlag.WRITEBACK_CACHE))) {
            throw new IllegalArgumentException("a read-only mount cannot be a sole writer or have a writeback cache");
        }
        if (source.moment().isPresent() && !flags.contains(MountFlag.READ_ONLY)) {
            throw new IllegalArgumentException("%s can only be mounted with --read-only: past states cannot be changed"
                    .formatted(source));
        }
        if (flags.contains(MountFlag.READ_ONLY) && writeback.isPresent()) {
            throw new IllegalArgumentException("a read-only mount cannot use --writeback");
        }
        requireKernel(flags, transport, appearance);
        writeback.flatMap(Writeback::directory).filter(place -> place.normalize().startsWith(mountPoint))
                .ifPresent(place -> {
            throw new IllegalArgumentException(("the journal directory %s would be hidden by the mount: "
                    + "choose a directory outside of it").formatted(place));
        });
        for (var directory : caching.directories()) {
            if (directory.normalize().startsWith(mountPoint)) {
                throw new IllegalArgumentException(("the cache directory %s would be hidden by the mount: "
                        + "choose a directory outside of it").formatted(directory));
            }
        }
    }

    private static void requireKernel(Set<MountFlag> flags, Transport transport, Appearance appearance) {
        boolean lists = flags.contains(MountFlag.ACCESS_LISTS);
        boolean squashes = flags.contains(MountFlag.ROOT_SQUASH) || flags.contains(MountFlag.ALL_SQUASH);
        if (transport == Transport.JNR && (lists || squashes)) {
            throw new IllegalArgumentException("%s needs --transport kernel: libfuse 2 cannot do it".formatted(
                    lists ? "--acl" : "squashing"));
        }
        if (lists && flags.contains(MountFlag.ALL_SQUASH)) {
            throw new IllegalArgumentException("--acl excludes --all-squash: with one user lists mean nothing");
        }
        if (lists && !appearance.equals(Appearance.REAL)) {
            throw new IllegalArgumentException("--acl excludes --uid, --gid and --umask, which show other owners and"
                    + " permissions than those the lists are about");
        }
    }

    /** The default mount by root. */
    public static MountSpec of(VolumePath source, Path mountPoint) {
        var flags = source.moment().isPresent() ? Set.of(MountFlag.ALLOW_OTHER, MountFlag.READ_ONLY)
                : Set.of(MountFlag.ALLOW_OTHER);
        return new MountSpec(source, mountPoint, flags, Appearance.REAL, Optional.empty(),
                Optional.empty(), Transport.AUTO, CacheSettings.ofMemory(CACHE_MEMORY), Optional.empty());
    }

    @Override
    public MountSource origin() {
        return MountSource.of(source);
    }

    @Override
    public boolean has(MountFlag flag) {
        return flags.contains(flag);
    }

    /** The same with or without this flag. */
    public MountSpec with(MountFlag flag, boolean wanted) {
        var changed = EnumSet.noneOf(MountFlag.class);
        changed.addAll(flags);
        if (wanted) {
            changed.add(flag);
        } else {
            changed.remove(flag);
        }
        return new MountSpec(source, mountPoint, changed, appearance, attributeTimeout, entryTimeout, transport,
                caching, writeback);
    }

    public MountSpec with(Appearance other) {
        return new MountSpec(source, mountPoint, flags, other, attributeTimeout, entryTimeout, transport, caching,
                writeback);
    }

    public MountSpec withAttributeTimeout(Duration timeout) {
        return new MountSpec(source, mountPoint, flags, appearance, Optional.of(timeout), entryTimeout, transport,
                caching, writeback);
    }

    public MountSpec withEntryTimeout(Duration timeout) {
        return new MountSpec(source, mountPoint, flags, appearance, attributeTimeout, Optional.of(timeout), transport,
                caching, writeback);
    }

    public MountSpec with(Transport other) {
        return new MountSpec(source, mountPoint, flags, appearance, attributeTimeout, entryTimeout, other, caching,
                writeback);
    }

    public MountSpec with(CacheSettings other) {
        return new MountSpec(source, mountPoint, flags, appearance, attributeTimeout, entryTimeout, transport, other,
                writeback);
    }

    public MountSpec with(Writeback other) {
        return new MountSpec(source, mountPoint, flags, appearance, attributeTimeout, entryTimeout, transport, caching,
                Optional.of(other));
    }

    /** Whether a past state is mounted, which never changes. */
    private boolean isPast() {
        return source.moment().isPresent();
    }

    /** For a volume that other machines write to: by default, the kernel asks for names and attributes each time. */
    MountSpec sharedByMachines() {
        return alone() || isPast() ? this : new MountSpec(source, mountPoint, flags,
                appearance, attributeTimeout.or(() -> Optional.of(Duration.ZERO)),
                entryTimeout.or(() -> Optional.of(Duration.ZERO)), transport, caching, writeback);
    }

    /** Every directory of a local disk that it uses. */
    List<Path> directories() {
        return Stream.concat(caching.directories().stream(), writeback.flatMap(Writeback::directory).stream()).toList();
    }

    /** Whether no other writer is allowed. The kernel's writeback cache does not expect other writers. */
    boolean alone() {
        return has(MountFlag.SOLE_WRITER) || has(MountFlag.WRITEBACK_CACHE);
    }

    /** Whether the kernel may remember names and attributes as long as is right: no time was given. */
    boolean keepsByDefault() {
        return attributeTimeout.isEmpty() && entryTimeout.isEmpty() && !alone() && !isPast();
    }

    Duration attributesKept() {
        return attributeTimeout.orElse(transport.resolved() == Transport.JNR ? Duration.ZERO
                : alone() || isPast() ? ALONE : SHARED);
    }

    Duration namesKept() {
        return entryTimeout.orElse(alone() || isPast() ? ALONE : SHARED);
    }

    /** The source in the kernel's mount table. */
    String label() {
        return "volsh:" + (source.path().equals("/") ? source.source() : source);
    }

    /** The options in force, as mount(8) writes them. */
    @Override
    public String options() {
        var options = new ArrayList<String>();
        options.add(has(MountFlag.READ_ONLY) ? "ro" : "rw");
        options.add(has(MountFlag.SET_ID) ? "suid" : "nosuid");
        options.add(has(MountFlag.DEVICES) ? "dev" : "nodev");
        options.add("noatime");
        for (var flag : List.of(
                MountFlag.NO_EXECUTION, MountFlag.ALLOW_OTHER, MountFlag.DIRECT_IO, MountFlag.SOLE_WRITER,
                MountFlag.WRITEBACK_CACHE, MountFlag.LOCAL_LOCKS, MountFlag.ACCESS_LISTS, MountFlag.ROOT_SQUASH,
                MountFlag.ALL_SQUASH, MountFlag.CACHE_EXPAND)) {
            add(options, has(flag), flag.option());
        }
        add(options, writeback.isPresent(), "writeback");
        add(options, writeback.filter(Writeback::memoryWillDo).isPresent(), "volatile");
        appearance.uid().ifPresent(uid -> options.add("uid=" + uid));
        appearance.gid().ifPresent(gid -> options.add("gid=" + gid));
        appearance.umask().ifPresent(umask -> options.add("umask=%03o".formatted(umask)));
        options.add("attr_timeout=" + new Span(attributesKept()));
        options.add("entry_timeout=" + new Span(namesKept()));
        return String.join(",", options);
    }

    /** The arguments of {@code volsh mount} that request this mount as root. */
    @Override
    public List<String> words() {
        var words = new ArrayList<String>();
        words.add(source.toString());
        words.add(mountPoint.toString());
        add(words, has(MountFlag.READ_ONLY), "--read-only");
        add(words, !has(MountFlag.ALLOW_OTHER), "--no-allow-other");
        add(words, has(MountFlag.DIRECT_IO), "--direct-io");
        add(words, has(MountFlag.WRITEBACK_CACHE), "--writeback-cache");
        add(words, has(MountFlag.SOLE_WRITER), "--sole-writer");
        add(words, has(MountFlag.LOCAL_LOCKS), "--local-locks");
        add(words, has(MountFlag.ACCESS_LISTS), "--acl");
        add(words, has(MountFlag.ROOT_SQUASH), "--root-squash");
        add(words, has(MountFlag.ALL_SQUASH), "--all-squash");
        add(words, has(MountFlag.SET_ID), "--suid");
        add(words, has(MountFlag.DEVICES), "--dev");
        add(words, has(MountFlag.NO_EXECUTION), "--no-exec");
        add(words, "--uid=%d", appearance.uid());
        add(words, "--gid=%d", appearance.gid());
        add(words, "--umask=%03o", appearance.umask());
        attributeTimeout.ifPresent(timeout -> words.add("--attribute-timeout=" + new Span(timeout)));
        entryTimeout.ifPresent(timeout -> words.add("--entry-timeout=" + new Span(timeout)));
        add(words, transport != Transport.AUTO, "--transport=" + transport);
        add(words, !caching.memory().equals(CACHE_MEMORY), "--cache-memory=" + caching.memory().exact());
        add(words, !caching.readahead().equals(CacheSettings.READAHEAD), "--readahead=" + caching.readahead().exact());
        caching.directories().forEach(directory -> words.add("--cache-dir=" + directory));
        add(words, !caching.directories().isEmpty(), "--cache-size=" + caching.quota());
        add(words, has(MountFlag.CACHE_EXPAND), "--cache-expand=auto");
        writeback.ifPresent(back -> words.addAll(words(back)));
        return words;
    }

    private static List<String> words(Writeback back) {
        var words = new ArrayList<>(List.of("--writeback"));
        back.directory().ifPresent(directory -> words.add("--journal-dir=" + directory));
        words.add("--journal-size=" + back.limit().exact());
        words.add("--upload-delay=" + new Span(back.delay()));
        words.add("--flush-timeout=" + new Span(back.patience()));
        add(words, back.memoryWillDo(), "--volatile");
        return words;
    }

    private static void add(List<String> words, boolean wanted, String word) {
        if (wanted) {
            words.add(word);
        }
    }

    private static void add(List<String> words, String form, OptionalInt value) {
        value.ifPresent(number -> words.add(form.formatted(number)));
    }
}
