package volsh.gateway;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import volsh.fs.Attributes;
import volsh.json.Json;
import volsh.vfs.Vfs;

/**
 * What S3 knows of an object beside its bytes: the entity tag, the content type and the client's own metadata. Kept in
 * an extended attribute of the file. The tag holds for one version of the content: a file that was written through a
 * mount has a tag that says only whether it changed.
 */
record ObjectFacts(String tag, long version, Map<String, String> headers) {
    static final byte[] ATTRIBUTE = "user.volsh.s3".getBytes(StandardCharsets.US_ASCII);
    private static final Set<String> KEPT = Set.of("content-type", "cache-control", "content-disposition",
            "content-language", "expires");
    private static final String META = "x-amz-meta-";
    private static final int HEADERS_MAX = 8 << 10;

    ObjectFacts {
        headers = java.util.Collections.unmodifiableMap(new TreeMap<>(headers));
    }

    /** The headers of a request that are kept. */
    static Map<String, String> headers(S3Request request) throws S3Refusal {
        var kept = new TreeMap<String, String>();
        int length = 0;
        for (var header : request.headers().entrySet()) {
            String name = header.getKey().toLowerCase(Locale.ROOT);
            if (name.startsWith(META) || KEPT.contains(name)
                    || name.equals("content-encoding") && !header.getValue().getFirst().equals("aws-chunked")) {
                String value = String.join(",", header.getValue());
                kept.put(name, name.equals("content-encoding") ? value.replaceFirst("^aws-chunked, *", "") : value);
                length += name.length() + value.length();
            }
        }
        if (length > HEADERS_MAX) {
            throw new S3Refusal(400, "MetadataTooLarge", "metadata has at most %d bytes".formatted(HEADERS_MAX));
        }
        return kept;
    }

    /** {@code kept} is what the attribute {@link #ATTRIBUTE} of the file says; empty if it is not set. */
    static ObjectFacts of(Attributes file, Optional<byte[]> kept) {
        var known = parsed(kept);
        if (known.isPresent() && known.get().version == file.version() && !known.get().tag.isEmpty()) {
            return known.get();
        }
        // not an MD5, as the dash tells clients; another content has another version
        String tag = "%016x%016x-1".formatted(file.ino(), file.version() * 31 + file.size());
        return new ObjectFacts(tag, file.version(), known.map(ObjectFacts::headers).orElse(Map.of()));
    }

    private static Optional<ObjectFacts> parsed(Optional<byte[]> kept) {
        if (kept.isEmpty()) {
            return Optional.empty();
        }
        try {
            var fields = Json.read(kept.get());
            var headers = new LinkedHashMap<String, String>();
            fields.fields("headers").values().forEach((name, value) -> headers.put(name, String.valueOf(value)));
            return Optional.of(new ObjectFacts(fields.text("tag"), fields.number("version"), headers));
        } catch (IOException notOurs) {
            return Optional.empty();   // another program wrote the attribute
        }
    }

    void save(Vfs vfs, long ino) throws IOException {
        vfs.setExtendedAttribute(ino, ATTRIBUTE, bytes(), true, true);
    }

    byte[] bytes() throws IOException {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("tag", tag);
        fields.put("version", version);
        fields.put("headers", headers);
        return Json.line(fields);
    }
}
