package volsh.command.quota;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.meta.QuotaRule;
import volsh.unit.ByteSize;
import volsh.volume.Access;
import volsh.volume.Volumes;

@Command(name = "set", description = {"Limit how many bytes and inodes a volume or a directory may hold.",
        "Bytes count as files show them, not as they are stored. A directory is limited with all below it; what is there is counted first, while"
                + " others may use it. Who is over the limit keeps what is there and cannot grow: EDQUOT. Files cannot be renamed or linked into a"
                + " directory with a quota or out of it (EXDEV), as between file systems; mv of the system copies them then."})
@Examples({"volsh quota set training-data 10TiB", "volsh quota set training-data:/users/u1001 2TiB --inodes 1000000", "volsh quota set training-data --inodes 5000000"})
final class QuotaSet implements Mutation<Rows<QuotaRow>> {
    @Parameters(index = "0", paramLabel = "VOLUME[:PATH]", description = "What is limited: VOLUME, or VOLUME:/directory.")
    private String what;

    @Parameters(index = "1", paramLabel = "SIZE", arity = "0..1", description = "So many bytes at most.")
    private ByteSize size;

    @Option(names = "--inodes", paramLabel = "N", description = "So many files, directories and links at most.")
    private Long inodes;

    @Override
    public Columns<?> columns() {
        return QuotaRow.COLUMNS;
    }

    private void requireSense() {
        if (size == null && inodes == null) {
            throw CommandFailure.usage("nothing to limit: give a SIZE, or --inodes, or both").hint("volsh quota set %s 2TiB".formatted(what));
        }
        if (inodes != null && inodes < 0) {
            throw CommandFailure.usage("--inodes cannot be negative");
        }
    }

    private long bytes() {
        return size == null ? QuotaRule.NONE : size.bytes();
    }

    private long count() {
        return inodes == null ? QuotaRule.NONE : inodes;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        requireSense();
        var limited = Limited.of(what);
        try (var open = session.service(Volumes.class).open(limited.volume(), Access.READ, "quota")) {
            limited.directory(open);
        }
        return Plan.of("limit", limited.toString(), (size == null ? "" : size + " ") + (inodes == null ? "" : inodes + " inodes"));
    }

    @Override
    public Rows<QuotaRow> run(Session session) throws Exception {
        requireSense();
        var limited = Limited.of(what);
        try (var open = session.service(Volumes.class).open(limited.volume(), Access.WRITE, "quota");
                var progress = session.progressOfItems("count", -1)) {
            var directory = limited.directory(open);
            if (directory.isEmpty()) {
                open.quotas().set(bytes(), count());
            } else {
                open.quotas().set(directory.get(), bytes(), count(), counted -> {
                    session.cancellation().check();
                    progress.add(counted);
                });
            }
            var row = QuotaRow.of(limited.toString(), limited.status(open).orElseThrow());
            session.say("limited %s to %s; %s in %d inodes are used".formatted(limited, row.limits(), new ByteSize(row.usedBytes()), row.usedInodes()));
            return Rows.one(QuotaRow.COLUMNS, row).told();
        }
    }
}
