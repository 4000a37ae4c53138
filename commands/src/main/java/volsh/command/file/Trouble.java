package volsh.command.file;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.FileSystemException;
import volsh.codec.CorruptBlockException;
import volsh.command.console.BrokenPipeException;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.Diagnosis;
import volsh.command.failure.ExitCode;
import volsh.fs.FsException;
import volsh.ship.AttachedElsewhereException;
import volsh.volume.Refusal;

/** Says which file a failure is about: below this package nobody knows paths. */
final class Trouble {
    private Trouble() {}

    /** The failure with the path in front, if it does not name a file itself or concerns no file at all. */
    static Exception with(String path, IOException failure) {
        return switch (failure) {
            case FsException refused -> new FsException(refused.error(), path + ": " + refused.getMessage(),
                    refused.getCause());
            case CorruptBlockException damaged -> damaged(path, damaged);
            case FileSystemException named -> named;
            case InterruptedIOException stopped -> stopped;
            case ClosedByInterruptException stopped -> stopped;
            case BrokenPipeException left -> left;
            case Refusal told -> told;
            case AttachedElsewhereException told -> told;
            default -> new IOException(path + ": " + Diagnosis.of(failure).message(), failure.getCause());
        };
    }

    private static CommandFailure damaged(String path, CorruptBlockException damaged) {
        return CommandFailure.of(ExitCode.INTEGRITY, "BLK-0007", path + ": its stored data is damaged")
                .detail(damaged.getMessage());
    }

    /** Why, without the path. */
    static String reason(IOException failure) {
        if (failure instanceof FileSystemException named && named.getReason() == null) {
            var message = Diagnosis.of(failure).message();
            return named.getFile() != null && message.startsWith(named.getFile() + ": ")
                    ? message.substring(named.getFile().length() + 2) : message;
        }
        return failure instanceof FileSystemException named ? named.getReason() : Diagnosis.of(failure).message();
    }
}
