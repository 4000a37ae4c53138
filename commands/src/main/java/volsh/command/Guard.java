package volsh.command;

/** The confirmation that a change needs which is hard to undo. */
public sealed interface Guard {
    /** No confirmation. */
    Guard NONE = new None();

    record None() implements Guard {}

    /** A question answered with y; {@code -y} answers it beforehand. */
    record Ask(String question) implements Guard {}

    /** The name must be typed, or given with {@code --confirm}; {@code -y} is not enough. */
    record TypeName(String question, String name) implements Guard {}

    /** No question, because nothing is lost this time; but {@code --confirm}, if given, must have this name. */
    record NameIfGiven(String name) implements Guard {}
}
