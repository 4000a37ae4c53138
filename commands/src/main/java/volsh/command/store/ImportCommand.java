package volsh.command.store;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.block.StoreUrl;
import volsh.catalog.VolumePath;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Outcome;
import volsh.command.Plan;
import volsh.command.RelativePaths;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.fs.Owner;
import volsh.fs.ShellWord;
import volsh.imported.ImportListener;
import volsh.imported.ImportReport;
import volsh.unit.ByteSize;
import volsh.unit.Count;
import volsh.volume.ImportControl;
import volsh.volume.Volumes;

@Command(name = "import", description = {"Make objects of a bucket files of a volume, without moving a byte.",
        "The source is s3://bucket/prefix, the name of a store (or NAME://prefix), or a directory, file:///dir; the"
                + " target is a directory of a volume, which is made if its parent exists. Only the listing of the"
                + " bucket is read. Files point at the objects: reading one reads its object, and is an error once the"
                + " object is another one than at the import (its ETag tells). Writing to a file copies what is"
                + " written into the volume; the bucket never changes, whatever becomes of files or the volume.",
        "Repeat the command to continue after an interruption, and to add what is new. --refresh makes the files of all"
                + " imports into a directory follow their buckets: files of changed objects are replaced, files of"
                + " deleted ones removed; files that were written to stay.",
        "Objects that cannot be files are reported, and the exit code is 10: keys with an empty part (a//b), with . or"
                + " .. or control characters, with a part of more than 255 bytes; keys that end with a slash and have"
                + " bytes; a key that is also the directory of others; names that the volume has otherwise. Credentials"
                + " come from where those of stores come from (see 'volsh store add --help') and are not stored."})
@Examples({"volsh import s3://training/lake training-data:/lake", "volsh import lake training-data:/lake -n",
        "volsh import --refresh training-data:/lake", "volsh import --list training-data",
        "volsh import s3://training/lake training-data:/rack --endpoint http://127.0.0.1:9000 --report skipped.jsonl"})
final class ImportCommand implements Mutation<Outcome<Rows<ImportCommand.Row>>>, RelativePaths {
    @Parameters(paramLabel = "URL|VOL:/PATH", arity = "1..2",
            description = "Source and target; with --refresh or --list only the target.")
    private List<String> operands;

    @Option(names = "--refresh", description = "Follow what changed, appeared and vanished in the bucket.")
    private boolean refresh;

    @Option(names = "--list", description = "List the imports of a volume.")
    private boolean list;

    @Option(names = "--report", paramLabel = "FILE",
            description = "Write each object that is no file, with the reason, as a line of JSON.")
    private Optional<Path> problems = Optional.empty();

    @Mixin
    private S3Flags s3;

    /** An import, and what it did. */
    record Row(String source, String target, ImportReport report, Duration took, Optional<Instant> finished) {}

    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("source", Row::source)
            .text("target", Row::target)
            .number("objects", row -> row.report().objects())
            .number("imported", row -> row.report().files())
            .bytes("size", row -> new ByteSize(row.report().bytes()))
            .number("present", row -> row.report().present())
            .number("replaced", row -> row.report().replaced())
            .number("removed", row -> row.report().removed())
            .number("changed", row -> row.report().changed())
            .number("skipped", row -> row.report().refused())
            .number("directories", row -> row.report().directories())
            .number("requests", row -> row.report().lists())
            .bytes("read", _ -> new ByteSize(0))
            .number("seconds", row -> row.took().toMillis() / 1000.0)
            .text("complete", row -> row.report().complete());

    private static final Columns<Row> LISTED = Columns.of(Row.class)
            .text("source", Row::source)
            .text("target", Row::target)
            .text("complete", row -> row.finished().isPresent())
            .time("finished", row -> row.finished().orElse(null));

    @Override
    public Columns<?> columns() {
        return list ? LISTED : COLUMNS;
    }

    @Override
    public boolean inVolume(int index, int count, Predicate<String> given) {
        return index == count - 1;
    }

    private void requireOperands() {
        if (list && refresh) {
            throw CommandFailure.usage("--list and --refresh exclude each other");
        }
        if ((list || refresh) != (operands.size() == 1)) {
            if (!list && !refresh && isTarget(operands.getFirst())) {
                throw CommandFailure.usage("the source is missing: a bucket, and a prefix in it")
                        .hint("volsh import s3://bucket/prefix %s --dry-run".formatted(
                                ShellWord.of(operands.getFirst())));
            }
            throw CommandFailure.usage(list || refresh ? "--%s takes a target only".formatted(list ? "list" : "refresh")
                    : "the target is missing")
                    .hint("volsh import " + ShellWord.of(operands.getFirst()) + " training-data:/lake");
        }
        if (list || refresh) {
            s3.requireNone();
        }
    }

    private static boolean isTarget(String word) {
        return !word.contains("://") && VolumePath.isOne(word);
    }

