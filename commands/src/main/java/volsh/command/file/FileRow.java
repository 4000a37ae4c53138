package volsh.command.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import volsh.catalog.VolumePath;
import volsh.command.render.Columns;
import volsh.command.render.Style;
import volsh.fs.Attributes;
import volsh.fs.FileKind;
import volsh.volume.Volume;

/**
 * A file as listings show it. {@code name} is what tells it from its neighbours, {@code path} what other commands take.
 */
record FileRow(String name, String path, Attributes attributes, String owner, String group, Optional<String> target) {
    static final Columns<FileRow> NAMES = Columns.of(FileRow.class).text("name", FileRow::name)
            .styled(FileRow::style);

    /** As {@code ls -l}. */
    static final Columns<FileRow> LONG = Columns.of(FileRow.class)
            .text("mode", FileRow::permissions)
            .number("links", row -> row.attributes().links())
            .text("owner", FileRow::owner)
            .text("group", FileRow::group)
            .bytes("size", row -> row.attributes().size())
            .time("modified", FileRow::modified)
            .text("name", row -> row.target().map(target -> row.name() + " -> " + target).orElse(row.name()))
            .styled(FileRow::style);

    /** Everything, exactly. */
    static final Columns<FileRow> ALL = NAMES
            .text("path", FileRow::path).wide()
            .text("type", row -> Kinds.word(row.attributes().kind()))
            .text("mode", FileRow::permissions)
            .text("permissions", row -> Modes.octal(row.attributes().mode())).wide()
            .number("links", row -> row.attributes().links())
            .text("owner", FileRow::owner)
            .text("group", FileRow::group)
            .number("uid", row -> row.attributes().uid()).wide()
            .number("gid", row -> row.attributes().gid()).wide()
            .bytes("size", row -> row.attributes().size())
            .time("modified", FileRow::modified)
            .number("inode", row -> row.attributes().ino()).wide()
            .text("target", FileRow::target);

    static FileRow of(Volume volume, VolumePath path, String name, Attributes attributes, Accounts accounts)
            throws IOException {
        return new FileRow(
                name, path.toString(), attributes, accounts.user(attributes.uid()), accounts.group(attributes.gid()),
                target(volume, attributes));
    }

    /** Where a symbolic link leads. */
    static Optional<String> target(Volume volume, Attributes attributes) throws IOException {
        return attributes.kind() == FileKind.SYMLINK
                ? Optional.of(new String(volume.vfs().readSymlink(attributes.ino()), StandardCharsets.UTF_8))
                : Optional.empty();
    }

    /** As {@code ls} of the system: directories blue, links cyan, programs green. */
    private Style style() {
        return switch (attributes.kind()) {
            case DIRECTORY -> Style.BLUE;
            case SYMLINK -> Style.CYAN;
            case REGULAR -> (attributes.mode() & 0111) == 0 ? Style.PLAIN : Style.GREEN;
            default -> Style.YELLOW;
        };
    }

    private String permissions() {
        return Modes.text(attributes);
    }

    private Instant modified() {
        return Times.of(attributes.mtime());
    }
}
