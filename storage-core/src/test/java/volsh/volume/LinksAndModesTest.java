package volsh.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.assembly.CacheSettings;
import volsh.block.StoreUrl;
import volsh.cache.disk.Quota;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.unit.ByteSize;
import volsh.writeback.Writeback;

/**
 * Every directory that we open on a host, in every state in which others could change what is in it: refused, with a
 * way out, and nothing is written.
 */
@Tag("volume")
final class LinksAndModesTest {
    private static final int NOBODY = 65534;

    @TempDir
    Path temporary;
    private Path directory;
    private Path elsewhere;
    private Machine machine;
    private String id;

    /** A directory and who opens it. A home may be a link of ours; a cache or a journal may not. */
    private record Place(String name, Path path, Opening opening, boolean mayBeLink) {}

    private interface Opening {
        void open() throws IOException;
    }

    /** What somebody did to a directory that is there. */
    private enum Flaw { EVERYBODY, GROUP, OWNER, LINK, LINK_OF_ANOTHER }

    @BeforeEach
    void prepare() throws IOException {
        assumeTrue((Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0,
                "giving files to others needs root");
        directory = temporary.toRealPath();
        elsewhere = directory.resolve("elsewhere");
        machine = new Machine(directory.resolve("home"));
        machine.create("data", StoreUrl.of(directory.resolve("bucket").toUri().toString()));
        id = machine.volumes().find("data").id().toString();
        for (var made : List.of("jobs", "staged", "logs", "events")) {
            Files.createDirectories(directory.resolve("home/state").resolve(made));
        }
        Files.createDirectories(directory.resolve("home/run/mounts"));
        Files.createDirectories(directory.resolve("home/config"));
        Files.createDirectories(directory.resolve("home/cache/scripts"));
        openJournal();
        openHomeJournal();
        openCache();
    }

    private void openJournal() throws IOException {
        var writeback = new Writeback(Optional.of(directory.resolve("journal")), Writeback.LIMIT, Duration.ofHours(1),
                Duration.ZERO);
        machine.volumes().open(OpeningRequest.of("data", Access.WRITE, "test").lasting(Optional.of(writeback))).close();
    }

    private void openHomeJournal() throws IOException {
        machine.volumes().open(OpeningRequest.of("data", Access.WRITE, "test").lasting(Optional.of(Writeback.USUAL)))
                .close();
    }

    private void openCache() throws IOException {
        var caching = new CacheSettings(ByteSize.of("1MiB"), List.of(directory.resolve("cache")), Quota.of("1MiB"),
                ByteSize.of("0B"));
        machine.volumes().open(OpeningRequest.of("data", Access.READ, "test").cached(caching).lasting()).close();
    }

    private void openHome() throws IOException {
        var _ = Home.of(Map.of("VOLSH_HOME", machine.directory().toString()), true).trusted();
    }

    private List<Place> places() {
        var home = machine.directory();
        var all = Stream.<Place>builder();
        all.add(new Place("--journal-dir", directory.resolve("journal"), this::openJournal, false));
        all.add(new Place("--journal-dir, of the volume", directory.resolve("journal").resolve(id), this::openJournal,
                false));
        all.add(new Place("journal in the home", home.resolve("state/volumes").resolve(id).resolve("journal"),
                this::openHomeJournal, false));
        all.add(new Place("--cache-dir", directory.resolve("cache"), this::openCache, false));
        all.add(new Place("--cache-dir, of the volume", directory.resolve("cache").resolve(id), this::openCache,
                false));
        all.add(new Place("VOLSH_HOME", home, this::openHome, true));
        for (var below : List.of("config", "state", "cache", "run", "state/catalog", "state/volumes", "state/jobs",
                "state/staged", "state/logs", "state/events", "run/mounts", "cache/scripts")) {
            all.add(new Place("home: " + below, home.resolve(below), this::openHome, true));
        }
        return all.build().toList();
    }

    @Test
    void asTheyAreMadeTheyAreTrusted() throws IOException {
        for (var place : places()) {
            place.opening.open();
        }
    }

    @Test
    void whatOthersCanChangeIsRefused() throws IOException {
        for (var place : places()) {
            for (var flaw : Flaw.values()) {
                refused(place, flaw);
            }
        }
    }

    private void refused(Place place, Flaw flaw) throws IOException {
        var path = place.path;
        var aside = directory.resolve("aside");
        int mode = (Integer) Files.getAttribute(path, "unix:mode") & 07777;
        Files.createDirectory(elsewhere);
        switch (flaw) {
            case EVERYBODY -> Files.setAttribute(path, "unix:mode", 0777);
            case GROUP -> {
                Files.setAttribute(path, "unix:gid", 100);
                Files.setAttribute(path, "unix:mode", 0775);
            }
            case OWNER -> Files.setAttribute(path, "unix:uid", NOBODY);
            case LINK, LINK_OF_ANOTHER -> {
                Files.move(path, aside);
                Files.createSymbolicLink(path, flaw == Flaw.LINK && place.mayBeLink ? aside : elsewhere);
            }
        }
        if (flaw == Flaw.LINK_OF_ANOTHER) {
            Files.setAttribute(path, "unix:uid", NOBODY, LinkOption.NOFOLLOW_LINKS);
        }
        var thrown = catchThrowable(place.opening::open);
        if (flaw == Flaw.LINK && place.mayBeLink) {
            assertThat(thrown).as("%s, %s", place.name, flaw).isNull();
        } else {
            assertThat(thrown).as("%s, %s", place.name, flaw).isInstanceOfSatisfying(Refusal.class, refusal -> {
                assertThat(refusal.reason()).isEqualTo(Reason.FORBIDDEN);
                assertThat(refusal).hasMessageContaining("cannot be trusted").hasMessageContaining(path.toString());
                assertThat(refusal.hints()).hasSize(1);
            });
        }
        assertThat(elsewhere).as("%s, %s", place.name, flaw).isEmptyDirectory();
        Files.delete(elsewhere);
        if (Files.isSymbolicLink(path)) {
            Files.delete(path);
            Files.move(aside, path);
        }
        Files.setAttribute(path, "unix:uid", 0);
        Files.setAttribute(path, "unix:gid", 0);
        Files.setAttribute(path, "unix:mode", mode);
    }

    /** As it was before: a directory open to all, in which another user put a link by the name of the volume. */
    @Test
    void aLinkThatSomebodyPlantedIsNotFollowedAfterTheModeWasMended() throws IOException {
        Files.move(directory.resolve("journal").resolve(id), directory.resolve("aside"));
        Files.createDirectory(elsewhere);
        Files.createSymbolicLink(directory.resolve("journal").resolve(id), elsewhere);
        assertThat(catchThrowable(this::openJournal)).isInstanceOf(Refusal.class);
        assertThat(elsewhere).isEmptyDirectory();
    }

    /** What another user left is left alone, and does not keep anybody from opening the volume. */
    @Test
    void theJournalOfAnotherUserIsNotTakenOver() throws IOException {
        Path left = leaveJournal();
        Files.setAttribute(left, "unix:uid", NOBODY);
        try (var volume = openToStore()) {
            assertThat(volume.staged().blocks()).isZero();
        }
        assertThat(left).exists();
        Files.setAttribute(left, "unix:uid", 0);
        try (var volume = openToStore()) {
            assertThat(volume.store(Duration.ofMinutes(1))).isTrue();
            assertThat(Machine.read(volume, "file")).isEqualTo(Machine.bytes(1, 100_000));
        }
        assertThat(left).doesNotExist();
    }

    /** Something in it that cannot be deleted is no reason to refuse the volume. */
    @Test
    void aDeadJournalThatCannotBeRemovedDoesNotStopAnybody() throws IOException {
        Path left = leaveJournal();
        // no file or directory: it is not in the listing
        Files.createSymbolicLink(left.resolve(".fuse_hidden0001"), Path.of("gone"));
        try (var volume = openToStore()) {
            assertThat(volume.store(Duration.ofMinutes(1))).isTrue();
        }
        assertThat(left).exists();
        openToStore().close();
    }

    /** Takes over what processes left. */
    private Volume openToStore() throws IOException {
        return machine.volumes().open(OpeningRequest.of("data", Access.WRITE, "test").lasting());
    }

    /** The directory of a journal in which something waits. */
    private Path leaveJournal() throws IOException {
        var writeback = new Writeback(Optional.of(directory.resolve("journal")), Writeback.LIMIT, Duration.ofHours(1),
                Duration.ZERO);
        try (var volume = machine.volumes()
                .open(OpeningRequest.of("data", Access.WRITE, "test").lasting(Optional.of(writeback)))) {
            Machine.write(volume, "file", Machine.bytes(1, 100_000));
        }
        try (var all = Files.list(directory.resolve("journal").resolve(id))) {
            return all.findFirst().orElseThrow();
        }
    }
}
