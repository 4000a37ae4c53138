package volsh.command.checkpoint;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import volsh.checkpoint.Checkpoint;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Outcome;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.mount.Mounts;
import volsh.unit.Span;

@Command(name = "wait", description = {"Wait until background saves have finished.",
        "Waits for jobs (--background), mounts (checkpoint queue), scripts, and ranks that wait for others; with"
                + " --step also for a save by another host.",
        "Exits like the first save that failed, and names the copy that was kept; a failure on a mount is reported"
                + " once. Exit 3 if the step does not exist and no process saves it, 124 on timeout. Ctrl-C stops the"
                + " waiting, not the saving."})
@Examples({"volsh checkpoint wait training-data --run r1 --timeout 10m", "volsh checkpoint wait training-data --run r1 "
        + "--step 1000 --until stored", "volsh checkpoint wait --timeout 30s -o json"})
final class CheckpointWait implements Action<Outcome<Rows<Save>>>, Tabular {
    private static final Duration LOOK = Duration.ofMillis(100);

    @Mixin
    private SavePlace place;

    @Option(names = "--until", paramLabel = "LEVEL",
            description =
                    "Wait for this durability: ${COMPLETION-CANDIDATES} (default: stored), see volsh checkpoint save.")
    private @Nullable Until until;

    @Option(names = "--timeout", paramLabel = "TIME",
            description = "Wait at most this long, then exit 124 (default: no limit).")
    private @Nullable Span timeout;

    private long limit;

    @Override
    public Columns<?> columns() {
        return Save.COLUMNS;
    }

    @Override
    public Outcome<Rows<Save>> run(Session session) throws Exception {
        limit = timeout == null ? Long.MAX_VALUE : System.nanoTime() + timeout.duration().toNanos();
        var saves = new Saves(session);
        var volume = place.volume(session);
        if (until == Until.STAGED) {
            throw CommandFailure.usage("--until must be stored, committed or replicated: staged needs no wait");
        }
        if (until != null && place.run() == null || volume.isEmpty() && (until != null || place.step() != null)) {
            throw CommandFailure.usage("--until and --step need a volume and --run")
                    .hint(volume.isPresent() ? "volsh checkpoint list " + volume.get() : "volsh volume list");
        }
        return volume.isPresent() ? ofVolume(session, saves, volume.get()) : ofHere(session, saves);
    }

    /** Lists the saves in progress; polled until there is none. */
    private interface Look {
        List<Save> now() throws Exception;
    }

    private Outcome<Rows<Save>> ofHere(Session session, Saves saves) throws Exception {
        var mount = place.mount(session);
        var left = await(session, () -> mount.isPresent() ? saves.ofMount(mount.get()) : saves.ofHome());
        tell(session, mount.isPresent() ? List.of(mount.get()) : saves.mounted(null));
        return ended(session, left, left);
    }

    private Outcome<Rows<Save>> ofVolume(Session session, Saves saves, String volume) throws Exception {
        List<Save> left;
        var found = Optional.<Checkpoint>empty();
        try (var open = OpenCheckpoints.reading(session, volume, "wait")) {
            // also if the step is there: what saves it may not have synced it, nor led latest to it
            left = await(session, () -> saves.ofVolume(volume, open.all()));
            if (isThere(open)) {
                left = List.of();   // whatever became of other attempts
            } else {
                tell(session, saves.mounted(volume));
            }
            if (place.run() != null && isThere(open)) {
                found = Optional.of(open.find(place.run(), place.step()));
            } else if (place.step() == null && place.run() != null) {
                found = open.all().latest(place.run());
            }
        }
        var rows = new ArrayList<Save>();
        if (found.isPresent()) {
            requireValid(volume, found.get());
            secure(session, volume, found.get());
            rows.add(saves.saved(volume, found.get(), place.step() == null));
        } else if ((place.step() != null || until != null)
                && left.stream().noneMatch(save -> save.state().isTrouble())) {
            throw CommandFailure.of(ExitCode.NOT_FOUND, "CKP-0006",
                    "%s of run '%s' does not exist, and no process is saving it"
                    .formatted(place.step() == null ? "a checkpoint" : "step " + place.step(), place.run()))
                    .hint("volsh checkpoint list %s --run %s".formatted(volume, place.run()));
        }
        rows.addAll(left);
        return ended(session, rows,
                place.step() == null ? left.stream().filter(save -> save.copy() != null).toList() : left);
    }

    private boolean isThere(OpenCheckpoints open) throws Exception {
        return place.run() != null && place.step() != null && open.all().has(place.run(), place.step());
    }

    private static void requireValid(String volume, Checkpoint found) {
        if (!found.valid()) {
            throw CommandFailure.of(ExitCode.INTEGRITY, "CKP-0007",
                    "step %d of run '%s' is damaged: %s".formatted(found.step(), found.run(), found.trouble()))
                    .hint("volsh checkpoint verify %s --run %s --step %d".formatted(volume, found.run(), found.step()));
        }
    }

    /** Raises the stored checkpoint to the requested durability. */
    private void secure(Session session, String volume, Checkpoint found) throws Exception {
        if (until == Until.COMMITTED || until == Until.REPLICATED) {
            try (var open = OpenCheckpoints.writing(session, volume, "wait")) {
                open.requireReaching(until);
                open.reach(until, found);
            }
        }
    }

    /** Fails with a failure of a mount's queue that no command has reported. */
    private void tell(Session session, List<Path> mounts) throws Exception {
        for (Path mount : mounts) {
            session.service(Mounts.class).awaitCheckpoints(mount, Optional.ofNullable(place.run()), Duration.ZERO);
        }
    }

    /** Fails like the first of these saves that failed. */
    private static Outcome<Rows<Save>> ended(Session session, List<Save> rows, List<Save> counting) {
        int status = 0;
        for (var save : counting) {
            if (save.state().isTrouble()) {
                session.warn("%s: %s".formatted(save.said(), save.note()));
                status = status == 0 ? save.exit() : status;
            }
        }
        return new Outcome<>(Rows.of(Save.COLUMNS, rows), ExitCode.of(status), status);
    }

    /** Waits until nothing is being saved. @return the failures to report */
    private List<Save> await(Session session, Look look) throws Exception {
        while (true) {
            var asked = look.now().stream().filter(save -> save.is(place.run(), place.step())).toList();
            var awaited = asked.stream().filter(save -> save.state().isOpen() && (save.here() || place.step() != null))
                    .findFirst();
            if (awaited.isEmpty()) {
                return asked;
            }
            if (limit != Long.MAX_VALUE && System.nanoTime() >= limit) {
                throw CommandFailure.of(ExitCode.TIMEOUT, "CKP-0124",
                        "%s is still being saved after %s".formatted(awaited.get().said(), timeout))
                        .hint("volsh checkpoint status" + place.words());
            }
            pause(session);
        }
    }

    /** Sleeps; the only interruptible place, because an interrupt elsewhere would close files of the volume. */
    private static void pause(Session session) throws InterruptedException {
        try (var _ = session.cancellation().interrupting()) {
            session.cancellation().check();
            Thread.sleep(LOOK);
        } catch (InterruptedException stopped) {
            session.cancellation().check();
            throw stopped;
        }
    }
}
