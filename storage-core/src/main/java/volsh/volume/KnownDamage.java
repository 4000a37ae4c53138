package volsh.volume;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import volsh.catalog.Log;
import volsh.disk.Disk;
import volsh.upkeep.check.CheckReport;
import volsh.upkeep.check.Damage;

/**
 * The damage of a volume that the last checks and scrubs of this host left, and what readers met since ({@link
 * MetDamage}): a small file beside the metadata. Each look replaces what is known of the kinds of damage that it could
 * have found, and of no others: a check that reads no block tells nothing about damaged blocks.
 */
public final class KnownDamage {
    /** What is found only by reading every byte. */
    private static final Set<Damage> READ =
            EnumSet.of(Damage.OBJECT_CORRUPT, Damage.PART_CORRUPT,
            Damage.DATABASE_DAMAGED, Damage.IMPORT_CHANGED);
    private static final Set<Damage> OF_STORES = EnumSet.of(Damage.OBJECT_MISSING, Damage.OBJECT_SIZE_WRONG,
            Damage.OBJECT_CORRUPT, Damage.PART_MISSING, Damage.PART_CORRUPT);

    private final Disk disk;
    private final Path file;

    KnownDamage(Disk disk, Path directory) {
        this.disk = disk;
        this.file = directory.resolve("damage");
    }

    /** How much of each kind, and when it was last seen. */
    public record Found(Instant time, Map<Damage, Long> counts) {
        public Found {
            counts = Map.copyOf(counts);
        }

        /** The command that shows it, and shows when it is gone. */
        public String next(String volume) {
            boolean deep = counts.keySet().stream().anyMatch(READ::contains)
                    || counts.containsKey(Damage.ROW_UNREADABLE);
            return "volsh volume check " + volume + (deep ? " --deep" : "");
        }

        /** What is known besides these kinds, if anything. */
        public Optional<Found> without(Set<Damage> kinds) {
            var rest = new EnumMap<Damage, Long>(Damage.class);
            rest.putAll(counts);
            rest.keySet().removeAll(kinds);
            return rest.isEmpty() ? Optional.empty() : Optional.of(new Found(time, rest));
        }

        /** What is known of blocks and their parts that only reading them finds, if anything. */
        public Optional<Found> unread() {
            return without(EnumSet.complementOf(EnumSet.of(Damage.OBJECT_CORRUPT, Damage.PART_CORRUPT)));
        }

        /** {@code known damage: object-corrupt: 2 (found 2026-11-18T10:00:00Z)}, and the command that looks for it. */
        public String sentence(String volume) {
            return "known damage: %s (found %s): %s".formatted(this, time, next(volume));
        }

        /** {@code object-corrupt: 2, links-wrong: 1}. */
        @Override
        public String toString() {
            return new EnumMap<>(counts).entrySet().stream().map(each -> each.getKey() + ": " + each.getValue())
                    .collect(Collectors.joining(", "));
        }
    }

    /** Empty if nothing is known to be damaged. */
    Optional<Found> find() {
        try (var opened = disk.open(file)) {
            var bytes = ByteBuffer.allocate(Math.toIntExact(opened.size()));
            opened.read(bytes, 0);
            return parse(new String(bytes.array(), 0, bytes.position(), StandardCharsets.US_ASCII));
        } catch (NoSuchFileException none) {
            return Optional.empty();
        } catch (IOException | DateTimeException | IllegalArgumentException unreadable) {
            Log.LOG.log(Level.DEBUG, "cannot read the list of known damage: " + file, unreadable);
            return Optional.empty();
        }
    }

    private static Optional<Found> parse(String text) {
        var lines = text.lines().toList();
        var counts = new EnumMap<Damage, Long>(Damage.class);
        for (var line : lines.subList(Math.min(1, lines.size()), lines.size())) {
            int end = line.indexOf(' ');
            var name = line.substring(0, Math.max(0, end)).replace('-', '_').toUpperCase(Locale.ROOT);
            counts.put(Damage.valueOf(name), Long.parseLong(line.substring(end + 1)));
        }
        return counts.isEmpty() ? Optional.empty() : Optional.of(new Found(Instant.parse(lines.getFirst()), counts));
    }

    /** After a check or a repair: {@code report} is what is left. {@code whole}: it was about all of the volume. */
    void checked(CheckReport report, boolean deep, boolean whole, Instant now) {
        var kinds = EnumSet.noneOf(Damage.class);
        if (whole) {
            kinds.addAll(EnumSet.allOf(Damage.class));
        }
        if (!deep) {
            kinds.removeAll(READ);
        }
        if (report.counts().containsKey(Damage.STORE_AWAY)) {
            kinds.removeAll(OF_STORES);
        }
        var left = new EnumMap<Damage, Long>(Damage.class);
        report.counts().forEach((damage, count) -> {
            if (!damage.isHarmless() && damage != Damage.STORE_AWAY && count > 0) {
                left.put(damage, count);
            }
        });
        replace(kinds, left, now);
    }

    /** The files of all imports follow their buckets again. */
    void refreshed(Instant now) {
        replace(EnumSet.of(Damage.IMPORT_CHANGED), Map.of(), now);
    }

    /** A reader met this damage. False if it was known already, or cannot be written down. */
    boolean met(Damage damage, Instant now) {
        return find().filter(known -> known.counts().containsKey(damage)).isEmpty()
                && replace(Set.of(), Map.of(damage, 1L), now);
    }

    /** After a scrub of several stores, which looks at nothing but their parts of blocks. */
    void scrubbed(BlockCare.Report report, boolean deep, Instant now) {
        var kinds = report.unknown() == 0 ? EnumSet.copyOf(OF_STORES) : EnumSet.noneOf(Damage.class);
        if (!deep) {
            kinds.removeAll(READ);
        }
        var left = new EnumMap<Damage, Long>(Damage.class);
        long wrong = report.missing() + report.damaged() - report.repaired();
        if (!report.lost().isEmpty()) {
            left.put(report.damaged() > 0 ? Damage.OBJECT_CORRUPT : Damage.OBJECT_MISSING, (long) report.lost().size());
        } else if (wrong > 0) {
            left.put(report.damaged() > 0 ? Damage.PART_CORRUPT : Damage.PART_MISSING, wrong);
        }
        replace(kinds, left, now);
    }

    /** Checks go on in a home that cannot be written. */
    private boolean replace(Set<Damage> kinds, Map<Damage, Long> found, Instant now) {
        var before = find();
        var all = new EnumMap<Damage, Long>(Damage.class);
        before.ifPresent(known -> all.putAll(known.counts()));
        all.keySet().removeAll(kinds);
        all.putAll(found);
        if (all.isEmpty() && before.isEmpty()) {
            return true;
        }
        try {
            if (all.isEmpty()) {
                disk.delete(file);
            } else {
                write(new Found(found.isEmpty() ? before.orElseThrow().time() : now, all));
            }
            disk.syncDirectory(Disk.directoryOf(file));
            return true;
        } catch (IOException unwritable) {
            Log.LOG.log(Level.DEBUG, "cannot write the list of known damage: " + file, unwritable);
            return false;
        }
    }

    private void write(Found known) throws IOException {
        var text = new StringBuilder(known.time().toString()).append('\n');
        new EnumMap<>(known.counts())
                .forEach((damage, count) -> text.append(damage).append(' ').append(count).append('\n'));
        var unfinished = file.resolveSibling("damage." + ProcessHandle.current().pid());
        disk.delete(unfinished);
        try (var created = disk.create(unfinished)) {
            created.write(ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.US_ASCII)), 0);
            created.sync();
        }
        disk.rename(unfinished, file);
    }
}
