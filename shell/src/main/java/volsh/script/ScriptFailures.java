package volsh.script;

/** Throws what a script threw, whatever it is: Groovy knows no checked exceptions. */
final class ScriptFailures {
    private ScriptFailures() {}

    static RuntimeException sneaky(Throwable failure) {
        return ScriptFailures.<RuntimeException>thrown(failure);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the cast is not checked at run time, and that is the point
    private static <T extends Throwable> T thrown(Throwable failure) throws T {
        throw (T) failure;
    }
}
