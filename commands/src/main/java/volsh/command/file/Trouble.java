package volsh.command.file;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.FileSystemException;
import org.jspecify.annotations.Nullable;
import volsh.catalog.Refusal;
import volsh.catalog.VolumePath;
import volsh.codec.CorruptBlockException;
import volsh.command.console.BrokenPipeException;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.Diagnosis;
import volsh.command.failure.ExitCode;
import volsh.engine.MetaUnavailableException;
import volsh.fs.DamagedException;
import volsh.fs.FsException;
import volsh.fs.ImportChangedException;
import volsh.ship.AttachedElsewhereException;

/** Adds the path to a failure, because the layers below do not know paths. */
public final class Trouble {
    private Trouble() {}

    /** The failure with the path in front, if it does not name a file itself or concerns no file at all. */
    public static Exception with(String path, IOException failure) {
        return switch (failure) {
            case FsException refused when names(path, refused.getMessage()) -> refused;
            case FsException refused -> new FsException(refused.error(), path + ": " + refused.getMessage(),
                    refused.getCause());
            case CorruptBlockException damaged -> damaged(path, damaged);
            case ImportChangedException changed -> changed(path, changed);
            case FileSystemException named -> named;
            case InterruptedIOException stopped -> stopped;
            case ClosedByInterruptException stopped -> stopped;
            case BrokenPipeException left -> left;
            case Refusal told -> told;
            case AttachedElsewhereException told -> told;
            case DamagedException damaged -> damaged(path, damaged);
            case MetaUnavailableException told -> told;
            default -> CommandFailure.of(Diagnosis.of(failure).about(path)).causedBy(failure.getCause());
        };
    }

    /** Whether a message begins with a file of the same volume. */
    private static boolean names(String path, @Nullable String message) {
        int root = path.indexOf(":/");
        return root > 0 && String.valueOf(message).startsWith(path.substring(0, root + 2));
    }

    private static CommandFailure damaged(String path, CorruptBlockException damaged) {
        var failure = CommandFailure.of(ExitCode.INTEGRITY, "BLK-0007", path + ": stored data is damaged")
                .detail(String.valueOf(damaged.getMessage()));
        return VolumePath.isOne(path)
                ? failure.hint("volsh volume check %s --deep".formatted(VolumePath.of(path).volume())) : failure;
    }

    private static CommandFailure changed(String path, ImportChangedException changed) {
        var failure = CommandFailure.of(Diagnosis.of(changed).about(path));
        return VolumePath.isOne(path) ? failure.hint("volsh import --list " + VolumePath.of(path).volume()) : failure;
    }

    static CommandFailure damaged(String path, DamagedException damaged) {
        var failure = CommandFailure.of(Diagnosis.ofDamage(damaged).about(path)).causedBy(damaged.getCause());
        return VolumePath.isOne(path) ? failure.hint("volsh volume check %s".formatted(VolumePath.of(path).volume()))
                : failure;
    }

    /** The reason, without the path. */
    static String reason(IOException failure) {
        if (failure instanceof DamagedException damaged) {
            return Diagnosis.ofDamage(damaged).message();
        }
        if (failure instanceof FileSystemException named && named.getReason() == null) {
            var message = Diagnosis.of(failure).message();
            return named.getFile() != null && message.startsWith(named.getFile() + ": ")
                    ? message.substring(named.getFile().length() + 2) : message;
        }
        return failure instanceof FileSystemException named ? named.getReason() : Diagnosis.of(failure).message();
    }
}