    private VolumePath target() {
        String word = operands.getLast();
        if (list && !word.contains(":")) {
            return VolumePath.whole(word).present();
        }
        if (word.contains("://") || word.startsWith("/") || word.startsWith(".")) {
            throw CommandFailure.usage("'%s' is not a directory of a volume (the target comes last, as volume:/path)"
                    .formatted(word)).hint("volsh volume list");
        }
        return VolumePath.of(word).present();
    }

    private StoreUrl source(ImportControl imports) throws IOException {
        String word = operands.getFirst();
        int colon = word.indexOf("://");
        String scheme = colon < 0 ? word : word.substring(0, colon);
        if (scheme.equals("s3") || scheme.equals("file")) {
            return s3.of(StoreUrl.of(word));
        }
        var url = imports.store(scheme);
        if (url.scheme() == StoreUrl.Scheme.MEM) {
            throw CommandFailure.usage("store '%s' is in memory: it has nothing to import".formatted(scheme));
        }
        String below = colon < 0 ? "" : word.substring(colon + "://".length()).replaceAll("^/+|/+$", "");
        return s3.of(below.isEmpty() ? url : new StoreUrl(url.scheme(), url.path() + "/" + below, url.options()));
    }

    @Override
    public Plan plan(Session session) throws Exception {
        requireOperands();
        if (list) {
            return Plan.NOTHING;
        }
        try (var watch = new ImportWatch(session, problems)) {
            var rows = imported(session, watch, true);
            var plan = Plan.NOTHING;
            for (var row : rows) {
                plan = row.report().files() + row.report().replaced() + row.report().removed() == 0 ? plan
                        : plan.then("import", row.source() + " into " + row.target(), words(row.report()));
            }
            return plan;
        }
    }

    private static String words(ImportReport report) {
        var text = new StringBuilder("%s (%s)".formatted(
                Count.of(report.files() + report.replaced(), "object"), new ByteSize(report.bytes())));
        append(text, report.present(), "present");
        append(text, report.replaced(), "replaced");
        append(text, report.removed(), "removed");
        append(text, report.changed(), "changed since the import");
        append(text, report.refused(), "skipped");
        return text.toString();
    }

    private static void append(StringBuilder text, long count, String what) {
        if (count > 0) {
            text.append(", %,d %s".formatted(count, what));
        }
    }

    private List<Row> imported(Session session, ImportListener listener, boolean dry) throws Exception {
        var imports = session.service(Volumes.class).imports();
        var owner = session.service(Owner.class);
        var target = target();
        long began = System.nanoTime();
        if (refresh) {
            return imports.refresh(target, owner, dry, listener).stream()
                    .map(each -> row(each.record().url(), target, each.report(), began)).toList();
        }
        var url = source(imports);
        return List.of(row(url, target, imports.run(target, url, owner, dry, listener), began));
    }

    private static Row row(StoreUrl url, VolumePath target, ImportReport report, long began) {
        return new Row(url.toString(), target.toString(), report, Duration.ofNanos(System.nanoTime() - began),
                Optional.empty());
    }

    @Override
    public Outcome<Rows<Row>> run(Session session) throws Exception {
        requireOperands();
        if (list) {
            return new Outcome<>(Rows.of(LISTED, listed(session)), ExitCode.OK);
        }
        List<Row> rows;
        try (var watch = new ImportWatch(session, problems)) {
            rows = imported(session, watch, false);
            watch.end();
        }
        for (var row : rows) {
            tell(session, row);
        }
        session.cancellation().check();
        boolean all = rows.stream().allMatch(row -> row.report().refused() + row.report().changed() == 0);
        return new Outcome<>(Rows.of(COLUMNS, rows).told(), all ? ExitCode.OK : ExitCode.PARTIAL);
    }

    private static void tell(Session session, Row row) {
        row.report().resumed().ifPresent(key -> session.say("continued after an interruption, behind the object '%s'"
                .formatted(ImportWatch.printable(key))));
        session.say("%s %s into %s in %.1f s: %s, 0 B read".formatted(
                row.report().complete() ? "imported" : "stopped after", words(row.report()), row.target(),
                row.took().toMillis() / 1000.0, Count.of(row.report().lists(), "request")));
        if (row.report().changed() > 0) {
            session.say("to follow what changed: volsh import --refresh " + row.target());
        }
        if (!row.report().complete()) {
            session.say("repeat the command to continue");
        }
    }

    private List<Row> listed(Session session) throws Exception {
        var target = target();
        return session.service(Volumes.class).imports().list(target.volume()).stream()
                .map(each -> new Row(each.record().url().toString(),
                        each.path().isEmpty() ? "(removed)" : target.at(each.path()).toString(),
                        ImportReport.NOTHING, Duration.ZERO, each.record().finished()))
                .toList();
    }
}
