package volsh.script;

/** Throws what a script threw, whatever it is: Groovy knows no checked exceptions. */
final class ScriptFailures {
    private ScriptFailures() {}

    static RuntimeException sneaky(Throwable failure) {
        return ScriptFailures.<RuntimeException>thrown(failure);
    }

    // the cast is not checked at run time, and that is the point
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T extends Throwable> T thrown(Throwable failure) throws T {
        throw (T) failure;
    }
}
