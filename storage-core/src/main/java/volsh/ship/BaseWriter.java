package volsh.ship;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.NoSuchBlockException;
import volsh.engine.KeyFacts;
import volsh.engine.KeyFacts.Reach;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;

/**
 * Ships an image of all rows, a few at a time: no read is long, and nothing waits. Pages that were read later have seen
 * more changes; each records how many, and the base is valid only once the store has the log up to what its youngest
 * page has seen. Then older bases and logs are removed.
 */
final class BaseWriter {
    private static final int ROWS = 800;
    private static final Duration FORGOTTEN = Duration.ofDays(1);

    /** Everything except the kinds of rows that are never shipped. */
    private static final List<Stretch> STRETCHES = List.of(
            new Stretch(MetaKey.of((byte) 0), MetaKey.of((byte) 'f')),
            new Stretch(MetaKey.of((byte) 'g'), MetaKey.of((byte) 's')),
            new Stretch(MetaKey.of((byte) 't'), MetaKey.of(KeyFacts.CHANGE_LOG)),
            new Stretch(MetaKey.of((byte) (KeyFacts.CHANGE_LOG + 1)), MetaKey.of((byte) 0xff)));

    private record Stretch(MetaKey from, MetaKey to) {}

    private final Identity identity;
    private final MetaEngine engine;
    private final ShippedNames place;
    private final Shipper shipper;
    private final InstantSource clock;
    private final Sizes sizes;

    BaseWriter(Identity identity, MetaEngine engine, ShippedNames place, Shipper shipper, InstantSource clock,
            Sizes sizes) {
        this.identity = identity;
        this.engine = engine;
        this.place = place;
        this.shipper = shipper;
        this.clock = clock;
        this.sizes = sizes;
    }

    /** Writes a base that starts after what is shipped so far. */
    void run() throws IOException {
        var log = new ShippingLog(engine);
        shipper.shipLogs();
        var start = log.state();
        var parts = new Parts(start);
        for (var stretch : STRETCHES) {
            write(stretch, parts);
        }
        parts.flush();
        shipper.shipLogs();
        var key = ShippedNames.base(start.shipped());
        if (!place.putIfAbsent(key, base(start, parts).seal().bytes())) {
            // One was begun here before and is just as good; it names its own parts, not ours.
            place.delete(parts.keys);
        }
        var now = log.state();
        long behind = now.logBytes() - start.logBytes();
        log.advance(now, current -> current.withBase(start.shipped(), parts.storedBytes, behind, clock.instant()));
        removeOlder(key, start.shipped());
    }

    private ShippedObject base(ShipState start, Parts parts) throws IOException {
        byte[] about = Shipper.about(engine, identity);
        var content = new BaseContent(identity.host(), clock.instant(), about, parts.attempt, parts.storedBytes,
                parts.digests);
        return new ShippedObject(ShippedObject.Kind.BASE, identity.volume(), start.copy(), start.epoch(),
                start.shipped(), parts.youngest, start.digest(), content.toBytes());
    }

    private void write(Stretch stretch, Parts parts) throws IOException {
        for (var from = stretch.from(); from != null; ) {
            var begin = from;
            var read = engine.read(tx -> new Read(
                    Counter.parse(tx.get(LogKeys.COUNTER)).last(), tx.scan(begin, stretch.to(), ROWS)));
            var page = new Page(begin, read.change(), read.rows().stream()
                    .filter(row -> KeyFacts.reach(row.key()) != Reach.HERE).toList());
            parts.add(page);
            from = read.rows().size() < ROWS ? null : read.rows().getLast().key().next();
        }
    }

    private record Read(long change, List<MetaEngine.Entry> rows) {}

    /** Older bases first: one without its logs must not be found. */
    private void removeOlder(BlockKey key, long start) throws IOException {
        byte[] bytes;
        try {
            bytes = place.read(key);
        } catch (NoSuchBlockException superseded) {
            return;   // the process that wrote a newer one removes the rest
        }
        var newest = BaseContent.parse(key, ShippedObject.open(key, bytes, ShippedObject.Kind.BASE, identity.volume()));
        removeBefore(ShippedNames.BASES, start);
        removeBefore(ShippedNames.LOGS, start + 1);
        String mine = ShippedNames.part(start, newest.attempt(), 0).text();
        String directory = mine.substring(0, mine.lastIndexOf('/') + 1);
        var parts = new ArrayList<BlockKey>();
        for (var listed : place.list(ShippedNames.PARTS)) {
            if (ShippedNames.number(listed.key()) <= start && !listed.key().text().startsWith(directory)) {
                parts.add(listed.key());
            }
        }
        place.delete(parts);
        place.delete(place.list(ShippedNames.ALIVE).stream().filter(this::isForgotten).map(BlockStore.Listed::key)
                .toList());
    }

    /** Whether it was left by a killed process. */
    private boolean isForgotten(BlockStore.Listed sign) {
        return sign.modified().isBefore(clock.instant().minus(FORGOTTEN));
    }

    private void removeBefore(String prefix, long number) throws IOException {
        var older = new ArrayList<BlockKey>();
        for (var listed : place.list(prefix)) {
            if (ShippedNames.number(listed.key()) < number) {
                older.add(listed.key());
            }
        }
        place.delete(older);
    }

    /** The parts written so far, and the one being filled. */
    private final class Parts {
        private final ShipState start;
        private final String attempt = UUID.randomUUID().toString().substring(0, 8);
        private final List<BlockKey> keys = new ArrayList<>();
        private final List<byte[]> digests = new ArrayList<>();
        private Bytes pages = new Bytes();
        private long storedBytes;
        private long youngest;

        Parts(ShipState start) {
            this.start = start;
            this.youngest = start.shipped();
        }

        void add(Page page) throws IOException {
            page.writeTo(pages);
            youngest = Math.max(youngest, page.change());
            if (pages.size() >= sizes.part()) {
                flush();
                shipper.shipLogs();   // a large base takes long, and the log must not wait for it
            }
        }

        void flush() throws IOException {
            if (pages.size() == 0) {
                return;
            }
            int number = keys.size();
            byte[] previous = digests.isEmpty() ? ShippedObject.NO_DIGEST : digests.getLast();
            var sealed = new ShippedObject(ShippedObject.Kind.PART, identity.volume(), start.copy(), start.epoch(),
                    number, 0, previous, pages.toBytes()).seal();
            var key = ShippedNames.part(start.shipped(), attempt, number);
            place.put(key, sealed.bytes());
            keys.add(key);
            digests.add(sealed.digest());
            storedBytes += sealed.bytes().length;
            pages = new Bytes();
        }
    }
}
