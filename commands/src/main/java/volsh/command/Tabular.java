package volsh.command;

import volsh.command.render.Columns;

/** A command that knows its columns before it runs, so that they can be completed and checked. */
public interface Tabular {
    /** The columns of the result, with the options as they are set. */
    Columns<?> columns();
}
