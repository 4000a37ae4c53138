package volsh.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.assembly.SharedMetadata;
import volsh.block.StoreUrl;
import volsh.catalog.Access;
import volsh.catalog.Catalog;
import volsh.catalog.Records;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.VolumeDraft;
import volsh.catalog.VolumeSpec;
import volsh.disk.OsDisk;
import volsh.engine.postgres.PostgresMetaEngine;
import volsh.engine.postgres.PostgresUrl;
import volsh.fs.Name;
import volsh.lifecycle.VolumeConstruction;
import volsh.postgrestest.PostgresServer;
import volsh.unit.ByteSize;
import volsh.vfs.Vfs;

/** A volume with metadata in a database, on machines that share it. */
@Tag("volume")
final class SharedVolumeTest {
    @TempDir
    Path directory;

    private Machine one;
    private Machine two;
    private StoreUrl lake;
    private PostgresUrl database;
    private String name;

    @BeforeEach
    void machines() throws Exception {
        one = new Machine(directory.resolve("one"));
        two = new Machine(directory.resolve("two"));
        lake = StoreUrl.of(directory.resolve("lake").toUri().toString());
        database = PostgresUrl.of(PostgresServer.shared().url());
        name = PostgresServer.freshName();
        one.volumes().stores().add(Machine.STORE, lake);
    }

    private VolumeDraft draft() {
        return VolumeDraft.named(name).withStore(Machine.STORE).withBlockSize(ByteSize.of("64KiB"))
                .withDatabase(database);
    }

    private VolumeSpec attach(Machine machine) throws IOException {
        return machine.volumes().attaching().attach(database.withVolume(name), Optional.empty(), Optional.empty());
    }

    @Test
    void machinesSeeWhatTheOthersWrite() throws Exception {
        var made = one.volumes().create(draft());
        var attached = attach(two);
        assertThat(attached.id()).isEqualTo(made.id());
        assertThat(two.volumes().stores().find(attached.store()).url()).isEqualTo(lake);
        one.write(name, "small", Machine.bytes(1, 100));
        two.write(name, "large", Machine.bytes(2, 300_000));
        assertThat(one.files(name)).isEqualTo(two.files(name)).containsOnlyKeys("small", "large");
        two.delete(name, "small");
        assertThat(one.files(name)).containsOnlyKeys("large");
    }

    @Test
    void bothMayHaveItOpenAndWrite() throws Exception {
        one.volumes().create(draft());
        attach(two);
        try (var here = one.volumes().open(name, Access.WRITE, "test");
                var there = two.volumes().open(name, Access.WRITE, "test")) {
            for (int round = 0; round < 20; round++) {
                byte[] bytes = Machine.bytes(round, round % 2 == 0 ? 100 : 200_000);
                Machine.write(round % 3 == 0 ? here : there, "file" + round, bytes);
                assertThat(read(round % 3 == 0 ? there : here, "file" + round)).as("round " + round).isEqualTo(bytes);
            }
            assertThat(one.volumes().status(name).sessions()).hasSize(2);
        }
        assertThat(one.volumes().status(name).sessions()).isEmpty();
    }

    private static byte[] read(Volume volume, String file) throws IOException {
        var attributes = volume.vfs().lookup(Vfs.ROOT, Name.of(file));
        var bytes = ByteBuffer.allocate((int) attributes.size());
        try (var open = volume.vfs().open(attributes.ino())) {
            open.read(0, bytes);
        }
        return bytes.array();
    }

    @Test
    void itsFilesAreCommitted() throws Exception {
        one.volumes().create(draft());
        one.write(name, "file", Machine.bytes(1, 100_000));
        try (var open = one.volumes().open(name, Access.READ, "test")) {
            long ino = open.vfs().lookup(Vfs.ROOT, Name.of("file")).ino();
            assertThat(open.durability(ino).state()).isEqualTo(Durability.State.COMMITTED);
        }
        one.lose();
        attach(two);
        assertThat(two.files(name)).containsOnlyKeys("file");
    }

    @Test
    void whatOneSetsTheOtherSees() throws Exception {
        one.volumes().create(draft());
        two.volumes().stores().add("pond", lake);
        two.volumes().attaching().attach(database.withVolume(name), Optional.of("mine"), Optional.of("pond"));
        one.volumes().set(name, spec -> spec.withLabel("tier", "gold"));
        two.volumes().set("mine", spec -> spec.withLabel("team", "vision"));
        var seen = one.volumes().status(name).spec();
        assertThat(seen.labels()).containsOnlyKeys("tier", "team");
        assertThat(seen.name()).isEqualTo(name);
        assertThat(seen.store()).isEqualTo(Machine.STORE);
        assertThat(two.volumes().status("mine").spec().store()).isEqualTo("pond");
    }

    @Test
    void aNameIsTakenOnceAndItsOwnerKeepsEverything() throws Exception {
        one.volumes().create(draft());
        one.write(name, "file", Machine.bytes(1, 1000));
        two.volumes().stores().add(Machine.STORE, lake);
        assertThat(reason(() -> two.volumes().create(draft()))).isEqualTo(Reason.CONFLICT);
        assertThat(two.volumes().names()).isEmpty();
        assertThat(two.volumes().design(VolumeDraft.named("other")).name()).isEqualTo("other");
        two.volumes().create(VolumeDraft.named("other"));   // takes away what was left of the attempt, if anything
        assertThat(one.files(name)).containsOnlyKeys("file");
    }

