package volsh.script;

import groovy.lang.Closure;
import groovy.lang.GroovyObjectSupport;
import groovy.lang.MissingPropertyException;
import groovy.lang.Script;
import org.codehaus.groovy.runtime.InvokerHelper;
import volsh.command.line.Program;
import volsh.command.render.Row;

/**
 * The names in a block of a pipe: columns of the row first, then variables and words of the session, then columns that
 * have to be looked up. So {@code { store == 'lake' }} is about the column, although {@code store} is also a command.
 */
public final class RowScope extends GroovyObjectSupport {
    private final Object item;
    private final Script script;

    private RowScope(Object item, Script script) {
        this.item = item;
        this.script = script;
    }

    /** What the block answers for an item. */
    static Object call(Closure<?> block, Object item) {
        var own = (Closure<?>) block.clone();
        own.setDelegate(new RowScope(item, (Script) block.getThisObject()));
        own.setResolveStrategy(Closure.DELEGATE_FIRST);
        return own.call(item);
    }

    @Override
    public Object getProperty(String name) {
        if (item instanceof Row row && row.has(name)) {
            return row.get(name);
        }
        if (script.getBinding().hasVariable(name) || Program.WORDS.contains(name)) {
            return script.getProperty(name);
        }
        return item instanceof Row row ? lookedUp(row, name) : ofItem(name);
    }

    /** A name that is no column may still be a word; if it is neither, a column was meant. */
    private Object lookedUp(Row row, String name) {
        try {
            return row.get(name);
        } catch (IllegalArgumentException unknown) {
            try {
                return script.getProperty(name);
            } catch (MissingPropertyException neither) {
                throw unknown;
            }
        }
    }

    private Object ofItem(String name) {
        try {
            return script.getProperty(name);
        } catch (MissingPropertyException missing) {
            try {
                return item == null ? null : InvokerHelper.getProperty(item, name);
            } catch (MissingPropertyException neither) {
                throw missing;
            }
        }
    }

    @Override
    public void setProperty(String name, Object value) {
        script.setProperty(name, value);
    }
}
