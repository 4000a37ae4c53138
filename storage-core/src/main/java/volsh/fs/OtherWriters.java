package volsh.fs;

import java.io.IOException;

/** The other processes that write to a mounted volume. A mount may ask them to wait before they begin. */
public interface OtherWriters {
    /** There may be some at any time, and they wait for no permission. */
    OtherWriters UNKNOWN = new OtherWriters() {
        @Override
        public boolean exclude() {
            return false;
        }

        @Override
        public boolean isWaiting() {
            return false;
        }

        @Override
        public void admit() {}
    };

    /** From now on others wait before they begin to write. False, without effect, if there are some. */
    boolean exclude() throws IOException;

    /** Whether a writer waits. */
    boolean isWaiting() throws IOException;

    /** Others may write again. No effect if they may already. */
    void admit() throws IOException;
}
