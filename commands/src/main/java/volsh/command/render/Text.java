package volsh.command.render;

/** A result that is a document, such as a manual page: printed as it is, or as one field in machine formats. */
public record Text(String text) {}
