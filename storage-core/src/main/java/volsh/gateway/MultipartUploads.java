package volsh.gateway;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import volsh.fs.Attributes;
import volsh.fs.DirectoryEntry;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.json.Json;
import volsh.vfs.Vfs;

/**
 * Uploads in parts. The parts are files in the directory {@value #DIRECTORY} of the volume, so an upload survives a
 * restart of the gateway; completing one joins their blocks without copying them.
 */
final class MultipartUploads {
    static final String DIRECTORY = ".volsh-uploads";
    static final int PARTS_MAX = 10_000;
    private static final byte[] ATTRIBUTE = "user.volsh.s3-upload".getBytes(StandardCharsets.US_ASCII);
    private static final int PAGE = 1000;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Bucket bucket;
    private final Vfs vfs;

    /** An upload that was begun. */
    record Upload(String id, long directory, String key, Map<String, String> headers, Instant begun) {}

    /** A part that was uploaded. */
    record Part(int number, Attributes file, String tag) {}

    /** A part as the client names it when it completes the upload. */
    record Named(int number, String tag) {}

    MultipartUploads(Bucket bucket) {
        this.bucket = bucket;
        this.vfs = bucket.vfs();
    }

    String begin(ObjectKey key, Map<String, String> headers, Instant now) throws IOException {
        byte[] chosen = new byte[16];
        RANDOM.nextBytes(chosen);
        String id = HexFormat.of().formatHex(chosen);
        long directory = vfs.makeDirectory(home(), Name.of(id), 0700, bucket.owner()).ino();
        var fields = new LinkedHashMap<String, Object>();
        fields.put("key", key.text());
        fields.put("begun", now.toString());
        fields.put("headers", headers);
        vfs.setExtendedAttribute(directory, ATTRIBUTE, Json.line(fields), true, true);
        vfs.syncNames();
        return id;
    }

    private long home() throws IOException {
        var name = Name.of(DIRECTORY);
        var found = bucket.lookup(Vfs.ROOT, name);
        try {
            return found.isPresent() ? found.get().ino()
                    : vfs.makeDirectory(Vfs.ROOT, name, 0700, bucket.owner()).ino();
        } catch (FsException raced) {
            if (raced.error() == FsError.EXISTS) {
                return vfs.lookup(Vfs.ROOT, name).ino();
            }
            throw raced;
        }
    }

    /** @throws S3Refusal if there is no upload of this id for this key */
    Upload find(String id, ObjectKey key) throws IOException {
        var none = new S3Refusal(404, "NoSuchUpload", "no upload '%s' of '%s'; it may have been completed or aborted"
                .formatted(id, key.text()));
        if (!id.matches("[0-9a-f]{32}")) {
            throw none;
        }
        var home = bucket.lookup(Vfs.ROOT, Name.of(DIRECTORY));
        var directory = home.isEmpty() ? home : bucket.lookup(home.get().ino(), Name.of(id));
        var upload = read(id, directory.orElseThrow(() -> none).ino());
        if (!upload.key().equals(key.text())) {
            throw none;
        }
        return upload;
    }

    private Upload read(String id, long directory) throws IOException {
        var fields = Json.read(vfs.extendedAttribute(directory, ATTRIBUTE));
        var headers = new HashMap<String, String>();
        fields.fields("headers").values().forEach((name, value) -> headers.put(name, String.valueOf(value)));
        return new Upload(id, directory, fields.text("key"), headers, Instant.parse(fields.text("begun")));
    }

    /** Stores a part, replacing an earlier one of this number; returns its entity tag. */
    String put(Upload upload, int number, Bucket.Filling filling) throws IOException {
        try (var file = vfs.createUnnamed(upload.directory(), 0600, bucket.owner())) {
            boolean placed = false;
            try {
                String tag = filling.fill(file);
                file.flush();
                new ObjectFacts(tag, file.attributes().version(), Map.of()).save(vfs, file.ino());
                vfs.place(file, upload.directory(), name(number));
                placed = true;
                file.fsync();
                return tag;
            } finally {
                if (!placed) {
                    file.truncate(0);
                }
            }
        }
    }

    private static Name name(int number) throws IOException {
        return Name.of("%05d".formatted(number));
    }

