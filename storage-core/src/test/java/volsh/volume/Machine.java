package volsh.volume;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.SplittableRandom;
import java.util.TreeMap;
import volsh.block.StoreUrl;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.VolumeDraft;
import volsh.catalog.VolumeSpec;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.unit.ByteSize;
import volsh.vfs.Vfs;

/** A machine with a home of its own, as far as volumes go. */
public record Machine(Path directory) {
    public static final String STORE = "lake";

    public Volumes volumes() {
        return volumes(InstantSource.system());
    }

    Volumes volumes(InstantSource clock) {
        var home = new Home(directory.resolve("config"), directory.resolve("state"), directory.resolve("cache"),
                directory.resolve("run"));
        return new Volumes(home, clock, Owner.ROOT);
    }

    /** A volume in this store whose metadata is shipped. */
    public VolumeSpec create(String name, StoreUrl url) throws IOException {
        if (!volumes().stores().names().contains(STORE)) {
            volumes().stores().add(STORE, url);
        }
        return volumes().create(VolumeDraft.named(name).withStore(STORE).withBlockSize(ByteSize.of("64KiB"))
                .shippingMetadata(true));
    }

    public void write(String volume, String file, byte[] bytes) throws IOException {
        try (var open = volumes().open(volume, Access.WRITE, "test")) {
            write(open, file, bytes);
        }
    }

    public static void write(Volume open, String name, byte[] bytes) throws IOException {
        try (var file = open.vfs().create(Vfs.ROOT, Name.of(name), 0644, Owner.ROOT)) {
            file.write(0, ByteBuffer.wrap(bytes));
            file.flush();
        }
        open.sync();
    }

    public static byte[] read(Volume open, String name) throws IOException {
        var attributes = open.paths().resolve("/" + name);
        var bytes = ByteBuffer.allocate((int) attributes.size());
        try (var file = open.vfs().open(attributes.ino())) {
            file.read(0, bytes);
        }
        return bytes.array();
    }

    public void delete(String volume, String file) throws IOException {
        try (var open = volumes().open(volume, Access.WRITE, "test")) {
            open.vfs().unlink(Vfs.ROOT, Name.of(file));
        }
    }

    /** Names and bytes of all files, read through nothing but the store and the metadata here. */
    public TreeMap<String, Integer> files(String volume) throws IOException {
        var found = new TreeMap<String, Integer>();
        try (var open = volumes().open(volume, Access.READ, "test")) {
            for (var entry : open.vfs().list(Vfs.ROOT, null, 1000)) {
                var attributes = open.vfs().attributes(entry.ino());
                var bytes = ByteBuffer.allocate((int) attributes.size());
                try (var file = open.vfs().open(entry.ino())) {
                    file.read(0, bytes);
                }
                found.put(new String(entry.name().bytes(), StandardCharsets.UTF_8),
                        java.util.Arrays.hashCode(bytes.array()));
            }
        }
        return found;
    }

    public static byte[] bytes(long seed, int length) {
        byte[] bytes = new byte[length];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }

    /** It burns down. */
    void lose() throws IOException {
        remove(directory);
    }

    static void remove(Path tree) throws IOException {
        try (var all = Files.walk(tree)) {
            for (var path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
