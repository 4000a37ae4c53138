package volsh.command.demo;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;

/** Flips one bit in the middle of the largest stored block, as a failing disk does. */
record Damage(Path block, long offset) {
    static Damage to(Path store) throws IOException {
        try (var files = Files.walk(store)) {
            Path largest = files.filter(Files::isRegularFile).max(Comparator.comparingLong(Damage::size)).orElseThrow();
            var damage = new Damage(largest, size(largest) / 2);
            damage.flip();
            return damage;
        }
    }

    private void flip() throws IOException {
        try (var file = new RandomAccessFile(block.toFile(), "rw")) {
            file.seek(offset);
            int before = file.read();
            file.seek(offset);
            file.write(before ^ 1);
        }
    }

    private static long size(Path file) {
        return file.toFile().length();
    }
}
