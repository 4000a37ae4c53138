package volsh.command.snapshot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.NoSuchElementException;
import java.util.Spliterators;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.catalog.Access;
import volsh.catalog.VolumePath;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Listing;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.fs.Attributes;
import volsh.fs.ShellWord;
import volsh.transfer.TreeDifference;
import volsh.volume.OpeningRequest;
import volsh.volume.Volume;
import volsh.volume.Volumes;

@Command(name = "diff", description = {"Show what changed between two states of a volume, or of a directory of it.",
        "added, removed, changed (other content) or attributes (other mode, owner or time), by names and attributes"
                + " alone: no data is read. A moved file is removed in one place and added in the other."})
@Examples({"volsh snapshot diff training-data@v1 training-data",
        "volsh snapshot diff training-data@v1:/dataset training-data@v2:/dataset -o json"})
final class SnapshotDiff implements Action<Rows<TreeDifference.Change>>, Listing {
    @Parameters(index = "0", paramLabel = "VOLUME@NAME",
            description = "Old state: VOLUME@SNAPSHOT, or a directory in it.")
    private String before;

    @Parameters(index = "1", arity = "0..1", paramLabel = "VOLUME@NAME",
            description = "New state (default: the same place now).")
    private @Nullable String after;

    private static final Columns<TreeDifference.Change> COLUMNS = Columns.of(TreeDifference.Change.class)
            .text("change", TreeDifference.Change::kind)
            .text("path", TreeDifference.Change::path)
            .bytes("before", change -> change.before().map(Attributes::size).orElse(null))
            .bytes("after", change -> change.after().map(Attributes::size).orElse(null))
            .text("type", change -> change.after().or(change::before).orElseThrow().kind().toString()
                    .toLowerCase(Locale.ROOT)).wide();

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    private static VolumePath place(String word) {
        return word.contains(":") ? VolumePath.of(word) : VolumePath.whole(word);
    }

    @Override
    public Rows<TreeDifference.Change> run(Session session) throws Exception {
        var old = place(before);
        var now = after == null ? new VolumePath(old.volume(), old.path()) : place(after);
        if (!old.volume().equals(now.volume())) {
            throw CommandFailure.usage("%s and %s are in different volumes".formatted(old, now));
        }
        var open = new ArrayList<Volume>();
        try {
            var left = open(session, old, open);
            var right = open(session, now, open);
            var difference = new TreeDifference(left.vfs(), directory(left, old), right.vfs(), directory(right, now));
            var changes = new Changes(difference, session);
            if (!changes.hasNext()) {
                session.say("no differences between %s and %s".formatted(old, now));
            }
            return Rows.lazy(COLUMNS, StreamSupport.stream(Spliterators.spliteratorUnknownSize(changes, 0), false)
                    .onClose(() -> close(open)));
        } catch (Exception failed) {
            close(open);
            throw failed;
        }
    }

    private static Volume open(Session session, VolumePath place, List<Volume> open) throws Exception {
        var volumes = session.service(Volumes.class);
        var volume = place.moment().isPresent()
                ? volumes.open(OpeningRequest.past(place.volume(), place.moment().get(), "snapshot diff"))
                : volumes.open(place.volume(), Access.NAMES, "snapshot diff");
        open.add(volume);
        return volume;
    }

    private static Attributes directory(Volume volume, VolumePath place) throws IOException {
        var found = volume.paths().resolve(place.path());
        if (!found.isDirectory()) {
            throw CommandFailure.usage("%s is not a directory".formatted(place))
                    .hint("volsh history " + ShellWord.of(place.volume() + ":" + place.path()));
        }
        return found;
    }

    private static void close(List<Volume> open) {
        for (var volume : open.reversed()) {
            try {
                volume.close();
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
    }

    /** The changes, computed lazily. */
    private static final class Changes implements Iterator<TreeDifference.Change> {
        private final TreeDifference difference;
        private final Session session;
        private TreeDifference.@Nullable Change next;

        Changes(TreeDifference difference, Session session) {
            this.difference = difference;
            this.session = session;
        }

        @Override
        public boolean hasNext() {
            session.cancellation().check();
            try {
                next = next == null ? difference.next() : next;
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
            return next != null;
        }

        @Override
        public TreeDifference.Change next() {
            boolean more = hasNext();
            var change = next;
            if (!more || change == null) {
                throw new NoSuchElementException();
            }
            next = null;
            return change;
        }
    }
}
