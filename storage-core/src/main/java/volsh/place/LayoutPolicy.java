package volsh.place;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import volsh.unit.ByteSize;

/**
 * The layout of new bytes of a file: one layout, or several by file offset. Written as layouts with comma-separated
 * options, separated by blanks: {@code stripe:1,until=64MiB stripe:all,size=1MiB,pool=fast}. The text parses back to
 * the same policy.
 */
public record LayoutPolicy(List<Component> components) {
    /** Whole blocks in the volume's first store: the policy of volumes with one store. */
    public static final LayoutPolicy SINGLE = LayoutPolicy.of("stripe:1");

    private static final int COMPONENTS_MAX = 16;
    private static final Pattern POOL = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

    /**
     * The layout of bytes up to a file offset.
     *
     * @param until the first byte beyond it; {@link Long#MAX_VALUE} for no end
     * @param size  of its blocks, if it differs from the volume's
     * @param pool  the label of the stores to use; empty for all of them
     */
    public record Component(Layout layout, long until, Optional<ByteSize> size, Optional<String> pool) {
        private static final long SIZE_MIN = 64 * ByteSize.KIB;

        public Component {
            size.ifPresent(bytes -> require(Long.bitCount(bytes.bytes()) == 1 && bytes.bytes() >= SIZE_MIN,
                    "invalid stripe size: it must be a power of two of at least 64KiB: " + bytes));
            pool.ifPresent(name -> require(POOL.matcher(name).matches(),
                    "invalid pool name: '%s' (try fast)".formatted(name)));
            require(until > 0, "until must be greater than 0: " + until);
        }

        @Override
        public String toString() {
            return layout + (until == Long.MAX_VALUE ? "" : ",until=" + new ByteSize(until).exact())
                    + size.map(bytes -> ",size=" + bytes.exact()).orElse("")
                    + pool.map(name -> ",pool=" + name).orElse("");
        }

        private static Component of(String text) {
            String[] parts = text.split(",");
            long until = Long.MAX_VALUE;
            Optional<ByteSize> size = Optional.empty();
            Optional<String> pool = Optional.empty();
            for (int i = 1; i < parts.length; i++) {
                String[] pair = parts[i].split("=", 2);
                require(pair.length == 2, "invalid layout option: '%s' (write it as name=value)".formatted(parts[i]));
                switch (pair[0]) {
                    case "until" -> until = ByteSize.of(pair[1]).bytes();
                    case "size" -> size = Optional.of(ByteSize.of(pair[1]));
                    case "pool" -> pool = Optional.of(pair[1]);
                    default -> throw new IllegalArgumentException(
                            "unknown layout option: '%s' (valid: until, size, pool)".formatted(pair[0]));
                }
            }
            return new Component(Layout.of(parts[0]), until, size, pool);
        }
    }

    public LayoutPolicy {
        components = List.copyOf(components);
        require(!components.isEmpty() && components.size() <= COMPONENTS_MAX,
                "a policy has 1 to %d layouts".formatted(COMPONENTS_MAX));
        for (int i = 0; i < components.size(); i++) {
            boolean last = i == components.size() - 1;
            require(last == (components.get(i).until() == Long.MAX_VALUE),
                    "every layout but the last needs until=OFFSET, and the last must not have one");
            require(i == 0 || components.get(i).until() > components.get(i - 1).until(),
                    "layouts must be in the order of their offsets");
        }
    }

    /** Parses a policy. @throws IllegalArgumentException naming what is wrong and valid examples */
    public static LayoutPolicy of(String text) {
        var components = new ArrayList<Component>();
        for (var part : text.strip().split("\\s+")) {
            components.add(Component.of(part));
        }
        return new LayoutPolicy(components);
    }

    /** One layout for everything. */
    public static LayoutPolicy of(Layout layout) {
        return new LayoutPolicy(List.of(new Component(layout, Long.MAX_VALUE, Optional.empty(), Optional.empty())));
    }

    /** The same policy with the volume's block size. */
    public LayoutPolicy withoutSize() {
        return new LayoutPolicy(components.stream()
                .map(each -> new Component(each.layout(), each.until(), Optional.empty(), each.pool())).toList());
    }

    /** The component for a block that begins at this offset of a file. */
    public Component at(long offset) {
        return components.stream().filter(each -> offset < each.until()).findFirst().orElse(components.getLast());
    }

    /** The largest block size: the smallest of all its layouts and the volume's. */
    public int blockSize(int volumes) {
        return (int) components.stream().flatMap(each -> each.size().stream()).mapToLong(ByteSize::bytes)
                .reduce(volumes, Math::min);
    }

    private static void require(boolean right, String what) {
        if (!right) {
            throw new IllegalArgumentException(what);
        }
    }

    @Override
    public String toString() {
        return components.stream().map(Component::toString).collect(Collectors.joining(" "));
    }
}
