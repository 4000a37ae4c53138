package volsh.transfer;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.function.BooleanSupplier;
import volsh.fs.Attributes;
import volsh.vfs.Vfs;

/** Counts files and bytes before or while they are copied, without reading them. */
public final class Survey {
    private final BooleanSupplier stop;
    private long files;
    private long bytes;
    private boolean complete = true;

    /** {@code stop} is called at every file. */
    public Survey(BooleanSupplier stop) {
        this.stop = stop;
    }

    /** Adds a local file or tree. What cannot be read is not counted. */
    public void add(Path source) throws IOException {
        Files.walkFileTree(source, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                count(attributes.isRegularFile() ? attributes.size() : 0);
                return complete ? FileVisitResult.CONTINUE : FileVisitResult.TERMINATE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException unreadable) {
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException unreadable) {
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** Adds a file or tree of a volume. */
    public void add(Vfs vfs, Attributes source) throws IOException {
        if (!source.isDirectory()) {
            count(source);
            return;
        }
        var trail = new Trail(vfs, source.ino());
        for (var step = trail.next(); step != null && complete; step = trail.next()) {
            if (!step.leaving() && !step.found().attributes().isDirectory()) {
                count(step.found().attributes());
            }
        }
    }

    private void count(Attributes file) {
        count(file.isRegular() ? file.size() : 0);
    }

    private void count(long size) {
        complete &= !stop.getAsBoolean();
        files++;
        bytes += size;
    }

    public long files() {
        return files;
    }

    public long bytes() {
        return bytes;
    }

    /** Whether everything was counted; false if it was stopped. */
    public boolean isComplete() {
        return complete;
    }
}
