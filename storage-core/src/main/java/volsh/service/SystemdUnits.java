package volsh.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;

/**
 * The units of a directory that are ours: one that we did not write is never touched. Installing and removing may be
 * repeated.
 */
public record SystemdUnits(Path directory) {
    static final String TARGET = "multi-user.target";

    /** A unit as it lies there. */
    public record Installed(String name, String source, Path mountPoint, boolean enabled) {}

    /** What installing would do, or did. */
    public enum Change {
        CREATED,
        UPDATED,
        UNCHANGED
    }

    /** @throws Refusal CONFLICT if there is one of that name that we did not write */
    public Change check(Unit unit) throws IOException {
        var there = text(unit.name());
        if (there.isEmpty()) {
            return Change.CREATED;
        }
        requireOurs(unit.name(), there.get());
        return there.get().equals(unit.text()) && isEnabled(unit.name()) ? Change.UNCHANGED : Change.UPDATED;
    }

    /** Writes the unit and has it started with the machine. */
    public Change install(Unit unit) throws IOException {
        var change = check(unit);
        if (change != Change.UNCHANGED) {
            Files.createDirectories(wish(unit.name()).getParent());
            var temporary = directory.resolve("." + unit.name() + ".new");
            Files.deleteIfExists(temporary);   // and no link is followed
            Files.writeString(temporary, unit.text(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rw-r--r--"));
            Files.move(temporary, path(unit.name()), StandardCopyOption.ATOMIC_MOVE);
            Files.deleteIfExists(wish(unit.name()));
            Files.createSymbolicLink(wish(unit.name()), Path.of("..", unit.name()));
        }
        return change;
    }

    /** @throws Refusal NOT_FOUND, or CONFLICT if we did not write it */
    public Installed find(Path mountPoint) throws IOException {
        var name = Unit.name(mountPoint);
        var text = text(name).orElseThrow(() -> new Refusal(
                Reason.NOT_FOUND, "no service mounts on %s: there is no %s".formatted(mountPoint, path(name)),
                "volsh service status"));
        requireOurs(name, text);
        return installed(name, text);
    }

    /** Takes the unit away. */
    public void remove(Path mountPoint) throws IOException {
        var unit = find(mountPoint);
        Files.deleteIfExists(wish(unit.name()));
        Files.delete(path(unit.name()));
    }

    /** Ours, by name. */
    public List<Installed> list() throws IOException {
        var found = new ArrayList<Installed>();
        if (Files.isDirectory(directory)) {
            try (var files = Files.list(directory)) {
                var names = files.map(file -> file.getFileName().toString()).filter(Unit::isName).sorted().toList();
                for (var name : names) {
                    text(name).filter(SystemdUnits::isOurs).ifPresent(text -> found.add(installed(name, text)));
                }
            }
        }
        return found;
    }

    public Path path(String name) {
        return directory.resolve(name);
    }

    private Path wish(String name) {
        return directory.resolve(TARGET + ".wants").resolve(name);
    }

    private boolean isEnabled(String name) {
        return Files.exists(wish(name), LinkOption.NOFOLLOW_LINKS);
    }

    private Optional<String> text(String name) throws IOException {
        try {
            return Optional.of(Files.readString(path(name)));
        } catch (NoSuchFileException none) {
            return Optional.empty();
        }
    }

    private void requireOurs(String name, String text) throws Refusal {
        if (!isOurs(text)) {
            throw new Refusal(Reason.CONFLICT, "%s was not written by volsh and is left alone".formatted(path(name)),
                    "cat " + path(name));
        }
    }

    private static boolean isOurs(String text) {
        return text.contains("\n" + Unit.SECTION + "\n");
    }

    private Installed installed(String name, String text) {
        return new Installed(name, value(text, Unit.SOURCE), Path.of(value(text, Unit.DIRECTORY)), isEnabled(name));
    }

    private static String value(String text, String key) {
        return text.lines().filter(line -> line.startsWith(key))
                .map(line -> Unit.withoutSpecifiers(line.substring(key.length()))).findFirst().orElse("");
    }
}