    @Test
    void whatAKilledCreationLeftIsTakenAway() throws Exception {
        var spec = one.volumes().design(draft());
        var state = directory.resolve("one/state");
        var catalog = new Catalog(state.resolve("catalog"), new OsDisk());
        catalog.exclusively(() -> {
            catalog.put(VolumeConstruction.CREATING, spec.prefix(), Records.toBytes(spec));
            return null;
        });
        new SharedMetadata(new OsDisk()).create(state.resolve("volumes").resolve(spec.id().toString()),
                database.withVolume(name), spec.id()).close();
        assertThat(PostgresMetaEngine.volumes(database)).contains(name);
        assertThat(reason(() -> attach(two))).as("half made").isEqualTo(Reason.CONFLICT);
        one.volumes().create(VolumeDraft.named("other"));
        assertThat(PostgresMetaEngine.volumes(database)).doesNotContain(name);
        one.volumes().create(draft());
    }

    @Test
    void destroyedItIsGoneForEverybody() throws Exception {
        one.volumes().create(draft());
        one.write(name, "file", Machine.bytes(1, 100_000));
        attach(two);
        try (var open = one.volumes().open(name, Access.READ, "test")) {
            assertThat(open.spec().name()).isEqualTo(name);
            assertThat(reason(() -> two.volumes().destroy(name, false))).isEqualTo(Reason.BUSY);
        }
        two.volumes().destroy(name, false);
        assertThat(two.volumes().names()).isEmpty();
        assertThat(reason(() -> attach(two))).isEqualTo(Reason.NOT_FOUND);
        assertThat(reason(() -> one.volumes().status(name))).isEqualTo(Reason.UNAVAILABLE);
        try (var left = Files.walk(directory.resolve("lake"))) {
            assertThat(left.filter(Files::isRegularFile)).isEmpty();
        }
        one.volumes().attaching().detach(name, false);
        assertThat(one.volumes().names()).isEmpty();
        one.volumes().create(draft());
        assertThat(one.files(name)).isEmpty();
    }

    @Test
    void detachedItIsForgottenHereOnly() throws Exception {
        one.volumes().create(draft());
        one.write(name, "file", Machine.bytes(1, 1000));
        attach(two);
        try (var open = two.volumes().open(name, Access.WRITE, "test")) {
            assertThat(open.spec().name()).isEqualTo(name);
            assertThat(reason(() -> two.volumes().attaching().detach(name, false))).isEqualTo(Reason.BUSY);
        }
        two.volumes().attaching().detach(name, false);
        assertThat(two.volumes().names()).isEmpty();
        assertThat(one.files(name)).containsOnlyKeys("file");
        attach(two);
        assertThat(two.files(name)).containsOnlyKeys("file");
        two.volumes().create(VolumeDraft.named("embedded"));
        assertThat(reason(() -> two.volumes().attaching().detach("embedded", false))).isEqualTo(Reason.INVALID);
    }

    @Test
    void aPasswordIsKeptForItsOwnerAndShownToNobody() throws Exception {
        database = PostgresUrl.of("postgres://guarded:%s@127.0.0.1:%d/volsh".formatted(
                java.net.URLEncoder.encode(PostgresServer.PASSWORD, java.nio.charset.StandardCharsets.UTF_8)
                        .replace("+", "%20"), PostgresServer.shared().port()));
        var spec = one.volumes().create(draft());
        one.write(name, "file", Machine.bytes(1, 10));
        assertThat(one.volumes().status(name).database().orElseThrow()).startsWith("postgres://guarded@127.0.0.1")
                .endsWith("#" + name);
        var kept = directory.resolve("one/state/volumes").resolve(spec.id().toString()).resolve("meta.url");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(kept))).isEqualTo("rw-------");
        var wrong = PostgresUrl.of("postgres://guarded:se%2Fcret@127.0.0.1:" + PostgresServer.shared().port()
                + "/volsh#" + name);
        assertThatThrownBy(() -> two.volumes().attaching().attach(wrong, Optional.empty(), Optional.empty()))
                .isInstanceOf(IOException.class).hasMessageContaining("password").message()
                .doesNotContain("se/cret", "se%2Fcret");
    }

    @Test
    void thePasswordMayComeFromAFile() throws Exception {
        var file = directory.resolve("pgpass");
        Files.writeString(file, "127.0.0.1:*:volsh:guarded:" + PostgresServer.PASSWORD.replace(":", "\\:") + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        database = PostgresUrl.of("postgres://guarded@127.0.0.1:%d/volsh".formatted(PostgresServer.shared().port()));
        System.setProperty("org.postgresql.pgpassfile", file.toString());
        try {
            one.volumes().create(draft());
            assertThat(one.files(name)).isEmpty();
        } finally {
            System.clearProperty("org.postgresql.pgpassfile");
        }
        assertThatThrownBy(() -> one.files(name)).hasMessageContaining("password");
    }

    @Test
    void whatCannotBeSharedIsRefused() throws Exception {
        assertThat(reason(() -> one.volumes().create(VolumeDraft.named(name).withDatabase(database))))
                .isEqualTo(Reason.INVALID);
        assertThat(reason(() -> one.volumes().create(draft().shippingMetadata(true)))).isEqualTo(Reason.INVALID);
        one.volumes().create(draft());
        assertThat(reason(() -> one.volumes().set(name, spec -> spec.shippingMetadata(true))))
                .isEqualTo(Reason.INVALID);
        assertThat(reason(() -> attach(one))).isEqualTo(Reason.CONFLICT);
        assertThat(one.volumes().ensure(draft()).change()).isEqualTo(Volumes.Ensured.Change.UNCHANGED);
        assertThat(reason(() -> one.volumes().ensure(draft().withDatabase(database.withVolume("another")))))
                .isEqualTo(Reason.CONFLICT);
    }

    private static Reason reason(ThrowingCallable call) {
        var refusal = catchThrowableOfType(Refusal.class, call);
        assertThat(refusal).isNotNull();
        return refusal.reason();
    }
}
