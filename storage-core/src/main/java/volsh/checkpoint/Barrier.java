package volsh.checkpoint;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.fs.DirectoryEntry;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.fs.RenameMode;
import volsh.transfer.Observer;
import volsh.vfs.Vfs;

/**
 * The rendezvous of the ranks of a job that save one checkpoint together. They share nothing but the volume's metadata,
 * so they may run on any hosts.
 *
 * <pre>
 *   each rank fills a directory of its own          .saving/HOST-PID-UUID
 *   moves it to the meeting place                   .saving/meeting-RUN-STEP/rank-0003
 *     (refused if taken, unless by a dead process)
 *   waits until all are there, and says so          attribute ready.3
 *   when all have said so, one decides              attribute fate = commit | over     the first to set it wins
 *   fate = commit: manifest, then one rename        RUN/step-N             any rank can finish what another left
 *   fate = over:   it is removed                                           timed out, or a rank failed
 * </pre>
 *
 * As all ranks must be alive after all shards are in, shards of a job that died are never mixed with those of the next
 * job. When a rank dies, the others give up at the timeout, or when it is restarted on its host; the latest checkpoint
 * stays the latest.
 */
final class Barrier {
    static final String PREFIX = "meeting-";
    /** How long after its end an abandoned rendezvous may be removed. */
    static final Duration GRACE = Duration.ofMinutes(10);

    private static final Pattern SHAPE = Pattern.compile(PREFIX + "(.+)-(\\d+)");
    private static final String READY = "user.volsh.ready.";
    private static final String BY = "user.volsh.by.";
    private static final byte[] FATE = bytes("user.volsh.fate");
    private static final byte[] UNTIL = bytes("user.volsh.until");
    private static final byte[] WORLD = bytes("user.volsh.world");
    private static final String COMMIT = "commit";
    private static final String OVER = "over";
    private static final int OPEN_TO_ALL = 0755;
    private static final Duration SHORTEST = Duration.ofMillis(10);
    private static final Duration LONGEST = Duration.ofSeconds(1);
    private static final int ATTEMPTS = 20;

    private final String volume;
    private final Vfs vfs;
    private final Owner owner;
    private final InstantSource clock;
    private final Observer observer;
    private final Tree tree;
    private final Workplace workplace;
    private final Appearing appearing;

    /** {@code volume} is its name in hints. */
    Barrier(String volume, Vfs vfs, Owner owner, InstantSource clock, Observer observer, Appearing appearing) {
        this.volume = volume;
        this.vfs = vfs;
        this.owner = owner;
        this.clock = clock;
        this.observer = observer;
        this.tree = new Tree(vfs, owner);
        this.workplace = new Workplace(vfs, tree);
        this.appearing = appearing;
    }

    /** Gives a complete directory its name. */
    interface Appearing {
        /**
         * @throws Refusal CONFLICT if the step was saved by others, @throws FsException NO_ENTRY if the directory is
         * gone
         */
        void appear(long parent, Name name, String run, long step) throws IOException;

        /** The directory of a step, if it exists. */
        OptionalLong find(String run, long step) throws IOException;
    }

    /** A rank and the rendezvous it takes part in. */
    record Party(String run, long step, int rank, int world, Duration patience) {
        Party {
            if (world < 1 || world > 10_000 || rank < 0 || rank >= world) {
                throw new IllegalArgumentException(("invalid rank %d of %d: ranks count from 0 to the world size minus "
                        + "1, and the world size is 1 to 10000").formatted(rank, world));
            }
        }

        Name place() throws IOException {
            return Name.of(PREFIX + run + "-" + step);
        }

