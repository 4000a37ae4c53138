package volsh.command.render;

/** The few styles we use, as terminal codes. */
public enum Style {
    PLAIN(""), BOLD("1"), RED("31;1"), YELLOW("33"), GREEN("32"), BLUE("34;1"), CYAN("36"), DIM("2");

    private final String code;

    Style(String code) {
        this.code = code;
    }

    /** The text in this style, or unchanged when colour is not allowed. */
    public String on(String text, boolean allowed) {
        return allowed && this != PLAIN && !text.isEmpty() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
    }
}
