package volsh.command.status;

import volsh.command.failure.ExitCode;
import volsh.mount.MountTrouble;

/** How something is, the better before the worse, and what a command ends with that found nothing worse. */
enum Health {
    OK("ok", ExitCode.OK),
    /** A background task of a mount fails again and again: nothing is lost, but something piles up. */
    FAILING("failing", ExitCode.EXPECTATION),
    /** What would be lost with this host is older than it should be, or does not get less. */
    AT_RISK("at risk", ExitCode.EXPECTATION),
    /** A disk or a store has no space left. */
    FULL("full", ExitCode.NO_SPACE),
    /** It may not be written. */
    REFUSED("refused", ExitCode.PERMISSION),
    UNAVAILABLE("unavailable", ExitCode.UNAVAILABLE),
    /** Another host has the volume, or others ended the session of a mount. */
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

    ExitCode exit() {
        return exit;
    }

    Health worse(Health other) {
        return compareTo(other) >= 0 ? this : other;
    }

    @Override
    public String toString() {
        return words;
    }
}