        static String shard(int rank) {
            return "rank-%04d".formatted(rank);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Adds a filled directory and returns when the checkpoint exists.
     * @throws Refusal UNAVAILABLE if ranks are missing at the timeout
     */
    void join(Party party, Name shard) throws IOException {
        long meeting = enter(party, shard);
        try {
            vfs.sync();
            await(party, meeting);
        } catch (InterruptedIOException cancelled) {
            decide(meeting, OVER);      // so that the others do not wait
            throw cancelled;
        }
    }

    private void await(Party party, long meeting) throws IOException {
        var pause = SHORTEST;
        boolean announced = false;
        while (true) {
            var fate = fate(party, meeting);
            if (fate.equals(COMMIT) && finish(party, meeting)) {
                return;
            }
            if (fate.equals(OVER)) {
                throw missing(party, meeting);
            }
            boolean ready = fate.isEmpty() && advance(party, meeting, announced);
            pause = ready != announced ? SHORTEST : pause.multipliedBy(2).compareTo(LONGEST) > 0 ? LONGEST
                    : pause.multipliedBy(2);
            announced = ready;
            pause(pause);
        }
    }

    /**
     * Announces readiness, or decides, when it is time to; returns whether readiness is announced. If the rendezvous is
     * removed meanwhile, the next check finds it over.
     */
    private boolean advance(Party party, long meeting, boolean announced) throws IOException {
        try {
            if (!announced && ranks(tree, meeting).size() == party.world()) {
                set(meeting, bytes(READY + party.rank()), "", true);
                return true;
            }
            if (announced && ready(vfs, meeting).size() == party.world()) {
                decide(meeting, COMMIT);
            } else if (clock.instant().isAfter(until(meeting))) {
                decide(meeting, OVER);
            }
        } catch (FsException gone) {
            if (gone.error() != FsError.NO_ENTRY) {
                throw gone;
            }
        }
        return announced;
    }

    private void pause(Duration pause) throws InterruptedIOException {
        try {
            Thread.sleep(pause);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("cancelled");
        }
        if (observer.cancelled()) {
            throw new InterruptedIOException("cancelled");
        }
    }

    private long enter(Party party, Name shard) throws IOException {
        long place = workplace.directory();
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            var meeting = open(party);
            if (meeting.isPresent()) {
                try {
                    vfs.rename(place, shard, meeting.getAsLong(), Name.of(Party.shard(party.rank())),
                            RenameMode.NO_REPLACE);
                    set(meeting.getAsLong(), bytes(BY + party.rank()), Workplace.me(), true);
                    return meeting.getAsLong();
                } catch (FsException refused) {
                    if (refused.error() == FsError.EXISTS && isLeft(party, meeting.getAsLong())) {
                        decide(meeting.getAsLong(), OVER);      // the former process can never announce readiness
                    } else if (refused.error() == FsError.EXISTS) {
                        var until = Barrier.until(vfs, meeting.getAsLong()).map(Instant::toString)
                                .orElse("its timeout");
                        throw new Refusal(Reason.CONFLICT, ("rank %d has already saved its shard of step %d of run "
                                + "'%s' and waits for the other ranks")
                                .formatted(party.rank(), party.step(), party.run()))
                                .detail("if that job died on another host, retry after " + until);
                    } else if (refused.error() != FsError.NO_ENTRY) {
                        throw refused;
                    }
                }
            }
        }
        throw new Refusal(Reason.BUSY, "cannot save step %d of run '%s': its ranks keep starting and failing; retry"
                .formatted(party.step(), party.run()));
    }

    /** Whether the process that added the shard of this rank is dead. Only known for processes of this host. */
    private boolean isLeft(Party party, long meeting) throws IOException {
        try {
            return Workplace.isGone(text(meeting, bytes(BY + party.rank())));
        } catch (FsException gone) {
            if (gone.error() != FsError.NO_ENTRY) {
                throw gone;
            }
            return true;
        }
    }

    /** The rendezvous, created if there is none; empty if an old one had to be removed first, or is being removed. */
    private OptionalLong open(Party party) throws IOException {
        try {
            return openOrMake(party);
        } catch (FsException gone) {
            if (gone.error() != FsError.NO_ENTRY) {
                throw gone;
            }
            return OptionalLong.empty();
        }
    }

