package volsh.command.failure;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import volsh.block.MissingStoreException;
import volsh.block.NoSuchBlockException;
import volsh.block.RefusedException;
import volsh.block.SlowDownException;
import volsh.block.UnavailableException;
import volsh.catalog.Refusal;
import volsh.codec.CorruptBlockException;
import volsh.command.console.BrokenPipeException;
import volsh.disk.UntrustedException;
import volsh.engine.HeldKeyMissingException;
import volsh.engine.MetaUnavailableException;
import volsh.fs.DamagedException;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.ImportChangedException;
import volsh.fs.NoSpaceException;
import volsh.object.NoSuchObjectException;
import volsh.quota.QuotaReachedException;
import volsh.ship.AttachedElsewhereException;
import volsh.ship.DamagedShipmentException;
import volsh.tree.MismatchException;
import volsh.upkeep.StoppedException;
import volsh.upkeep.dump.DumpRefusedException;

/** Turns exceptions into problems with an exit code, an error code and a message. Nothing else does. */
public final class Diagnosis {
    private Diagnosis() {}

    public static Problem of(Throwable thrown) {
        Throwable failure = PlainWords.unwrapped(thrown);
        Problem problem = failure instanceof CommandFailure known ? known.problem() : problem(failure);
        return problem.because(PlainWords.causes(failure, problem.message()));
    }

    private static Problem problem(Throwable failure) {
        return switch (failure) {
            case FsException refused -> refusal(refused);
            case Refusal refused -> refusal(refused);
            case CorruptBlockException damaged -> problem(ExitCode.INTEGRITY, "BLK-0007", damaged)
                    .detail("the stored bytes differ from the written bytes; volsh returned none of them");
            case ImportChangedException changed -> problem(ExitCode.INTEGRITY, "IMP-0007", changed)
                    .detail("volsh returned none of its bytes; 'volsh import --refresh' follows the bucket");
            case NoSuchBlockException lost -> problem(ExitCode.INTEGRITY, "BLK-0002", lost);
            case RefusedException refused -> refusal(refused);
            case NoSuchObjectException gone -> problem(ExitCode.NOT_FOUND, "IO-0002", gone);
            case MismatchException wrong -> problem(ExitCode.INTEGRITY, "IO-0007", wrong);
            case IOException full when NoSpaceException.isBehind(full) -> DiskTrouble.full(full);
            case MissingStoreException missing -> missing(missing);
            case UnavailableException away -> problem(ExitCode.UNAVAILABLE, "BLK-0006", away);
            case SlowDownException away -> problem(ExitCode.UNAVAILABLE, "BLK-0006", away);
            case DamagedShipmentException damaged -> problem(ExitCode.INTEGRITY, "SHIP-0007", damaged)
                    .detail("volsh attached nothing: an older state could pass for the newest");
            case AttachedElsewhereException elsewhere -> problem(ExitCode.CONFLICT, "SHIP-0004", elsewhere);
            case DamagedException damaged -> damaged(damaged);
            case DumpRefusedException wrong -> problem(ExitCode.INTEGRITY, "DUMP-0007", wrong)
                    .detail("volsh created nothing from the dump");
            case StoppedException asked -> cancelled();
            case MetaUnavailableException away -> problem(ExitCode.UNAVAILABLE, "META-0006", away);
            case HeldKeyMissingException gone -> problem(ExitCode.CONFLICT, "META-0004", gone);
            case BrokenPipeException head -> problem(ExitCode.BROKEN_PIPE, "CLI-0141", head);
            case CancelledException asked -> cancelled();
            case InterruptedException stopped -> cancelled();
            case CancellationException stopped -> cancelled();
            case ClosedByInterruptException stopped -> cancelled();
            case IOException io -> io(io);
            case TimeoutException late -> problem(ExitCode.TIMEOUT, "CLI-0124", late);
            case IllegalArgumentException wrong when ours(wrong) -> problem(ExitCode.USAGE, "CLI-0002", wrong);
            case OutOfMemoryError full -> problem(ExitCode.FAILED, "CLI-0012", full);
            default -> internal(failure);
        };
    }

