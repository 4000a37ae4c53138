package volsh.command.file;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.file.OpenVolumes.Spot;
import volsh.fs.DamagedException;
import volsh.transfer.Trail;
import volsh.transfer.Trail.Found;

/** Rows of paths in volumes and of what is below them, one path after the other. Damage is reported after all rows. */
abstract class VolumeWalk<T> implements Pulled.Source<T> {
    private final Deque<Spot> left;
    private final @Nullable Comparator<Found> order;
    private @Nullable Spot top;
    private @Nullable Trail trail;   // below the top; null before the next one
    private @Nullable CommandFailure damage;

    VolumeWalk(List<Spot> tops, @Nullable Comparator<Found> order) {
        this.left = new ArrayDeque<>(tops);
        this.order = order;
    }

    /** These paths, all of which have to exist; links are not followed. */
    static List<Spot> find(Session session, OpenVolumes volumes, AtOption at, List<String> places) throws IOException {
        var spots = new ArrayList<Spot>();
        for (String place : places) {
            spots.add(volumes.find(at.place(session, place), false));
        }
        return spots;
    }

    /** The row of a path itself; null for none. */
    abstract @Nullable T begin(Spot top) throws IOException;

    /** The row of a step below it; null for none. */
    abstract @Nullable T found(Trail trail, Trail.Step step) throws IOException;

    /** The row at the end of a directory that was walked; null for none. */
    @Nullable T end() {
        return null;
    }

    boolean descends(Spot top) {
        return top.attributes().isDirectory();
    }

    final Spot top() {
        return Objects.requireNonNull(top);
    }

    @Override
    public final @Nullable T next() throws IOException {
        while (trail != null || !left.isEmpty()) {
            var row = trail == null ? begin() : step(trail);
            if (row != null) {
                return row;
            }
        }
        if (damage != null) {
            throw damage;
        }
        return null;
    }

    private @Nullable T begin() throws IOException {
        var spot = left.remove();
        top = spot;
        trail = descends(spot) ? new Trail(spot.volume().vfs(), spot.attributes().ino(), order) : null;
        return begin(spot);
    }

    private @Nullable T step(Trail trail) throws IOException {
        Trail.Step step = null;
        try {
            step = trail.next();
        } catch (DamagedException damaged) {   // there are rows of everything else
            damage = damage == null ? Trouble.damaged(top().toString(), damaged) : damage;
        }
        if (step != null) {
            return found(trail, step);
        }
        this.trail = null;
        return end();
    }
}
