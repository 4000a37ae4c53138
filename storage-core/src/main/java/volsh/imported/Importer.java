package volsh.imported;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import volsh.engine.MetaEngine;
import volsh.fs.ImportedBlock;
import volsh.meta.ImportState;
import volsh.meta.ImportedFiles;
import volsh.meta.ImportedFiles.Candidate;
import volsh.meta.ImportedFiles.Outcome;
import volsh.object.ObjectInfo;
import volsh.object.ObjectQuery;
import volsh.object.ObjectStore;
import volsh.vfs.Vfs;

/**
 * Makes files of the objects of a bucket: lists it, page by page, and adds rows, some files in one transaction. Reads
 * no object. Files that are there already are left alone, so it can be repeated; an import that was interrupted goes on
 * behind the last object that is certainly done.
 *
 * <p>Where a key is both an object and the directory of other keys, the directory wins.
 */
public final class Importer {
    private static final int MODE = 0644;

    private final Vfs vfs;
    private final ImportedFiles files;
    private final ImportRecords records;
    private final InstantSource clock;
    private final int blockMax;

    /** Objects are cut into blocks of {@code blockMax} bytes. */
    public Importer(Vfs vfs, ImportedFiles files, MetaEngine engine, InstantSource clock, int blockMax) {
        this.vfs = vfs;
        this.files = files;
        this.records = new ImportRecords(engine, clock);
        this.clock = clock;
        this.blockMax = blockMax;
    }

    /** What is remembered of the imports of this volume. */
    public ImportRecords records() {
        return records;
    }

    /** Imports what the bucket has. */
    public ImportReport run(ImportRequest request, ObjectStore bucket, ImportListener listener) throws IOException {
        return new Run(request, bucket, listener).run();
    }

    private final class Run {
        private final ImportRequest request;
        private final ImportListener listener;
        private final ImportDirectories directories;
        private final ListedPages pages;
        private final KeySet seen = new KeySet();
        private final List<Candidate> batch = new ArrayList<>();
        private ImportRecord record;
        private String last = "";
        private ImportReport report = ImportReport.NOTHING;

        Run(ImportRequest request, ObjectStore bucket, ImportListener listener) throws IOException {
            this.request = request;
            this.listener = listener;
            this.directories = new ImportDirectories(vfs, files, request);
            this.record = begin();
            if (request.refresh() && !record.after().isEmpty()) {
                record = record.after("");   // what is gone is only known at the end of a whole listing
            }
            this.pages = new ListedPages(bucket, ObjectQuery.all("").following(record.after()));
        }

        private ImportRecord begin() throws IOException {
            var known = records.find(request.url(), request.directory());
            return request.dry() ? known.orElseGet(() -> new ImportRecord(Integer.MAX_VALUE, request.url(),
                    request.directory(), clock.instant(), Optional.empty(), "")).after("")
                    : records.begin(request.url(), request.directory());
        }

        ImportReport run() throws IOException {
            report = report.resumedAfter(record.after());
            try (pages) {
                for (var page = pages.next(); page.isPresent(); page = pages.next()) {
                    report = report.listed(page.get().objects().size());
                    for (var object : page.get().objects()) {
                        if (listener.stopped()) {
                            return counted();   // what is in the batch comes again
                        }
                        take(object);
                    }
                    listener.advanced(page.get().objects().size());
                }
            }
            flush();
            if (request.refresh()) {
                var sweep = new ImportSweep(vfs, files, record.number(), seen, request.dry(), listener);
                if (request.directory() != ImportDirectories.NOT_MADE && !sweep.run(request.directory())) {
                    return counted();
                }
                for (long i = 0; i < sweep.removed(); i++) {
                    report = report.plusRemoved();
                }
            }
            if (!request.dry()) {
                vfs.sync();
                records.set(record.finished(clock.instant()));
                vfs.sync();
            }
            return counted().completed();
        }

        private ImportReport counted() {
            var result = report;
            for (long i = 0; i < directories.made(); i++) {
                result = result.plusDirectory();
            }
            return result;
        }