    /** The problem of damaged metadata, for callers that name the file themselves. */
    public static Problem ofDamage(DamagedException damaged) {
        return problem(ExitCode.INTEGRITY, "META-0007", damaged)
                .because(PlainWords.causes(damaged, PlainWords.of(damaged)));
    }

    private static Problem damaged(DamagedException damaged) {
        var problem = problem(ExitCode.INTEGRITY, "META-0007", damaged);
        return damaged.volume().map(volume -> problem.about("volume '%s'".formatted(volume))
                .hint("volsh volume check " + volume)).orElse(problem);
    }

    private static Problem missing(MissingStoreException missing) {
        var problem = problem(ExitCode.UNAVAILABLE, "BLK-0008", missing);
        return missing.store().contains("://") ? problem : problem.hint("volsh store show " + missing.store());
    }

    private static Problem io(IOException failure) {
        return switch (failure) {
            case NoSuchFileException gone ->
                    NearNames.beside(gone.getFile(), problem(ExitCode.NOT_FOUND, "IO-0002", gone));
            case FileNotFoundException denied when PlainWords.of(denied).contains("Permission denied") ->
                problem(ExitCode.PERMISSION, "IO-0013", denied);
            case FileNotFoundException gone -> problem(ExitCode.NOT_FOUND, "IO-0002", gone);
            case UntrustedException others -> problem(ExitCode.PERMISSION, "IO-0014", others).hint(others.fix());
            case AccessDeniedException denied -> problem(ExitCode.PERMISSION, "IO-0013", denied);
            case FileAlreadyExistsException exists -> problem(ExitCode.CONFLICT, "IO-0017", exists);
            case DirectoryNotEmptyException full -> problem(ExitCode.CONFLICT, "IO-0039", full);
            case SocketTimeoutException late -> problem(ExitCode.UNAVAILABLE, "NET-0110", late);
            case UnknownHostException host -> problem(ExitCode.UNAVAILABLE, "NET-0113", host);
            case SocketException network -> problem(ExitCode.UNAVAILABLE, "NET-0111", network);
            case InterruptedIOException stopped -> cancelled();
            default -> byReason(failure);
        };
    }

    private static Problem byReason(IOException failure) {
        return DiskTrouble.readOnly(failure).orElseGet(() -> problem(ExitCode.FAILED, "IO-0005", failure));
    }

    /** Whether volsh threw it: such messages are written for users, while the JDK's point to a bug in volsh. */
    private static boolean ours(IllegalArgumentException wrong) {
        StackTraceElement[] trace = wrong.getStackTrace();
        return wrong.getMessage() != null && trace.length > 0 && trace[0].getClassName().startsWith("volsh.");
    }

    private static Problem internal(Throwable mistake) {
        boolean telling = !(mistake instanceof NullPointerException || mistake instanceof ClassCastException);
        String message = telling ? "internal error: " + PlainWords.of(mistake) : "internal error";
        return Problem.of(ExitCode.FAILED, "CLI-0070", message)
                .hint("run the command again with --debug and report the output");
    }

    private static Problem cancelled() {
        return Problem.of(ExitCode.CANCELLED, "CLI-0130", "cancelled");
    }

    private static Problem problem(ExitCode exit, String code, Throwable failure) {
        return Problem.of(exit, code, PlainWords.of(failure));
    }

    private static Problem refusal(Refusal refused) {
        ExitCode exit = exit(refused.reason());
        Problem problem = problem(exit, "VOL-000" + exit.status(), refused);
        for (String detail : refused.details()) {
            problem = problem.detail(detail);
        }
        List<String> near = refused.unknown().map(unknown -> Similar.to(unknown.name(), unknown.there()))
                .orElse(List.of());
        for (String similar : near) {
            problem = problem.detail("did you mean '%s'?".formatted(similar));
        }
        for (String hint : refused.hints()) {
            // not to create the mistyped one
            boolean makes = hint.startsWith("volsh volume create ") || hint.startsWith("volsh store add ");
            problem = makes && !near.isEmpty() ? problem : problem.hint(hint);
        }
        return problem;
    }

