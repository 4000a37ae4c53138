package volsh.command.status;

import volsh.command.failure.ExitCode;

/** How something is, the better before the worse, and what a command ends with that found nothing worse. */
enum Health {
    OK("ok", ExitCode.OK),
    /** A background task of a mount fails again and again: nothing is lost, but something piles up. */
    FAILING("failing", ExitCode.EXPECTATION),
    /** What would be lost with this host is older than it should be, or does not get less. */
    AT_RISK("at risk", ExitCode.EXPECTATION),
    UNAVAILABLE("unavailable", ExitCode.UNAVAILABLE),
    DAMAGED("damaged", ExitCode.INTEGRITY);

    private final String words;
    private final ExitCode exit;

    Health(String words, ExitCode exit) {
        this.words = words;
        this.exit = exit;
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
