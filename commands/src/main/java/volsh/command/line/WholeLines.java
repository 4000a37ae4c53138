package volsh.command.line;

import java.io.IOException;
import java.io.OutputStream;
import volsh.command.Session;

/** The jobs of a script speak where the script does. */
record WholeLines(Session session) implements Outlet {
    @Override
    public void write(byte[] lines, boolean error) {
        OutputStream target = error ? session.host().err() : session.out();
        try {
            synchronized (this) {
                target.write(lines);
                target.flush();
            }
        } catch (IOException nobodyListens) {
            // The script itself will hear of it when it writes.
        }
    }

    @Override
    public void tell(String message) {
        session.say(message);
    }
}