    // No default: a new reason must not compile until it has an exit code.
    private static ExitCode exit(Refusal.Reason reason) {
        return switch (reason) {
            case INVALID -> ExitCode.USAGE;
            case NOT_FOUND -> ExitCode.NOT_FOUND;
            case CONFLICT -> ExitCode.CONFLICT;
            case BUSY -> ExitCode.BUSY;
            case UNAVAILABLE -> ExitCode.UNAVAILABLE;
            case NO_SPACE -> ExitCode.NO_SPACE;
            case DAMAGED -> ExitCode.INTEGRITY;
            case FORBIDDEN -> ExitCode.PERMISSION;
        };
    }

    /** The reason whose refusals exit with this code; UNAVAILABLE if there is none. */
    public static Refusal.Reason reason(ExitCode code) {
        return Stream.of(Refusal.Reason.values()).filter(reason -> exit(reason) == code).findFirst()
                .orElse(Refusal.Reason.UNAVAILABLE);
    }

    private static Problem refusal(RefusedException refused) {
        ExitCode exit = exit(refused.reason());
        return problem(exit, "BLK-000" + exit.status(), refused);
    }

    // No default: a new reason must not compile until it has an exit code.
    private static ExitCode exit(RefusedException.Reason reason) {
        return switch (reason) {
            case DENIED -> ExitCode.PERMISSION;
            case NO_SUCH_PLACE -> ExitCode.NOT_FOUND;
            case WRONG_SETTINGS -> ExitCode.USAGE;
        };
    }

    private static Problem refusal(FsException refused) {
        FsError error = refused.error();
        var quota = QuotaReachedException.behind(refused);
        var problem = problem(exit(error), code(error), refused);
        return quota == null ? problem
                : problem.hint(quota.show()).hint("to raise the limit: " + quota.raise());
    }

    // No default: a new FsError must not compile until it has an exit code.
    private static ExitCode exit(FsError error) {
        return switch (error) {
            case NO_ENTRY, NO_DATA, NO_MORE -> ExitCode.NOT_FOUND;
            case EXISTS, NOT_EMPTY, STALE -> ExitCode.CONFLICT;
            case BUSY, WOULD_BLOCK, DEADLOCK, NO_LOCKS -> ExitCode.BUSY;
            case NO_SPACE, QUOTA -> ExitCode.NO_SPACE;
            case NOT_PERMITTED, ACCESS, READ_ONLY -> ExitCode.PERMISSION;
            case INTERRUPTED -> ExitCode.CANCELLED;
            case TIMED_OUT -> ExitCode.TIMEOUT;
            case INVALID, NAME_TOO_LONG -> ExitCode.USAGE;
            case IO, BAD_HANDLE, CROSS_DEVICE, NOT_DIRECTORY, IS_DIRECTORY, FILE_TOO_BIG, TOO_MANY_LINKS, SYMLINK_LOOP,
                    NOT_SUPPORTED, RANGE -> ExitCode.FAILED;
        };
    }

    /** {@code FS-} and the errno of the same error on Linux. */
    private static String code(FsError error) {
        return switch (error) {
            case NOT_PERMITTED -> "FS-0001";
            case NO_ENTRY -> "FS-0002";
            case INTERRUPTED -> "FS-0004";
            case IO -> "FS-0005";
            case NO_MORE -> "FS-0006";
            case BAD_HANDLE -> "FS-0009";
            case WOULD_BLOCK -> "FS-0011";
            case ACCESS -> "FS-0013";
            case BUSY -> "FS-0016";
            case EXISTS -> "FS-0017";
            case CROSS_DEVICE -> "FS-0018";
            case NOT_DIRECTORY -> "FS-0020";
            case IS_DIRECTORY -> "FS-0021";
            case INVALID -> "FS-0022";
            case FILE_TOO_BIG -> "FS-0027";
            case NO_SPACE -> "FS-0028";
            case READ_ONLY -> "FS-0030";
            case TOO_MANY_LINKS -> "FS-0031";
            case RANGE -> "FS-0034";
            case DEADLOCK -> "FS-0035";
            case NO_LOCKS -> "FS-0037";
            case NAME_TOO_LONG -> "FS-0036";
            case NOT_EMPTY -> "FS-0039";
            case SYMLINK_LOOP -> "FS-0040";
            case NO_DATA -> "FS-0061";
            case NOT_SUPPORTED -> "FS-0095";
            case TIMED_OUT -> "FS-0110";
            case STALE -> "FS-0116";
            case QUOTA -> "FS-0122";
        };
    }
}
