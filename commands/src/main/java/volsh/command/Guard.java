package volsh.command;

/** What stands between a user and a change that is hard to take back. */
public sealed interface Guard {
    /** Nothing: just do it. */
    Guard NONE = new None();

    record None() implements Guard {}

    /** A question answered with y; {@code -y} answers it beforehand. */
    record Ask(String question) implements Guard {}

    /** The name must be typed, or given with {@code --confirm}; {@code -y} is not enough. */
    record TypeName(String question, String name) implements Guard {}

    /** Nothing is asked, as nothing is lost this time; but {@code --confirm}, if it is given, has to be this name. */
    record NameIfGiven(String name) implements Guard {}
}
