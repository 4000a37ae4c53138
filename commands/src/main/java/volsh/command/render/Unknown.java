package volsh.command.render;

/** A value that could not be found out: {@code ?} for people, null for programs. */
public enum Unknown {
    VALUE
}
