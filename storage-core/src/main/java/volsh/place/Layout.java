package volsh.place;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * How a block is spread over stores. Written as {@code stripe:4} or {@code stripe:all}, {@code mirror:3}
 * ({@code mirror:3/3} with a quorum), {@code ec:10+4}; the text parses back to the same layout.
 */
public sealed interface Layout {
    /** Stores a block may be spread over. */
    int PARTS_MAX = 64;

    Pattern SHAPE = Pattern.compile(
            "(stripe):(all|\\d{1,2})|(mirror):(\\d{1,2})(?:/(\\d{1,2}))?|(ec):(\\d{1,2})\\+(\\d{1,2})");

    /** Whole blocks, rotating over {@code width} stores, or {@link #ALL}. Does not survive the loss of a store. */
    record Striped(int width) implements Layout {
        /** All stores. */
        public static final int ALL = -1;

        public Striped {
            require(width == ALL || width >= 1 && width <= PARTS_MAX,
                    "a stripe must have 1 to %d stores, or all (-1), not %d", PARTS_MAX, width);
        }

        @Override
        public String toString() {
            return "stripe:" + (width == ALL ? "all" : width);
        }
    }

    /** Every block whole on {@code copies} stores: all but one may be lost. A put needs {@code quorum} of them. */
    record Mirrored(int copies, int quorum) implements Layout {
        public Mirrored {
            require(copies >= 2 && copies <= PARTS_MAX, "a mirror has 2 to %d copies: %d", PARTS_MAX, copies);
            require(quorum >= 1 && quorum <= copies, "the quorum of %d copies must be 1 to %d, not %d", copies, copies,
                    quorum);
        }

        /** With the default quorum: what it takes to read a block, plus one if possible. */
        public Mirrored(int copies) {
            this(copies, usual(copies));
        }

        private static int usual(int copies) {
            return Math.clamp(copies - 1, 1, 2);
        }

        @Override
        public String toString() {
            return "mirror:" + copies + (quorum == usual(copies) ? "" : "/" + quorum);
        }
    }

    /** Every block cut into {@code data} shards, with {@code parity} more: any {@code parity} of them may be lost. */
    record ErasureCoded(int data, int parity) implements Layout {
        public ErasureCoded {
            require(data >= 2 && parity >= 1 && data + parity <= PARTS_MAX,
                    "erasure coding has at least 2 data and 1 parity shards, %d in all: %d+%d", PARTS_MAX, data,
                    parity);
        }

        @Override
        public String toString() {
            return "ec:" + data + "+" + parity;
        }
    }

    /** Parses a layout. @throws IllegalArgumentException naming the text and valid examples */
    static Layout of(String text) {
        var found = SHAPE.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!found.matches()) {
            throw new IllegalArgumentException("invalid layout: '%s' (try stripe:4, stripe:all, mirror:2 or ec:4+2)"
                    .formatted(text));
        }
        if (found.group(1) != null) {
            return new Striped(found.group(2).equals("all") ? Striped.ALL : Integer.parseInt(found.group(2)));
        }
        if (found.group(3) != null) {
            int copies = Integer.parseInt(found.group(4));
            return found.group(5) == null ? new Mirrored(copies)
                    : new Mirrored(copies, Integer.parseInt(found.group(5)));
        }
        return new ErasureCoded(Integer.parseInt(found.group(7)), Integer.parseInt(found.group(8)));
    }

    /** The minimum number of stores. */
    default int storesMin() {
        return switch (this) {
            case Striped(int width) -> Math.max(1, width);
            case Mirrored(int copies, int _) -> copies;
            case ErasureCoded(int data, int parity) -> data + parity;
        };
    }

    /** Approximate bytes on each store for a block of this many stored bytes. */
    default long shardSize(long stored) {
        return this instanceof ErasureCoded(int data, int _) ? Shard.length(stored, data) + Shard.TRAILER : stored;
    }

    /** Total bytes on all stores for a block of this many stored bytes. */
    default long everywhere(long stored) {
        return switch (this) {
            case Striped _ -> stored;
            case Mirrored(int copies, int _) -> copies * stored;
            case ErasureCoded(int data, int parity) -> stored + (long) parity * Shard.length(stored, data)
                    + (long) (data + parity) * Shard.TRAILER;
        };
    }

    /** How many stores of a block may be lost without losing data. */
    default int losses() {
        return switch (this) {
            case Striped _ -> 0;
            case Mirrored(int copies, int _) -> copies - 1;
            case ErasureCoded(int _, int parity) -> parity;
        };
    }

    /** How many stores must acknowledge a put: what it takes to read the block, plus one if possible. */
    default int acknowledgements() {
        return switch (this) {
            case Striped _ -> 1;
            case Mirrored(int _, int quorum) -> quorum;
            case ErasureCoded(int data, int parity) -> data + Math.min(1, parity - 1);
        };
    }

    private static void require(boolean right, String what, Object... values) {
        if (!right) {
            throw new IllegalArgumentException(what.formatted(values));
        }
    }
}
