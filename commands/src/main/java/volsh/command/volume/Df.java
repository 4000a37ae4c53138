package volsh.command.volume;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.catalog.Refusal;
import volsh.catalog.VolumePath;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Listing;
import volsh.command.Outcome;
import volsh.command.Session;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.inventory.VolumeUsage;
import volsh.quota.Charge;
import volsh.volume.VolumeStatus;
import volsh.volume.Volumes;
import volsh.volume.Writable;

@Command(name = "df", description = {"Show how much each volume holds and how much space is left.",
        "USED counts bytes as files show them. FILES counts files and links, and INODES (-o wide) directories,"
                + " too. STORED counts bytes"
                + " of blocks in the stores, including copies and parity, blocks that an unreachable store has yet"
                + " to get, and STAGED (-o wide), which is still in journals. RATIO is USED per byte of STORED.",
        "RECLAIMABLE is the part of STORED that was deleted and not reclaimed yet: a mount reclaims it within a minute"
                + " after the files are closed, 'volsh volume gc VOLUME --delete' at once. It counts at most 10,000"
                + " blocks; reclaimableMore tells whether there are more.",
        "FREE is the space left for files, as df shows it on a mount: the free space of the stores without copies and"
                + " parity, or what a quota of the volume or, for a PATH, of its directory leaves, if that is less."
                + " It is 0 if the disk of a store has no free inode, or if the disk of the metadata is full."
                + " USEPERCENT is USED as a share of USED and FREE."})
@Examples({"volsh df", "volsh df training-data", "volsh df training-data:/users/u1001",
        "volsh df --sort -stored -o json"})
final class Df implements Action<Outcome<Rows<Df.Row>>>, Listing {
    @Parameters(paramLabel = "VOLUME[:PATH]", arity = "0..*",
            description = "Volumes, or directories with a quota (default: all volumes).")
    private List<String> names = List.of();

    /** A volume and its free space. */
    record Row(String volume, String store, Optional<VolumeStatus> status, Optional<Writable> writable) {
        private @Nullable Long free() {
            return writable.isPresent() && writable.get().bytes().isPresent() ? writable.get().bytes().getAsLong()
                    : null;
        }

        private @Nullable Long inodesFree() {
            return writable.isPresent() && writable.get().inodes().isPresent() ? writable.get().inodes().getAsLong()
                    : null;
        }

        /** The row of a directory that has a quota, which acts like a volume of its own. */
        private Optional<Charge> ofDirectory() {
            return writable.flatMap(Writable::used);
        }

        private Optional<VolumeStatus> whole() {
            return ofDirectory().isPresent() ? Optional.empty() : status;
        }

        private @Nullable Long used() {
            return ofDirectory().map(Charge::bytes).or(() -> status.flatMap(VolumeViews::usage).map(VolumeUsage::bytes))
                    .orElse(null);
        }

        /** Null for a directory, whose quota counts inodes. */
        private @Nullable Long files() {
            return whole().map(VolumeViews::files).orElse(null);
        }

        private @Nullable Long inodes() {
            return ofDirectory().map(Charge::inodes)
                    .or(() -> status.flatMap(VolumeViews::usage).map(VolumeViews::inodes)).orElse(null);
        }

        /** Rounded up, as df does. */
        private @Nullable Long usePercent() {
            return free() == null || used() == null || used() + free() == 0 ? null
                    : (long) Math.ceil(100.0 * used() / (used() + free()));
        }
    }

    private static final Columns<Row> COLUMNS = VolumeViews
            .stored(Columns.of(Row.class).text("volume", Row::volume).text("store", Row::store).bytes("used", Row::used)
                    .number("files", Row::files).number("inodes", Row::inodes).wide(), Row::whole)
            .bytes("staged", row -> row.whole().map(VolumeStatus::stagedBytes).orElse(null)).wide()
            .bytes("free", Row::free)
            .number("usePercent", Row::usePercent)
            .number("inodesFree", Row::inodesFree).wide();

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Outcome<Rows<Row>> run(Session session) throws Exception {
        var volumes = session.service(Volumes.class);
        var contents = new Contents(volumes, session);
        var rows = new ArrayList<Row>();
        boolean damaged = false;
        for (String name : names.isEmpty() ? volumes.names() : names) {
            try {
                rows.add(row(session, name, volumes, contents));
            } catch (Refusal refusal) {
                if (names.size() == 1 || refusal.reason() != Refusal.Reason.DAMAGED) {
                    throw refusal;
                }
                damaged = true;
                session.warn(refusal.getMessage());
            }
        }
        damaged |= contents.damaged();
        return new Outcome<>(Rows.of(COLUMNS, rows),
                damaged ? ExitCode.INTEGRITY : contents.complete() ? ExitCode.OK : ExitCode.PARTIAL);
    }

    private Row row(Session session, String name, Volumes volumes, Contents contents) throws Exception {
        var place = name.contains(":") ? Optional.of(VolumePath.of(name)) : Optional.<VolumePath>empty();
        var volume = place.map(VolumePath::volume).orElse(name);
        var spec = volumes.find(volume);
        contents.requireDirectories(spec);
        var status = contents.status(volume, names.size() == 1);
        status.ifPresent(now -> VolumeViews.tellMore(session, now));
        var writable = status.isEmpty() ? Optional.<Writable>empty()
                : writable(volumes, volume, place.map(VolumePath::path));
        return new Row(name, String.join(",", spec.stores()), status, writable);
    }

    /** Ignores a damaged entry of a store, because a warning has reported it. */
    private static Optional<Writable> writable(Volumes volumes, String volume, Optional<String> path)
            throws IOException {
        try {
            return Optional.of(volumes.capacity().writable(volume, path));
        } catch (Refusal refusal) {
            if (refusal.reason() != Refusal.Reason.DAMAGED) {
                throw refusal;
            }
            return Optional.empty();
        }
    }
}
