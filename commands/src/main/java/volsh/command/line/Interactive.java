package volsh.command.line;

import volsh.command.Session;

/** What the application lends: a prompt that goes on where a script ended, {@code run -i}. */
public interface Interactive {
    /** Runs the script and then what a person types. @return the status to end with */
    int after(Session session, Script script) throws Exception;

    /** Work to be done in a program before its prompt. */
    interface Script {
        /** Nothing to do first. */
        Script NONE = (_, _) -> { };

        void run(Program program, Session session) throws Exception;
    }
}
