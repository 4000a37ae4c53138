package volsh.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.StoreUrl;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.VolumeDraft;
import volsh.engine.postgres.PostgresUrl;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.fuse.Space;
import volsh.postgrestest.PostgresServer;
import volsh.quota.Account;
import volsh.quota.QuotaRule;
import volsh.vfs.Vfs;
import volsh.volume.Volumes;

/** What df shows: the quota that holds where one stands, and never one of a user. */
final class MountSpaceTest {
    @TempDir
    private Path directory;

    @Test
    void dfShowsTheQuotaOfThePlace() throws IOException {
        var home = new Home(directory.resolve("config"), directory.resolve("state"), directory.resolve("cache"),
                directory.resolve("run"));
        var volumes = new Volumes(home, InstantSource.system(), Owner.ROOT);
        volumes.create(VolumeDraft.named("data"));
        try (var open = volumes.open("data", Access.WRITE, "test")) {
            var room = new MountSpace(volumes, open);
            long limited = open.vfs().makeDirectory(Vfs.ROOT, Name.of("limited"), 0755, Owner.ROOT).ino();
            try (var file = open.vfs().create(limited, Name.of("f"), 0644, new Owner(1001, 1001))) {
                file.write(0, ByteBuffer.allocate(10_000));
            }
            var free = room.space(Vfs.ROOT);
            assertThat(free.filesFree()).isEqualTo(Space.FILES_FREE);
            open.quotas().set(Account.user(1001), 20_000, 5, counted -> {});
            open.quotas().set(Account.group(1001), 20_000, 5, counted -> {});
            assertThat(room.space(limited).freeBytes()).as("quotas of owners are not those of the place")
                    .isGreaterThan(1 << 20);
            open.quotas().set(limited, 50_000, 10, counted -> {});
            assertThat(room.space(limited)).isEqualTo(new Space(50_000, 40_000, 2, 8));
            assertThat(room.space(open.vfs().lookup(limited, Name.of("f")).ino())).isEqualTo(room.space(limited));
            assertThat(room.space(Vfs.ROOT).freeBytes()).isGreaterThan(1 << 20);
            open.quotas().set(30_000, QuotaRule.NONE);
            assertThat(room.space(Vfs.ROOT)).isEqualTo(new Space(30_000, 20_000, 3, Space.FILES_FREE));
            assertThat(room.space(limited)).as("the narrower one").isEqualTo(new Space(30_000, 20_000, 2, 8));
            assertThat(room.storeBytes()).as("whatever quotas say").isGreaterThan(1 << 20);
            assertThat(room.space(4711)).as("gone").isEqualTo(room.space());
        }
    }

    /** A token of a path does not see what the volume holds: only what is free is told. */
    @Test
    void whatATokenDoesNotSeeIsNotCounted() throws Exception {
        var volumes = volumes("owner");
        var name = PostgresServer.freshName();
        volumes.stores().add("lake", StoreUrl.of(directory.resolve("lake").toUri().toString()));
        volumes.create(VolumeDraft.named(name).withStore("lake")
                .withDatabase(PostgresUrl.of(PostgresServer.shared().lockedUrl())));
        try (var open = volumes.open(name, Access.WRITE, "test")) {
            open.vfs().makeDirectory(Vfs.ROOT, Name.of("part"), 0755, Owner.ROOT);
        }
        var wish = volumes.tokens().checkCreate(name, Optional.of("/part"), true, Optional.empty(), "");
        var guest = volumes("guest");
        guest.attaching().attach(volumes.tokens().create(name, wish).url(), Optional.empty(), Optional.empty());
        try (var open = guest.open(name, Access.READ, "test")) {
            var space = new MountSpace(guest, open).space(Vfs.ROOT);
            assertThat(space).isEqualTo(new Space(space.freeBytes(), space.freeBytes(), 0, 0));
        }
        volumes.destroy(name, false);
    }

    private Volumes volumes(String machine) {
        var place = directory.resolve(machine);
        return new Volumes(new Home(place.resolve("config"), place.resolve("state"), place.resolve("cache"),
                place.resolve("run")), InstantSource.system(), Owner.ROOT);
    }
}