    private OptionalLong openOrMake(Party party) throws IOException {
        long place = workplace.directory();
        var there = tree.find(place, party.place().toString());
        if (there.isEmpty()) {
            var name = Name.of(Workplace.fresh());
            long made = vfs.makeDirectory(place, name, OPEN_TO_ALL, owner).ino();
            set(made, UNTIL, clock.instant().plus(party.patience()).toString(), true);
            set(made, WORLD, Integer.toString(party.world()), true);
            try {
                vfs.rename(place, name, place, party.place(), RenameMode.NO_REPLACE);
                return OptionalLong.of(made);
            } catch (FsException refused) {
                if (refused.error() != FsError.EXISTS) {
                    throw refused;
                }
                vfs.removeDirectory(place, name);
                return OptionalLong.empty();
            }
        }
        long meeting = there.get().ino();
        if (text(meeting, FATE).isEmpty() && clock.instant().isAfter(until(meeting))) {
            decide(meeting, OVER);
        }
        if (!text(meeting, FATE).isEmpty()) {
            remove(party, meeting);
            return OptionalLong.empty();
        }
        int world = Integer.parseInt(text(meeting, WORLD));
        if (world != party.world()) {
            throw new Refusal(Reason.CONFLICT, "other ranks save step %d of run '%s' with world size %d, not %d"
                    .formatted(party.step(), party.run(), world, party.world()));
        }
        return OptionalLong.of(meeting);
    }

    /** The decision; over if the rendezvous was removed. */
    private String fate(Party party, long meeting) throws IOException {
        if (appearing.find(party.run(), party.step()).orElse(-1) == meeting) {
            return COMMIT;
        }
        try {
            return text(meeting, FATE);
        } catch (FsException gone) {
            return appearing.find(party.run(), party.step()).orElse(-1) == meeting ? COMMIT : OVER;
        }
    }

    /** Decides for all, if no other rank has. */
    private void decide(long meeting, String fate) throws IOException {
        try {
            vfs.setExtendedAttribute(meeting, FATE, bytes(fate), true, false);
        } catch (FsException refused) {
            if (refused.error() != FsError.EXISTS && refused.error() != FsError.NO_ENTRY) {
                throw refused;
            }
        }
    }

    /** Writes the manifest and names the directory, unless another rank has; false if a rank is doing so. */
    private boolean finish(Party party, long meeting) throws IOException {
        if (appearing.find(party.run(), party.step()).orElse(-1) == meeting) {
            return true;
        }
        if (tree.find(meeting, Manifest.NAME).isEmpty()) {
            writeManifest(party, meeting);
        }
        long place = workplace.directory();
        var there = tree.find(place, party.place().toString());
        if (there.isEmpty() || there.get().ino() != meeting) {
            return false;
        }
        try {
            appearing.appear(place, party.place(), party.run(), party.step());
            return true;
        } catch (FsException gone) {
            if (gone.error() != FsError.NO_ENTRY) {
                throw gone;
            }
            return false;
        } catch (Refusal taken) {
            if (appearing.find(party.run(), party.step()).orElse(-1) == meeting) {
                return true;
            }
            remove(party, meeting);
            throw taken;
        }
    }

    private void writeManifest(Party party, long meeting) throws IOException {
        long place = workplace.directory();
        var name = Name.of(Workplace.fresh());
        long draft = vfs.makeDirectory(place, name, OPEN_TO_ALL, owner).ino();
        try {
            tree.write(draft, Manifest.NAME, 0644, together(party, meeting).toBytes());
            vfs.sync();
            vfs.rename(draft, Name.of(Manifest.NAME), meeting, Name.of(Manifest.NAME), RenameMode.NO_REPLACE);
        } catch (FsException refused) {
            if (refused.error() != FsError.EXISTS && refused.error() != FsError.NO_ENTRY) {
                throw refused;
            }
        } finally {
            workplace.remove(place, name, Observer.NONE);
        }
        vfs.sync();
    }

    /** One manifest of all shards; where ranks disagree, the lowest one wins. */
    private Manifest together(Party party, long meeting) throws IOException {
        var files = new ArrayList<Manifest.Entry>();
        var metrics = new TreeMap<String, Double>();
        var labels = new TreeMap<String, String>();
        var parent = OptionalLong.empty();
        for (int rank = 0; rank < party.world(); rank++) {
            String shard = Party.shard(rank);
            long directory = vfs.lookup(meeting, Name.of(shard)).ino();
            var part = Manifest.of(tree.read(vfs.lookup(directory, Name.of(Manifest.NAME))));
            part.files().forEach(file -> files.add(file.below(shard)));
            part.metrics().forEach(metrics::putIfAbsent);
            part.labels().forEach(labels::putIfAbsent);
            parent = parent.isPresent() ? parent : part.parent();
        }
        return new Manifest(party.run(), party.step(), clock.instant(), metrics, files, labels, parent, party.world());
    }

