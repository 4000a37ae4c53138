package volsh.script;

/** A remark on a failure, suppressed in it: shown below the error if nothing catches that. */
final class Note extends Exception {
    private static final long serialVersionUID = 1;

    Note(String text) {
        super(text, null, false, false);
    }
}
