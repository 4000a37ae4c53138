package volsh.command.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import volsh.catalog.VolumePath;
import volsh.command.object.EntryList;
import volsh.command.render.Columns;
import volsh.command.render.Style;
import volsh.fs.Attributes;
import volsh.fs.FileKind;
import volsh.volume.Volume;

/**
 * A file as listings show it. {@code name} is what tells it from its neighbours, {@code path} what other commands take.
 */
record FileRow(String name, String path, Attributes attributes, String owner, String group, Optional<String> target,
        Optional<String> etag) {
    static final Columns<FileRow> NAMES = Columns.of(FileRow.class).text("name", FileRow::name)
            .styled(FileRow::style);

    /** As {@code ls -l}. */
    static final Columns<FileRow> LONG = Columns.of(FileRow.class)
            .text("mode", FileRow::permissions)
            .number("links", row -> row.posix(row.attributes().links()))
            .text("owner", FileRow::owner)
            .text("group", FileRow::group)
            .bytes("size", row -> row.attributes().size())
            .time("modified", FileRow::modified)
            .text("name", row -> row.target().map(target -> row.name() + " -> " + target).orElse(row.name()))
            .styled(FileRow::style);

    /** What objects have of that. */
    static final Columns<FileRow> OBJECTS = Columns.of(FileRow.class)
            .bytes("size", row -> row.attributes().size())
            .time("modified", FileRow::modified)
            .text("name", FileRow::name)
            .styled(FileRow::style);

    /** Everything, exactly. */
    static final Columns<FileRow> ALL = NAMES
            .text("path", FileRow::path).wide()
            .text("type", row -> Kinds.word(row.attributes().kind()))
            .text("mode", FileRow::permissions)
            .text("permissions", row -> row.isObject() ? "" : Modes.octal(row.attributes().mode())).wide()
            .number("links", row -> row.posix(row.attributes().links()))
            .text("owner", FileRow::owner)
            .text("group", FileRow::group)
            .number("uid", row -> row.posix(row.attributes().uid())).wide()
            .number("gid", row -> row.posix(row.attributes().gid())).wide()
            .bytes("size", row -> row.attributes().size())
            .time("modified", FileRow::modified)
            .number("inode", row -> row.posix(row.attributes().ino())).wide()
            .text("target", FileRow::target)
            .text("etag", FileRow::etag).wide();

    static FileRow of(Volume volume, VolumePath path, String name, Attributes attributes, Accounts accounts)
            throws IOException {
        return new FileRow(
                name, path.toString(), attributes, accounts.user(attributes.uid()), accounts.group(attributes.gid()),
                target(volume, attributes), Optional.empty());
    }

    /** An entry of any place. Objects have no inode, mode, owner, group and links. */
    static FileRow of(EntryList.Listed listed, Accounts accounts) throws IOException {
        var entry = listed.entry();
        var file = entry.attributes();
        return new FileRow(
                listed.shown() + (entry.isObject() && entry.isDirectory() && !listed.shown().endsWith("/") ? "/" : ""),
                listed.path(), file, entry.isObject() ? "" : accounts.user(file.uid()),
                entry.isObject() ? "" : accounts.group(file.gid()), listed.target(),
                Optional.of(entry.etag()).filter(tag -> !tag.isEmpty()));
    }

    private boolean isObject() {
        return attributes.ino() == 0;
    }

    private @Nullable Long posix(long value) {
        return isObject() ? null : value;
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
        return isObject() ? "" : Modes.text(attributes);
    }

    private @Nullable Instant modified() {
        return isObject() && attributes.mtime() == 0 ? null : Times.of(attributes.mtime());
    }
}
