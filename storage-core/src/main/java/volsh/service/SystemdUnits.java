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

/** The systemd units that volsh wrote: others are never touched. Installing and removing can be repeated. */
public record SystemdUnits(Path directory) {
    static final String TARGET = "multi-user.target";

    /** An installed unit: of a mount, which has a mount point, or of a gateway, which has an address. */
    public record Installed(String name, String source, Optional<Path> mountPoint, Optional<String> listen,
            boolean enabled) {}

    /** The result of installing. */
    public enum Change {
        CREATED,
        UPDATED,
        UNCHANGED
    }

    /** @throws Refusal CONFLICT if a unit of that name was not written by volsh */
    public Change check(Unit unit) throws IOException {
        var there = text(unit.name());
        if (there.isEmpty()) {
            return Change.CREATED;
        }
        requireOurs(unit.name(), there.get());
        return there.get().equals(unit.text()) && isEnabled(unit.name()) ? Change.UNCHANGED : Change.UPDATED;
    }

    /** Writes and enables the unit. */
    public Change install(Unit unit) throws IOException {
        var change = check(unit);
        if (change != Change.UNCHANGED) {
            Files.createDirectories(wish(unit.name()).getParent());
            var temporary = directory.resolve("." + unit.name() + ".new");
            Files.deleteIfExists(temporary);   // without following a link
            Files.writeString(temporary, unit.text(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rw-r--r--"));
            Files.move(temporary, path(unit.name()), StandardCopyOption.ATOMIC_MOVE);
            Files.deleteIfExists(wish(unit.name()));
            Files.createSymbolicLink(wish(unit.name()), Path.of("..", unit.name()));
        }
        return change;
    }

    /** The unit of this name. @throws Refusal NOT_FOUND, or CONFLICT if volsh did not write it */
    public Installed find(String name) throws IOException {
        var text = text(name).orElseThrow(() -> new Refusal(
                Reason.NOT_FOUND, "no service: %s does not exist".formatted(path(name)), "volsh service status"));
        requireOurs(name, text);
        return installed(name, text);
    }

    /** Removes the unit of this name. */
    public void remove(String name) throws IOException {
        var unit = find(name);
        Files.deleteIfExists(wish(unit.name()));
        Files.delete(path(unit.name()));
    }

    /** The units that volsh wrote, by name. */
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
        return new Installed(name, value(text, Unit.SOURCE).orElse(""), value(text, Unit.DIRECTORY).map(Path::of),
                value(text, Unit.LISTEN), isEnabled(name));
    }

    private static Optional<String> value(String text, String key) {
        return text.lines().filter(line -> line.startsWith(key))
                .map(line -> Unit.withoutSpecifiers(line.substring(key.length()))).findFirst();
    }
}
