package volsh.command.render;

/** The few styles we use, as terminal codes. */
public enum Style {
    BOLD("1"), RED("31;1"), YELLOW("33"), GREEN("32"), DIM("2");

    private final String code;

    Style(String code) {
        this.code = code;
    }

    /** The text in this style, or unchanged when colour is not allowed. */
    public String on(String text, boolean allowed) {
        return allowed && !text.isEmpty() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
    }
}
