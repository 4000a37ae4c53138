package volsh.command.quota;

import java.util.Locale;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.Access;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.fs.ShellWord;
import volsh.quota.QuotaRule;
import volsh.unit.ByteSize;
import volsh.volume.Volumes;

@Command(name = "set", description = {
        "Limit the bytes and inodes that a volume, a directory, a user or a group may hold.",
        "Bytes count as files show them, not as they are stored. A directory is limited with everything below it;"
                + " existing files are counted first, while the volume stays in use. Above the limit, existing data"
                + " stays and cannot grow: EDQUOT. Files cannot be renamed or linked into a directory with a quota or"
                + " out of it (EXDEV), as between file systems; mv of the system copies them then.",
        "Users and groups are limited in the whole volume, by the owner of the files; the first such quota counts all"
                + " files for their owners."})
@Examples({"volsh quota set training-data 10TiB", "volsh quota set training-data:/users/u1001 2TiB --inodes 1000000",
        "volsh quota set training-data --user 1001 2TiB --inodes 1M",
        "volsh quota set training-data --group 2000 20TiB", "volsh quota set training-data --inodes 5000000"})
final class QuotaSet implements Mutation<Rows<QuotaRow>> {
    private static final Pattern COUNT = Pattern.compile("(\\d{1,9})([KkMmGg]?)");

    @Parameters(index = "0", paramLabel = "VOLUME[:PATH]",
            description = "Object to limit: VOLUME, or VOLUME:/directory.")
    private String what;

    @Parameters(index = "1", paramLabel = "SIZE", arity = "0..1", description = "Limit in bytes.")
    private ByteSize size;

    @Option(names = "--inodes", paramLabel = "N",
            description = "Limit the number of files, directories and links: 500000, or 500K, 1M, 2G.")
    private String inodes;

    @Mixin
    private OwnerOptions owner;

    @Override
    public Columns<?> columns() {
        return QuotaRow.COLUMNS;
    }

    private void requireSense() {
        if (size == null && inodes == null) {
            throw CommandFailure.usage("missing limit: give SIZE, --inodes or both")
                    .hint("volsh quota set %s 2TiB".formatted(ShellWord.of(what)));
        }
        if (size != null && size.bytes() == 0 || count() == 0) {
            throw CommandFailure.usage("a quota must be more than 0")
                    .hint("for no limit: volsh quota remove " + Limited.of(what, owner).words());
        }
    }

    private void requireSize(Session session, Limited limited) throws Exception {
        if (size != null && limited.path().isEmpty() && limited.owner().isEmpty()) {
            TinyQuota.refuse(size, session.service(Volumes.class).find(limited.volume()).blockSize());
        } else if (size != null) {
            TinyQuota.refuse(size);
        }
    }

    private long bytes() {
        return size == null ? QuotaRule.NONE : size.bytes();
    }

    private long count() {
        if (inodes == null) {
            return QuotaRule.NONE;
        }
        var found = COUNT.matcher(inodes);
        if (!found.matches()) {
            throw CommandFailure.usage("'%s' is not a number of inodes (try 500000, 500K or 1M)".formatted(inodes));
        }
        return Long.parseLong(found.group(1)) * switch (found.group(2).toUpperCase(Locale.ROOT)) {
            case "K" -> 1_000L;
            case "M" -> 1_000_000L;
            case "G" -> 1_000_000_000L;
            default -> 1L;
        };
    }

    @Override
    public Plan plan(Session session) throws Exception {
        requireSense();
        var limited = Limited.of(what, owner);
        try (var open = session.service(Volumes.class).open(limited.volume(), Access.READ, "quota")) {
            limited.directory(open);
        }
        requireSize(session, limited);
        return Plan.of("limit", limited.toString(),
                (size == null ? "" : size + " ") + (inodes == null ? "" : count() + " inodes"));
    }

    @Override
    public Rows<QuotaRow> run(Session session) throws Exception {
        requireSense();
        var limited = Limited.of(what, owner);
        requireSize(session, limited);
        try (var open = session.service(Volumes.class).open(limited.volume(), Access.WRITE, "quota");
                var progress = session.progressOfItems("count", -1)) {
            limited.set(open, bytes(), count(), counted -> {
                session.cancellation().check();
                progress.add(counted);
            });
            var row = limited.row(limited.status(open).orElseThrow());
            session.say("limited %s to %s; used: %s in %d inodes".formatted(limited, row.limits(),
                    new ByteSize(row.usedBytes()), row.usedInodes()));
            return Rows.one(QuotaRow.COLUMNS, row).told();
        }
    }
}