    private Refusal missing(Party party, long meeting) throws IOException {
        var absent = Collections.<Integer>emptySortedSet();
        try {
            absent = standing(vfs, tree, meeting, party.run(), party.step(), party.world()).missing();
        } catch (FsException gone) {
            // another rank has removed it
        }
        remove(party, meeting);
        return new Refusal(Reason.UNAVAILABLE, "step %d of run '%s' was not saved: %s of %d did not arrive in time"
                .formatted(party.step(), party.run(), absent.isEmpty() ? "a rank" : Underway.said(absent),
                        party.world()), "volsh checkpoint latest %s --run %s".formatted(volume, party.run()));
    }

    /** The ranks that have arrived; once all shards are in, those that have announced readiness. */
    private static Underway standing(Vfs vfs, Tree tree, long meeting, String run, long step, int world)
            throws IOException {
        var ready = ready(vfs, meeting);
        return new Underway(run, step, world, ready.isEmpty() ? ranks(tree, meeting) : ready, Underway.State.GATHERING,
                OptionalLong.empty(), until(vfs, meeting));
    }

    /** The state of a rendezvous; empty if it is just being created, or is over. */
    static Optional<Underway> underway(Vfs vfs, Tree tree, DirectoryEntry meeting) throws IOException {
        var name = SHAPE.matcher(meeting.name().toString());
        String world = text(vfs, meeting.ino(), WORLD);
        boolean open = !world.isEmpty() && text(vfs, meeting.ino(), FATE).isEmpty();
        return name.matches() && open
                ? Optional.of(standing(vfs, tree, meeting.ino(), name.group(1), Long.parseLong(name.group(2)),
                        Integer.parseInt(world))) : Optional.empty();
    }

    private void remove(Party party, long meeting) throws IOException {
        long place = workplace.directory();
        var there = tree.find(place, party.place().toString());
        if (there.isPresent() && there.get().ino() == meeting) {
            var gone = Name.of(Workplace.fresh());
            try {
                vfs.rename(place, party.place(), place, gone, RenameMode.NO_REPLACE);
                workplace.remove(place, gone, Observer.NONE);
            } catch (FsException otherWasFaster) {
                // it is being removed
            }
        }
    }

    private static SortedSet<Integer> ranks(Tree tree, long meeting) throws IOException {
        var ranks = new TreeSet<Integer>();
        for (var entry : tree.entries(meeting)) {
            String name = entry.name().toString();
            if (name.startsWith("rank-")) {
                ranks.add(Integer.parseInt(name.substring(5)));
            }
        }
        return ranks;
    }

    private static SortedSet<Integer> ready(Vfs vfs, long meeting) throws IOException {
        var ranks = new TreeSet<Integer>();
        for (byte[] attribute : vfs.extendedAttributeNames(meeting)) {
            String name = new String(attribute, StandardCharsets.US_ASCII);
            if (name.startsWith(READY)) {
                ranks.add(Integer.parseInt(name.substring(READY.length())));
            }
        }
        return ranks;
    }

    private Instant until(long meeting) throws IOException {
        return until(vfs, meeting).orElse(Instant.MAX);
    }

    /** The timeout of a rendezvous. */
    static Optional<Instant> until(Vfs vfs, long meeting) throws IOException {
        String text = text(vfs, meeting, UNTIL);
        return text.isEmpty() ? Optional.empty() : Optional.of(Instant.parse(text));
    }

    private String text(long directory, byte[] name) throws IOException {
        return text(vfs, directory, name);
    }

    private static String text(Vfs vfs, long directory, byte[] name) throws IOException {
        try {
            return new String(vfs.extendedAttribute(directory, name), StandardCharsets.US_ASCII);
        } catch (FsException refused) {
            if (refused.error() != FsError.NO_DATA) {
                throw refused;
            }
            return "";
        }
    }

    private void set(long directory, byte[] name, String value, boolean mayReplace) throws IOException {
        vfs.setExtendedAttribute(directory, name, bytes(value), true, mayReplace);
    }
}
