package volsh.command.status;

import volsh.command.failure.ExitCode;
import volsh.mount.MountTrouble;

/** The health of an object, from good to bad, with the exit code of a command that finds nothing worse. */
enum Health {
    OK("ok", ExitCode.OK),
    /** A quota is nearly used up: a warning. */
    NEARLY_FULL("nearly full", ExitCode.OK),
    /** A background task of a mount fails repeatedly: nothing is lost, but work piles up. */
    FAILING("failing", ExitCode.EXPECTATION),
    /** Data that only this host has is older than allowed, or cannot be stored. */
    AT_RISK("at risk", ExitCode.EXPECTATION),
    /** A disk or a store has no space left. */
    FULL("full", ExitCode.NO_SPACE),
    /** Access is denied, or a disk is read-only. */
    REFUSED("refused", ExitCode.PERMISSION),
    /** The key of an encrypted volume cannot be had here. */
    LOCKED("locked", ExitCode.PERMISSION),
    UNAVAILABLE("unavailable", ExitCode.UNAVAILABLE),
    /** Another host has the volume, or ended the session of a mount. */
    FENCED("fenced", ExitCode.CONFLICT),
    DAMAGED("damaged", ExitCode.INTEGRITY);

    private final String words;
    private final ExitCode exit;

    Health(String words, ExitCode exit) {
        this.words = words;
        this.exit = exit;
    }

    static Health of(MountTrouble.Kind kind) {
        return switch (kind) {
            case AT_RISK, DETACHED, CLOCK -> AT_RISK;
            case FULL -> FULL;
            case REFUSED -> REFUSED;
            case UNAVAILABLE -> UNAVAILABLE;
            case ELSEWHERE, FENCED -> FENCED;
            case DAMAGED -> DAMAGED;
        };
    }

    /** The health of an object whose check failed with this exit code. */
    static Health of(ExitCode exit) {
        return switch (exit) {
            case NO_SPACE -> FULL;
            case PERMISSION -> REFUSED;
            case INTEGRITY -> DAMAGED;
            default -> UNAVAILABLE;
        };
    }

    ExitCode exit() {
        return exit;
    }

    /** Whether something is wrong already, rather than good or soon to be wrong. */
    boolean isProblem() {
        return exit != ExitCode.OK;
    }

    Health worse(Health other) {
        return compareTo(other) >= 0 ? this : other;
    }

    @Override
    public String toString() {
        return words;
    }
}
