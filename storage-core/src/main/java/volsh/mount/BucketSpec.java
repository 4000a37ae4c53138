package volsh.mount;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import volsh.assembly.CacheSettings;
import volsh.block.StoreUrl;
import volsh.bucketfs.BucketSettings;
import volsh.fuse.Appearance;
import volsh.fuse.MountFlag;
import volsh.unit.Span;

/**
 * A bucket to be mounted without a volume.
 *
 * @param source as people name it
 * @param url of the bucket, with what was given on the command line
 * @param given these options, by their names
 * @param prefix of the keys that are shown; empty, or with a slash at its end
 * @param patience how long a request that fails is repeated
 */
public record BucketSpec(String source, StoreUrl url, Map<String, String> given, String prefix, Path mountPoint,
        Set<MountFlag> flags, Appearance appearance, CacheSettings caching, BucketSettings settings,
        Duration patience) implements MountPlan {
    public static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String TRUE = "true";

    public BucketSpec {
        flags = Set.copyOf(flags);
        given = Map.copyOf(given);
        for (var directory : caching.directories()) {
            if (directory.normalize().startsWith(mountPoint)) {
                throw new IllegalArgumentException(("the cache directory %s would be hidden by the mount: "
                        + "choose a directory outside of it").formatted(directory));
            }
        }
    }

    @Override
    public MountSource origin() {
        return MountSource.ofBucket(source);
    }

    @Override
    public boolean has(MountFlag flag) {
        return flags.contains(flag);
    }

    @Override
    public Transport transport() {
        return Transport.KERNEL;
    }

    @Override
    public String options() {
        var options = new ArrayList<String>();
        options.add(has(MountFlag.READ_ONLY) ? "ro" : "rw");
        options.add("nosuid");
        options.add("nodev");
        options.add("noatime");
        for (var flag : List.of(MountFlag.NO_EXECUTION, MountFlag.ALLOW_OTHER)) {
            if (has(flag)) {
                options.add(flag.option());
            }
        }
        appearance.uid().ifPresent(uid -> options.add("uid=" + uid));
        appearance.gid().ifPresent(gid -> options.add("gid=" + gid));
        appearance.umask().ifPresent(umask -> options.add("umask=%03o".formatted(umask)));
        if (settings.immutable()) {
            options.add("immutable");
        }
        if (settings.keepAttributes()) {
            options.add("keep_attributes");
        }
        options.add("ttl=" + new Span(settings.ttl()));
        return String.join(",", options);
    }

    @Override
    public List<String> words() {
        var words = new ArrayList<>(List.of(source, mountPoint.toString()));
        given.forEach((name, value) -> words.add("--" + name + (value.equals(TRUE) ? "" : "=" + value)));
        add(words, has(MountFlag.READ_ONLY), "--read-only");
        add(words, !has(MountFlag.ALLOW_OTHER), "--no-allow-other");
        add(words, has(MountFlag.NO_EXECUTION), "--no-exec");
        appearance.uid().ifPresent(uid -> words.add("--uid=" + uid));
        appearance.gid().ifPresent(gid -> words.add("--gid=" + gid));
        appearance.umask().ifPresent(umask -> words.add("--umask=%03o".formatted(umask)));
        add(words, settings.immutable(), "--immutable");
        add(words, settings.keepAttributes(), "--keep-attributes");
        words.add("--ttl=" + new Span(settings.ttl()));
        words.add("--part=" + settings.part().exact());
        words.add("--write-buffer=" + settings.buffer().exact());
        words.add("--rename-max=" + settings.renameMax());
        words.add("--timeout=" + new Span(patience));
        words.add("--cache-memory=" + caching.memory().exact());
        words.add("--readahead=" + caching.readahead().exact());
        caching.directories().forEach(directory -> words.add("--cache-dir=" + directory));
        add(words, !caching.directories().isEmpty(), "--cache-size=" + caching.quota());
        return words;
    }

    private static void add(List<String> words, boolean wanted, String word) {
        if (wanted) {
            words.add(word);
        }
    }
}
