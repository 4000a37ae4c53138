package volsh.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;

/**
 * The helper program of mount(8) for file systems of type volsh: a link to the one next to our launcher.
 *
 * @param link where mount(8) looks for it
 * @param program ours
 */
public record MountProgram(Path link, Path program) {
    private static final String NAME = "mount.volsh";

    /**
     * Below this root directory, for this launcher.
     * @throws Refusal UNAVAILABLE if this process was not started from an image
     */
    public static MountProgram of(Path root, Path launcher) throws Refusal {
        var program = launcher.resolveSibling(NAME);
        if (!Files.isExecutable(program)) {
            throw new Refusal(Reason.NOT_FOUND,
                    "no %s next to %s: this volsh was not started from an image".formatted(NAME, launcher));
        }
        return new MountProgram(root.resolve("sbin").resolve(NAME), program);
    }

    /** Whether it is installed. @throws Refusal CONFLICT if something else is there */
    public boolean isInstalled() throws IOException {
        if (!Files.exists(link, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        if (!Files.isSymbolicLink(link)) {
            throw new Refusal(Reason.CONFLICT, "%s was not created by volsh and is left alone".formatted(link));
        }
        return Files.readSymbolicLink(link).equals(program);
    }

    /** Installs it, replacing a link to another volsh; false if it was installed. */
    public boolean install() throws IOException {
        if (isInstalled()) {
            return false;
        }
        Files.createDirectories(link.getParent());
        Files.deleteIfExists(link);
        Files.createSymbolicLink(link, program);
        return true;
    }
}
