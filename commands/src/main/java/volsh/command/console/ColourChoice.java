package volsh.command.console;

import java.util.Map;

/** The values of {@code --color}. */
public enum ColourChoice {
    AUTO, ALWAYS, NEVER;

    /**
     * Whether a stream may be coloured. The option wins; then {@code NO_COLOR}, {@code FORCE_COLOR} and
     * {@code CLICOLOR_FORCE}, {@code CLICOLOR=0} and {@code TERM=dumb} in this order; else a terminal may.
     */
    public boolean allows(boolean terminal, Map<String, String> environment) {
        return switch (this) {
            case ALWAYS -> true;
            case NEVER -> false;
            case AUTO -> automatic(terminal, environment);
        };
    }

    private static boolean automatic(boolean terminal, Map<String, String> environment) {
        if (set(environment, "NO_COLOR")) {
            return false;
        }
        if (on(environment, "FORCE_COLOR") || on(environment, "CLICOLOR_FORCE")) {
            return true;
        }
        boolean refused = "0".equals(environment.get("CLICOLOR")) || "dumb".equals(environment.get("TERM"));
        return terminal && !refused;
    }

    private static boolean set(Map<String, String> environment, String name) {
        return !environment.getOrDefault(name, "").isEmpty();
    }

    private static boolean on(Map<String, String> environment, String name) {
        return set(environment, name) && !"0".equals(environment.get(name));
    }
}
