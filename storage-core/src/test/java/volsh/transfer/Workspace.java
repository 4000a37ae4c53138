package volsh.transfer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.VolumeDraft;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.unit.ByteSize;
import volsh.vfs.Vfs;
import volsh.volume.Volume;
import volsh.volume.Volumes;

/** A home with volumes of small blocks, and local files, below one directory. */
final class Workspace {
    static final int BLOCK = 64 << 10;
    static final int INLINE = 4 << 10;

    private final Path directory;
    private final Volumes volumes;

    Workspace(Path directory) {
        this.directory = directory;
        var home = new Home(directory.resolve("config"), directory.resolve("state"), directory.resolve("cache"),
                directory.resolve("run"));
        this.volumes = new Volumes(home, InstantSource.system(), Owner.ROOT);
    }

    Volume create(String name) throws IOException {
        return create(name, BLOCK);
    }

    Volume create(String name, int block) throws IOException {
        var draft = VolumeDraft.named(name);
        volumes.create(new VolumeDraft(
                name, draft.store(), draft.profile(), Optional.of(new ByteSize(block)), draft.compression(),
                draft.inline(), draft.labels(), draft.shipsMetadata(), draft.database()));
        return open(name);
    }

    Volume open(String name) throws IOException {
        return volumes.open(name, Access.WRITE, "test");
    }

    Path local(String name) {
        return directory.resolve(name);
    }

    Path folder(String name) throws IOException {
        return Files.createDirectories(local(name));
    }

    /** Stored blocks, the owner's mark left out. */
    long blocks() throws IOException {
        try (var found = Files.walk(directory.resolve("state/blocks"))) {
            return found.filter(path -> Files.isRegularFile(path) && !path.endsWith("owner")).count();
        }
    }

    static byte[] noise(int size, long seed) {
        byte[] bytes = new byte[size];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }

    static Summary put(Volume volume, Path source, String name, Observer observer) throws IOException {
        try (var put = new Put(volume.vfs(), Optional.empty(), 3, observer)) {
            put.add(source, Vfs.ROOT, Name.of(name));
            return put.finish();
        }
    }

    static Summary get(Volume volume, String path, Path target, Observer observer) throws IOException {
        try (var get = new Get(volume.vfs(), true, 3, observer)) {
            get.add(volume.spec().name() + ":" + path, volume.paths().resolve(path, false), target);
            return get.finish();
        }
    }

    /** Names, kinds, modes, times and link targets below a directory, by the system's own find. */
    static String listing(Path top) throws Exception {
        var found = output(top, "find", ".", "-mindepth", "1", "(", "-type", "d", "-printf", "%p %y %m %T@\n", ")",
                "-o", "-printf", "%p %y %m %T@ %s %n %l\n");
        return String.join("\n", found.lines().sorted().toList());
    }

    static boolean sameBytes(Path left, Path right) throws Exception {
        return new ProcessBuilder("diff", "-r", "--no-dereference", left.toString(), right.toString()).start()
                .waitFor() == 0;
    }

    /** What a command prints; bytes that are not UTF-8 stay apart as Latin letters. */
    static String output(Path where, String... command) throws Exception {
        var process = new ProcessBuilder(command).directory(where.toFile()).redirectErrorStream(true).start();
        var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        if (process.waitFor() != 0) {
            throw new IOException(text);
        }
        return text;
    }

    /** Remembers what failed. */
    static class Failures implements Observer {
        private final TreeMap<String, String> reasons = new TreeMap<>();

        @Override
        public synchronized void failed(String path, IOException reason) {
            reasons.put(path, String.valueOf(reason.getMessage()));
        }

        synchronized TreeMap<String, String> reasons() {
            return reasons;
        }
    }
}
