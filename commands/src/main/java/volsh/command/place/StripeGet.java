package volsh.command.place;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.Access;
import volsh.catalog.VolumePath;
import volsh.command.Action;
import volsh.command.Listing;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.OutputFormat;
import volsh.command.render.Rows;
import volsh.place.LayoutPolicy;
import volsh.unit.ByteSize;
import volsh.volume.BlockCare;
import volsh.volume.Volume;

@Command(name = "get", description = {"Show the layout of a file or directory, and where the blocks of a file are.",
        "For a directory, shows the layout of new files in it. For a file, shows a row per store with its share, as a"
                + " small picture in the table; with --blocks a row per block, with its stores."})
@Examples({"volsh stripe get big:/", "volsh stripe get big:/x", "volsh stripe get big:/x -o json",
        "volsh stripe get big:/x --blocks"})
final class StripeGet implements Action<Rows<?>>, Listing {
    private static final int BAR = 40;

    @Parameters(paramLabel = "VOL:/PATH", description = "File or directory.")
    private String place;

    @Option(names = "--blocks", description = "Show a row per block, not per store.")
    private boolean blocks;

    /** A store and its share of a file. */
    record OnStore(String store, String layout, long parts, ByteSize size, String share) {}

    /** A block of a file. */
    record Block(long offset, String block, ByteSize size, String layout, String stores) {}

    private static final Columns<OnStore> STORES = Columns.of(OnStore.class)
            .text("store", OnStore::store)
            .text("layout", OnStore::layout)
            .number("parts", OnStore::parts)
            .bytes("size", OnStore::size)
            .text("share", OnStore::share);

    private static final Columns<Block> BLOCKS = Columns.of(Block.class)
            .number("offset", Block::offset)
            .text("block", Block::block)
            .bytes("size", Block::size)
            .text("layout", Block::layout)
            .text("stores", Block::stores);

    @Override
    public Columns<?> columns() {
        return blocks ? BLOCKS : STORES;
    }

    @Override
    public Rows<?> run(Session session) throws Exception {
        var path = VolumePath.of(place);
        try (var caring = new Caring(session, path.volume(), Access.READ, "stripe get")) {
            var found = Caring.find(caring.volume(), path);
            var policy = policy(caring.volume(), found.ino());
            var used = found.isRegular() ? caring.care().blocks(found.ino()) : List.<BlockCare.Used>of();
            session.say("%s: %s%s".formatted(path, policy,
                    found.isRegular() ? ", %d blocks".formatted(used.size()) : ", for new files"));
            return blocks ? Rows.of(BLOCKS, blocks(caring.volume(), used))
                    : Rows.of(STORES, stores(caring.volume(), used, policy,
                            session.options().output().kind() == OutputFormat.Kind.TABLE));
        }
    }

    /** The layout of the inode, or the volume's. */
    static LayoutPolicy policy(Volume volume, long ino) throws IOException {
        var spot = volume.spot().orElseThrow();
        return spot.store().repair().policy(spot.rows().ofInode(ino));
    }

    private static List<Block> blocks(Volume volume, List<BlockCare.Used> used) throws IOException {
        var rows = new ArrayList<Block>();
        var names = names(volume);
        for (var each : used) {
            var arrangement = volume.spot().orElseThrow().store().repair().arrangementOf(each.row().layout());
            String stores = arrangement.parts(each.row().id()).stream().map(part -> names.get(part.store()))
                    .collect(Collectors.joining(","));
            rows.add(new Block(each.offset(), "%016x".formatted(each.row().id()), new ByteSize(each.row().storedSize()),
                    arrangement.layout().toString(), stores));
        }
        return rows;
    }

    private static Map<Integer, String> names(Volume volume) {
        var names = new TreeMap<Integer, String>();
        volume.spot().orElseThrow().store().members().entries()
                .forEach(entry -> names.put(entry.number(), entry.name()));
        return names;
    }

    private static List<OnStore> stores(Volume volume, List<BlockCare.Used> used, LayoutPolicy policy, boolean picture)
            throws IOException {
        var parts = new TreeMap<Integer, Long>();
        var bytes = new TreeMap<Integer, Long>();
        for (var each : used) {
            var arrangement = volume.spot().orElseThrow().store().repair().arrangementOf(each.row().layout());
            for (var part : arrangement.parts(each.row().id())) {
                parts.merge(part.store(), 1L, Long::sum);
                bytes.merge(part.store(), part.isWhole() ? each.row().storedSize()
                        : arrangement.layout().shardSize(each.row().storedSize()), Long::sum);
            }
        }
        long most = bytes.values().stream().mapToLong(Long::longValue).max().orElse(1);
        long total = Math.max(1, bytes.values().stream().mapToLong(Long::longValue).sum());
        var rows = new ArrayList<OnStore>();
        names(volume).forEach((number, name) -> {
            long size = bytes.getOrDefault(number, 0L);
            String share = picture ? "#".repeat((int) (size * BAR / most)) : "%.1f%%".formatted(100.0 * size / total);
            rows.add(new OnStore(name, policy.toString(), parts.getOrDefault(number, 0L), new ByteSize(size), share));
        });
        return rows;
    }
}
