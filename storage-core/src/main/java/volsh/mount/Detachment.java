package volsh.mount;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;

/** Leaves the terminal's session, so that its Ctrl-C and its end do not reach this process. */
public final class Detachment {
    private Detachment() {}

    @SuppressWarnings("restricted")   // setsid takes and touches no memory
    public static void leaveSession() {
        var linker = Linker.nativeLinker();
        var setsid = linker.downcallHandle(linker.defaultLookup().findOrThrow("setsid"),
                FunctionDescriptor.of(ValueLayout.JAVA_INT));
        try {
            int session = (int) setsid.invokeExact();
            assert session != 0;
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
