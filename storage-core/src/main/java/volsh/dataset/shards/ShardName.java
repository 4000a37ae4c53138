package volsh.dataset.shards;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import volsh.shard.ShardFormat;

/**
 * The name of a shard: its split, and its number, if it has one. MDS shards of a split are {@code
 * SPLIT/shard.00000.mds}, all others {@code SPLIT-000000.EXTENSION}.
 */
record ShardName(String split, Optional<Long> number) {
    private static final Pattern MDS = Pattern.compile("(?:.*?([^/]+)/)?shard\\.(\\d{1,18})\\.mds");
    private static final Pattern OTHER = Pattern.compile("(?:.*/)?([^/]+)-(\\d{1,18})\\.[^./]+");

    static ShardName of(String name) {
        Matcher mds = MDS.matcher(name);
        if (mds.matches()) {
            return new ShardName(Optional.ofNullable(mds.group(1)).orElse(PackSettings.SINGLE),
                    Optional.of(Long.valueOf(mds.group(2))));
        }
        Matcher other = OTHER.matcher(name);
        if (other.matches()) {
            return new ShardName(other.group(1), Optional.of(Long.valueOf(other.group(2))));
        }
        var base = name.substring(name.lastIndexOf('/') + 1);
        return new ShardName(base.lastIndexOf('.') > 0 ? base.substring(0, base.lastIndexOf('.')) : base,
                Optional.empty());
    }

    /** The name of a shard of this split, number and format. */
    static String of(String split, long number, ShardFormat format) {
        return format == ShardFormat.MDS
                ? (split.equals(PackSettings.SINGLE) ? "" : split + "/") + "shard.%05d.mds".formatted(number)
                : "%s-%06d.%s".formatted(split, number, format.extension());
    }

    /** The same name for a shard of another format. */
    String in(ShardFormat format) {
        return number.map(known -> of(split, known, format)).orElse(split + "." + format.extension());
    }
}
