package volsh.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;

/**
 * The program that mount(8) looks for to mount a file system of type volsh: a link to the one beside our launcher.
 *
 * @param link where mount(8) looks
 * @param program ours
 */
public record MountProgram(Path link, Path program) {
    private static final String NAME = "mount.volsh";

    /** Below this root of a system, for this launcher. @throws Refusal UNAVAILABLE if no image started us */
    public static MountProgram of(Path root, Path launcher) throws Refusal {
        var program = launcher.resolveSibling(NAME);
        if (!Files.isExecutable(program)) {
            throw new Refusal(Reason.NOT_FOUND,
                    "there is no %s beside %s: this volsh was not started from an image".formatted(NAME, launcher));
        }
        return new MountProgram(root.resolve("sbin").resolve(NAME), program);
    }

    /** Is it there? @throws Refusal CONFLICT if something else is */
    public boolean isInstalled() throws IOException {
        if (!Files.exists(link, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        if (!Files.isSymbolicLink(link)) {
            throw new Refusal(Reason.CONFLICT, "%s is not a link of ours and is left alone".formatted(link));
        }
        return Files.readSymbolicLink(link).equals(program);
    }

    /** Puts it there, in place of a link to another volsh; false if it was there. */
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
