package volsh.command.line;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import volsh.command.run.CommandTree;

/**
 * Names for beginnings of command lines. A name is replaced by its text where a command begins, and nowhere else; an
 * alias inside an alias is replaced too, but never inside itself. The program's own name is left out there: what hints
 * and manuals print for a system shell can be pasted as it is. Thread-safe.
 */
public final class Aliases {
    private static final Set<String> BEFORE_A_COMMAND = Set.of(";", "&&", "||", "&");

    private final Map<String, String> texts = new TreeMap<>();

    public synchronized void put(String name, String text) {
        texts.put(name, text);
    }

    public synchronized boolean remove(String name) {
        return texts.remove(name) != null;
    }

    public synchronized Optional<String> text(String name) {
        return Optional.ofNullable(texts.get(name));
    }

    public boolean contains(String name) {
        return text(name).isPresent();
    }

    public synchronized Map<String, String> all() {
        return new TreeMap<>(texts);
    }

    /** The line with its aliases replaced. */
    public String expand(String line) {
        return all().isEmpty() && !line.contains(CommandTree.PROGRAM) ? line : expand(line, Set.of());
    }

    private Optional<String> meaning(String name) {
        return name.equals(CommandTree.PROGRAM) ? Optional.of("") : text(name);
    }

    private String expand(String line, Set<String> within) {
        var longer = new StringBuilder();
        int copied = 0;
        boolean begins = true;
        for (Token token : Lexer.tokens(line)) {
            String name = line.substring(token.start(), token.end());
            Optional<String> text = begins && token instanceof Word ? meaning(name) : Optional.empty();
            if (text.isPresent() && !within.contains(name)) {
                var inner = new TreeSet<>(within);
                inner.add(name);
                longer.append(line, copied, token.start()).append(expand(text.get(), inner));
                copied = name.equals(CommandTree.PROGRAM) ? Math.min(token.end() + 1, line.length()) : token.end();
            }
            begins = begins && name.equals(CommandTree.PROGRAM)
                    || token instanceof Token.Operator operator && BEFORE_A_COMMAND.contains(operator.sign());
        }
        return longer.append(line.substring(copied)).toString();
    }
}
