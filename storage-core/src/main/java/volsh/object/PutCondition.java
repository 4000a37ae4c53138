package volsh.object;

/** When an object may be stored. */
public sealed interface PutCondition {
    /** In any case. */
    record Always() implements PutCondition {}

    /** If there is no object of this key. */
    record Absent() implements PutCondition {}

    /** If the object is still in this state. */
    record Matches(String etag) implements PutCondition {}

    PutCondition ALWAYS = new Always();
    PutCondition ABSENT = new Absent();
}
