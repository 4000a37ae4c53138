package volsh.command.volume;

/** A setting that is on or off. */
enum Switch {
    ON,
    OFF;

    boolean isOn() {
        return this == ON;
    }

    static Switch of(boolean on) {
        return on ? ON : OFF;
    }

    /** @throws IllegalArgumentException unless it is on or off */
    static Switch of(String text) {
        return switch (text) {
            case "on" -> ON;
            case "off" -> OFF;
            default -> throw new IllegalArgumentException("'%s' is neither on nor off (try on)".formatted(text));
        };
    }

    @Override
    public String toString() {
        return this == ON ? "on" : "off";
    }
}
