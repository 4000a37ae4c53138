package volsh.mount;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import volsh.block.NoSuchBlockException;
import volsh.block.RefusedException;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.codec.CorruptBlockException;
import volsh.fs.DamagedException;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.NoSpaceException;
import volsh.fs.ReadOnlyDiskException;
import volsh.ship.AttachedElsewhereException;

/**
 * A current problem of a mount: since when, one sentence, and one command that helps. The mount's process reports it
 * through its control socket, and every command about the mount shows the same.
 */
public record MountTrouble(Kind kind, Instant since, String sentence, String command) {
    /** Kinds of trouble, from least to worst; each has one word for lists and one exit code. */
    public enum Kind {
        /** Data that only this host has cannot be stored now. */
        AT_RISK(11),
        /** The mount is unmounted, but its process still writes out. */
        DETACHED(11),
        /** The clock of this machine has jumped. */
        CLOCK(11),
        /** A disk or a store has no space left. */
        FULL(8),
        /** A store or a disk denies writing. */
        REFUSED(9),
        /** A store or the metadata cannot be reached. */
        UNAVAILABLE(6),
        /** Another host owns the volume now: this mount is read-only. */
        ELSEWHERE(4),
        /** Another session ended this mount's session: nothing it writes is committed. */
        FENCED(4),
        /** Bytes differ from what was written. */
        DAMAGED(7);

        private final int exit;

        Kind(int exit) {
            this.exit = exit;
        }

        /** The exit code of a command that finds it. */
        public int exit() {
            return exit;
        }

        /** One word. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }

        /** The corresponding reason of a refusal. */
        public Reason reason() {
            return switch (this) {
                case FULL -> Reason.NO_SPACE;
                case REFUSED -> Reason.FORBIDDEN;
                case ELSEWHERE, FENCED -> Reason.CONFLICT;
                case DAMAGED -> Reason.DAMAGED;
                case AT_RISK, DETACHED, CLOCK, UNAVAILABLE -> Reason.UNAVAILABLE;
            };
        }
    }

    /** The kind of trouble behind a failure to write something out. */
    static Kind kind(Throwable failure) {
        if (NoSpaceException.isBehind(failure)) {
            return Kind.FULL;
        }
        for (var cause = failure; cause != null; cause = cause.getCause()) {
            switch (cause) {
                case FsException refused when refused.error() == FsError.STALE -> {
                    return Kind.FENCED;
                }
                case FsException refused when refused.error() == FsError.QUOTA -> {
                    return Kind.FULL;
                }
                case FsException refused
                        when refused.error() == FsError.READ_ONLY || refused.error() == FsError.ACCESS -> {
                    return Kind.REFUSED;
                }
                case AttachedElsewhereException elsewhere -> {
                    return Kind.ELSEWHERE;
                }
                case RefusedException refused -> {
                    return Kind.REFUSED;
                }
                case DamagedException damaged -> {
                    return Kind.DAMAGED;
                }
                case CorruptBlockException damaged -> {
                    return Kind.DAMAGED;
                }
                case NoSuchBlockException lost -> {
                    return Kind.DAMAGED;
                }
                case AccessDeniedException refused -> {
                    return Kind.REFUSED;
                }
                case IOException disk when ReadOnlyDiskException.is(disk) -> {
                    return Kind.REFUSED;
                }
                default -> { }
            }
        }
        return Kind.UNAVAILABLE;
    }

    /** The message of a failure; a path alone says nothing, and is what the JDK has for a missing file. */
    static String words(Throwable failure) {
        return switch (failure) {
            case NoSuchFileException gone -> gone.getFile() + ": no such file or directory";
            case AccessDeniedException denied -> denied.getFile() + ": permission denied";
            case NotDirectoryException file -> file.getFile() + ": not a directory";
            case FileSystemException other when other.getReason() == null -> other.getFile() + ": cannot be used";
            default -> String.valueOf(failure.getMessage());
        };
    }

    /** The worst of them; the first of several equally bad ones. */
    public static MountTrouble worst(List<MountTrouble> some) {
        return some.stream().reduce((first, second) -> second.kind.compareTo(first.kind) > 0 ? second : first)
                .orElseThrow();
    }

    String line() {
        return Phrase.of("trouble", List.of(kind.name(), Long.toString(since.toEpochMilli()),
                sentence.replace('\n', ' '), command));
    }

    static MountTrouble parse(String line) throws IOException {
        try {
            var words = Phrase.parse(line).words();
            return new MountTrouble(Kind.valueOf(words.get(0)), Instant.ofEpochMilli(Long.parseLong(words.get(1))),
                    words.get(2), words.get(3));
        } catch (RuntimeException unknown) {
            throw new IOException("invalid trouble in the answer of the mount: " + line, unknown);
        }
    }

    /** A refusal because of this trouble. */
    Refusal refusal(String message, String... hints) {
        return new Refusal(kind.reason(), message, hints);
    }
}
