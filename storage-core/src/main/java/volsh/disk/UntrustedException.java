package volsh.disk;

import java.nio.file.AccessDeniedException;

/** A path that another user may have changed, or may change: see {@link Trust}. */
public final class UntrustedException extends AccessDeniedException {
    private final transient Trust.Flaw flaw;

    UntrustedException(Trust.Flaw flaw) {
        super(flaw.path().toString(), null, flaw.reason());
        this.flaw = flaw;
    }

    /** What is wrong, in one sentence. */
    public String told() {
        return "%s: %s".formatted(flaw.path(), flaw.reason());
    }

    /** The command that fixes it. */
    public String fix() {
        return flaw.fix();
    }
}