        private void take(ObjectInfo object) throws IOException {
            if (request.refresh()) {
                seen.add(object.key());
            }
            var parsed = ObjectPath.of(object.key());
            if (parsed.path().isEmpty()) {
                refuse(object.key(), parsed.refused());
            } else if (parsed.path().get().name() == null) {
                marker(object, parsed.path().get());
            } else if (object.etag().isEmpty() || object.etag().length() > ImportedBlock.ETAG_MAX) {
                refuse(object.key(), "the server gives it no ETag: nothing would tell when it changes");
            } else {
                add(object, parsed.path().get());
            }
        }

        private void refuse(String key, String why) {
            report = report.plusRefused();
            listener.problem(key, why);
        }

        private void marker(ObjectInfo object, ObjectPath path) throws IOException {
            if (object.size() > 0) {
                refuse(object.key(), "it ends with a slash and has bytes: neither a file nor a directory");
            } else if (directory(path).isEmpty()) {
                refuse(object.key(), "a file has the name of one of its directories");
            } else {
                report = report.plus(Outcome.PRESENT, 0);
            }
        }

        private Optional<Long> directory(ObjectPath path) throws IOException {
            return directories.find(path.directories(), this::giveWay);
        }

        /** A file that this import made of the key gives way; it may still be in the batch. */
        private boolean giveWay(String key, ImportState file) {
            if (!file.isOfKey(record.number(), key)) {
                return false;
            }
            report = report.displaced(file.key() == null ? 0 : file.key().size());
            listener.problem(key, "other keys are below it: its name is that of a directory");
            return true;
        }

        private void add(ObjectInfo object, ObjectPath path) throws IOException {
            if (isBelowBatch(object.key())) {
                flush();
            }
            var parent = directory(path);
            if (parent.isEmpty()) {
                refuse(object.key(), "a file has the name of one of its directories");
                return;
            }
            long time = Duration.between(Instant.EPOCH, object.modified()).toNanos();
            Optional<ImportedBlock> part = object.size() == 0 ? Optional.empty() : Optional.of(new ImportedBlock(
                    record.number(), 0, object.size(), object.etag(), object.key()));
            var candidate = new Candidate(parent.get(), Objects.requireNonNull(path.name()), MODE,
                    request.owner(), time, record.number(), object.key(), part);
            if (request.dry()) {
                count(candidate, parent.get() == ImportDirectories.NOT_MADE ? Outcome.CREATED
                        : files.outcome(candidate, request.refresh()));
                return;
            }
            batch.add(candidate);
            last = object.key();
            if (batch.size() == ImportedFiles.FILES_MAX) {
                flush();
            }
        }

        /** Whether an object of the batch has the name of a directory of this key. */
        private boolean isBelowBatch(String key) {
            return batch.stream().anyMatch(each -> key.startsWith(each.key()) && key.length() > each.key().length()
                    && key.charAt(each.key().length()) == '/');
        }

        /** Makes the files of the batch, and records what was done before it. */
        private void flush() throws IOException {
            if (batch.isEmpty()) {
                return;
            }
            var outcomes = files.adoptAll(batch, blockMax, request.refresh(),
                    Optional.of(ImportRecords.marker(record)));
            for (int i = 0; i < batch.size(); i++) {
                var each = batch.get(i);
                count(each, outcomes.get(i) == Outcome.LATER ? files.adopt(each, blockMax, request.refresh())
                        : outcomes.get(i));
            }
            batch.clear();
            record = request.refresh() ? record : record.after(last);
        }

        private void count(Candidate candidate, Outcome outcome) {
            switch (outcome) {
                case TAKEN -> refuse(candidate.key(),
                        "a file of this name is in the volume, which is not this object or was written to");
                case DIRECTORY -> refuse(candidate.key(), "its name is that of a directory");
                case GONE -> refuse(candidate.key(), "its directory was removed meanwhile");
                case CHANGED -> {
                    report = report.plus(outcome, candidate.size());
                    listener.problem(candidate.key(), "it changed in the bucket since it was imported");
                }
                case CREATED, PRESENT, REPLACED, LATER -> report = report.plus(outcome, candidate.size());
            }
        }
    }
}