    List<Part> parts(Upload upload) throws IOException {
        var parts = new ArrayList<Part>();
        var entries = entries(upload.directory());
        var files = new HashMap<Long, Attributes>();
        vfs.attributes(entries).forEach(file -> files.put(file.ino(), file));
        var facts = bucket.facts(List.copyOf(files.values()));
        for (var entry : entries) {
            var file = files.get(entry.ino());
            var known = facts.get(entry.ino());
            if (file != null && known != null) {   // else it was replaced meanwhile
                parts.add(new Part(Integer.parseInt(entry.name().toString()), file, known.tag()));
            }
        }
        return parts;
    }

    List<Upload> list() throws IOException {
        var home = bucket.lookup(Vfs.ROOT, Name.of(DIRECTORY));
        var uploads = new ArrayList<Upload>();
        for (var entry : home.isEmpty() ? List.<DirectoryEntry>of() : entries(home.get().ino())) {
            try {
                uploads.add(read(entry.name().toString(), entry.ino()));
            } catch (IOException beingMade) {
                // or being removed
            }
        }
        return uploads;
    }

    private List<DirectoryEntry> entries(long directory) throws IOException {
        var all = new ArrayList<DirectoryEntry>();
        List<DirectoryEntry> page;
        do {
            page = vfs.list(directory, all.isEmpty() ? null : all.getLast().name(), PAGE);
            all.addAll(page);
        } while (page.size() == PAGE);
        return all;
    }

    /** Makes the object of these parts, in this order, and forgets the upload. */
    ObjectFacts complete(Upload upload, List<Named> named, boolean onlyNew) throws IOException {
        var there = new HashMap<Integer, Part>();
        parts(upload).forEach(part -> there.put(part.number(), part));
        var chosen = new ArrayList<Part>();
        for (var each : named) {
            var part = there.get(each.number());
            if (part == null || !each.tag().isEmpty() && !part.tag().equals(each.tag())) {
                throw new S3Refusal(400, "InvalidPart", "part %d was not uploaded with this entity tag"
                        .formatted(each.number()));
            }
            if (!chosen.isEmpty() && chosen.getLast().number() >= part.number()) {
                throw new S3Refusal(400, "InvalidPartOrder", "parts are named in the order of their numbers");
            }
            chosen.add(part);
        }
        if (chosen.isEmpty()) {
            throw new S3Refusal(400, "MalformedXML", "an upload needs at least one part");
        }
        var facts = bucket.put(ObjectKey.of(upload.key()), upload.headers(), onlyNew, file -> {
            long at = 0;
            var md5 = SigningDigests.of("MD5");
            for (var part : chosen) {
                try (var source = vfs.open(part.file().ino())) {
                    long size = part.file().size();
                    for (long done = 0; done < size; ) {
                        long more = source.copyTo(done, file, at + done, size - done);
                        if (more == 0) {
                            throw new S3Refusal(400, "InvalidPart", "part %d changed meanwhile"
                                    .formatted(part.number()));
                        }
                        done += more;
                    }
                    at += size;
                }
                md5.update(HexFormat.of().parseHex(part.tag()));
            }
            return SigningDigests.hex(md5.digest()) + '-' + chosen.size();
        });
        abort(upload);
        return facts;
    }

    /** Aborts those that were begun before this; returns how many. */
    int expire(Instant before) throws IOException {
        int expired = 0;
        for (var upload : list()) {
            if (upload.begun().isBefore(before)) {
                abort(upload);
                expired++;
            }
        }
        return expired;
    }

    void abort(Upload upload) throws IOException {
        for (var entry : entries(upload.directory())) {
            try {
                vfs.unlink(upload.directory(), entry.name());
            } catch (FsException gone) {
                if (gone.error() != FsError.NO_ENTRY) {
                    throw gone;
                }
            }
        }
        try {
            vfs.removeDirectory(home(), Name.of(upload.id()));
        } catch (FsException raced) {
            // a part arrived meanwhile, or another client was faster: the upload is listed as long as it is there
            if (raced.error() != FsError.NOT_EMPTY && raced.error() != FsError.NO_ENTRY) {
                throw raced;
            }
        }
    }
}
