package volsh.command.status;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.engine.sqlite.SqliteMetaEngine;

/** What a check or a scrub found damaged is told by {@code status}, until a look that could find it finds it gone. */
final class KnownDamageTest {
    @TempDir
    Path directory;
    private Scratch scratch;

    @BeforeEach
    void volume() throws IOException {
        scratch = new Scratch(directory.resolve("home"));
        for (var name : List.of("s1", "s2")) {
            scratch.ok("store add %s file://%s".formatted(name, directory.resolve(name)));
        }
    }

    private List<Path> objects(String store) throws IOException {
        try (var all = Files.walk(directory.resolve(store))) {
            return all.filter(each -> each.getFileName().toString().matches("[0-9a-f]{16}")).sorted().toList();
        }
    }

    private static void flip(Path object) throws IOException {
        var bytes = Files.readAllBytes(object);
        bytes[bytes.length / 2] ^= 4;
        Files.write(object, bytes);
    }

    private void run(String line, int status) {
        var ended = scratch.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.out() + ended.err()).isEqualTo(status);
    }

    private void damaged(String words, String next) {
        var ended = scratch.run("status --timeout 60s -o csv --columns kind,health,about,next");
        assertThat(ended.out()).contains("volume,damaged,").contains(words).contains("," + next + "\n");
        assertThat(ended.status()).isEqualTo(7);
    }

    private void fine() {
        assertThat(scratch.ok("status --timeout 60s -o csv --columns kind,health").out()).contains("volume,ok");
    }

    @Test
    void ofOneStore() throws IOException {
        scratch.ok("volume create data --store s1 --block-size 64KiB --inline 0");
        scratch.fill("data", 2, 50_000);
        var object = objects("s1").getFirst();
        var bytes = Files.readAllBytes(object);
        fine();
        flip(object);
        run("volume check data", 0);
        fine();
        run("volume check data --deep", 7);
        damaged("object-corrupt: 1", "volsh volume check data --deep");
        var doctor = scratch.run("doctor -o csv --columns finding,evidence,fix");
        assertThat(doctor.out()).contains("status shows 1 problem,volume data: damaged,volsh status\n");
        assertThat(doctor.err()).doesNotContain("found no problem");
        assertThat(doctor.status()).isEqualTo(7);
        for (var line : List.of("volume check data", "volume check data --repair", "volume check data --repair -n",
                "volume check data --path /data", "scrub data")) {
            var ended = scratch.run(line);     // blocks were not read
            assertThat(ended.out() + ended.err()).as(line)
                    .contains("object-corrupt: 1", "volsh volume check data --deep")
                    .doesNotContain("found no problem", "nothing to do", "is intact");
            assertThat(ended.status()).as(line).isEqualTo(7);
            damaged("object-corrupt: 1", "volsh volume check data --deep");
        }
        Files.delete(object);
        run("scrub data", 7);
        damaged("object-missing: 1", "volsh volume check data --deep");
        Files.write(object, bytes);
        assertThat(scratch.ok("volume check data --path /data --deep").err())
                .contains("found no problem in data:/data",
                        "this check covers only /data; known damage: object-missing: 1");
        damaged("object-missing: 1", "volsh volume check data --deep");     // the rest was not looked at
        run("scrub data --deep", 0);
        fine();
    }

    @Test
    void ofSeveralStores() throws IOException {
        scratch.ok("volume create data --store s1,s2 --mirror 2 --block-size 64KiB --inline 0");
        scratch.fill("data", 2, 50_000);
        scratch.ok("heal data");
        flip(objects("s1").getFirst());
        run("scrub data --deep --no-repair", 7);
        damaged("part-corrupt: 1", "volsh volume check data --deep");
        var shallow = scratch.run("scrub data");
        assertThat(shallow.err()).contains("no part was read", "known damage: part-corrupt: 1")
                .doesNotContain("is intact");
        assertThat(shallow.status()).isEqualTo(7);
        run("scrub data --deep", 0);
        assertThat(scratch.ok("status --timeout 60s -o csv --columns kind,health").out()).contains("volume,ok");
    }

    @Test
    void aRepairEndsIt() throws IOException {
        scratch.ok("volume create data --store s1");
        scratch.fill("data", 1, 1000);
        var database = scratch.homes().state()
                .resolve("volumes/%s/meta.db".formatted(scratch.volumes().find("data").id()));
        try (var engine = SqliteMetaEngine.open(database)) {
            engine.transact(tx -> {
                MetaEngine.Entry inode = tx.scan(MetaKey.of((byte) 'N'), MetaKey.of((byte) 'O'), 10).getLast();
                tx.delete(inode.key());
                return null;
            });
        }
        run("volume check data", 7);
        damaged(": 1", "volsh volume check data");
        run("volume check data --repair", 0);
        fine();
    }

    /**
     * Whoever meets damage first: a command that reads is as good as a check, and nothing is forgotten when it ends.
     */
    @Test
    void metByCommands() throws IOException {
        scratch.ok("volume create data --store s1 --block-size 64KiB --inline 0");
        scratch.fill("data", 1, 50_000);
        scratch.ok("volume create other --store s2");
        scratch.ok("checkpoint save data --run run --step 1 --from %s".formatted(directory.resolve("source-data")));
        var large = new ArrayList<Path>();   // one of the file, one of the checkpoint
        for (var object : objects("s1")) {
            if (Files.size(object) > 40_000) {
                large.add(object);
                flip(object);
            }
        }
        for (var line : List.of("cat data:/data/f0", "get data:/data/f0 " + directory.resolve("one"),
                "get -r data:/data " + directory.resolve("all"), "cp -r data:/data other:/copy",
                "cache warm data:/data --cache-dir " + directory.resolve("cache"),
                "checkpoint verify data --run run --step 1",
                "checkpoint restore data --run run --step 1 --to %s".formatted(directory.resolve("restored")))) {
            fine();
            run(line, 7);
            damaged("object-corrupt: 1", "volsh volume check data --deep");
            for (var object : large) {
                flip(object);
            }
            run("volume check data --deep", 0);
            for (var object : large) {
                flip(object);
            }
        }
        assertThat(scratch.ok("events -o csv --columns kind,subject,text").out())
                .contains("volume,data,", "damaged: ", "volsh volume check data --deep");
        fine();
        for (var object : large) {
            Files.delete(object);
        }
        run("cat data:/data/f0", 7);
        damaged("object-missing: 1", "volsh volume check data");
    }

    @Test
    void metInTheMetadata() throws IOException {
        scratch.ok("volume create data --store s1");
        scratch.ok("put %s data:/row".formatted(
                Files.writeString(directory.resolve("small"), "a few bytes in a row of the metadata")));
        var database = scratch.homes().state()
                .resolve("volumes/%s/meta.db".formatted(scratch.volumes().find("data").id()));
        var bytes = Files.readAllBytes(database);
        var right = bytes.clone();
        int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("a few bytes in a row");
        assertThat(at).isPositive();
        bytes[at] ^= 1;
        Files.write(database, bytes);
        run("cat data:/row", 7);
        damaged("row-unreadable: 1", "volsh volume check data --deep");
        run("volume check data", 7);
        damaged("bytes-unreadable: 1", "volsh volume check data");
        Files.write(database, right);
        run("volume check data", 0);
        fine();
    }
}
