package volsh.gateway;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;
import volsh.volume.Volumes;

/**
 * Serves volumes as S3 buckets, until it is closed. Every request is signed; a refusal is an answer and no line in a
 * log. At most {@value #REQUESTS_MAX} requests are served at once, each with a buffer of its own; others are told to
 * slow down. A put is acknowledged when the file is stored.
 */
public final class Gateway implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("volsh.gateway");
    private static final int REQUESTS_MAX = 256;
    private static final int CONNECTIONS_MAX = 2048;
    private static final Duration QUIET = Duration.ofMinutes(1);

    static {
        // Read once, when the JDK's server is loaded; it has no other way to limit them.
        System.setProperty("jdk.httpserver.maxConnections", Integer.toString(CONNECTIONS_MAX));
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    private final HttpServer server;
    private final Buckets buckets;
    private final GatewaySettings settings;
    private final SignatureCheck signatures;
    private final InstantSource clock;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final GatewayCounts counts = new GatewayCounts();
    private final ObjectCalls objects;
    private final BucketCalls bucketCalls;
    private final UploadCalls uploads;
    private final ClientWaits waits;
    private volatile Instant told = Instant.MIN;

    /** Binds the address; port 0 takes a free one. @throws java.net.BindException if the port is in use */
    public Gateway(Volumes volumes, AccessKeys keys, GatewaySettings settings, InetSocketAddress address,
            Optional<SSLContext> tls, InstantSource clock) throws IOException {
        this(volumes, keys, settings, address, tls, clock, ClientWaits.USUAL);
    }

    /** Clients may keep a request waiting for this long. */
    Gateway(Volumes volumes, AccessKeys keys, GatewaySettings settings, InetSocketAddress address,
            Optional<SSLContext> tls, InstantSource clock, Duration clientWait) throws IOException {
        this.settings = settings;
        this.clock = clock;
        this.signatures = new SignatureCheck(keys);
        this.buckets = new Buckets(volumes, settings);
        this.objects = new ObjectCalls(buckets, counts);
        this.bucketCalls = new BucketCalls(buckets);
        this.uploads = new UploadCalls(objects, clock);
        if (tls.isPresent()) {
            var secure = HttpsServer.create(address, 0);
            secure.setHttpsConfigurator(new HttpsConfigurator(tls.get()));
            this.server = secure;
        } else {
            this.server = HttpServer.create(address, 0);
        }
        this.waits = new ClientWaits(clientWait);
        server.createContext("/", exchange -> {
            try (exchange) {   // reads what is left of a body, which waits for the client
                waits.works(() -> answer(exchange));
            }
        });
        server.setExecutor(waits.over(threads));
    }

    public void start() {
        server.start();
    }

    public InetSocketAddress address() {
        return server.getAddress();
    }

    public GatewayCounts counts() {
        return counts;
    }

    private void answer(HttpExchange exchange) {
        int active = counts.began();
        try {
            exchange.getResponseHeaders().set("Server", "volsh");
            if (active > REQUESTS_MAX) {
                throw new S3Refusal(503, "SlowDown", "more than %d requests at once".formatted(REQUESTS_MAX));
            }
            var request = S3Request.of(exchange, settings.domain());
            var signed = signatures.check(request, clock.instant());
            var let = new S3Exchange(exchange, request, signed, waits);
            try {
                call(let);
            } finally {
                buckets.release(let);
            }
        } catch (IOException failed) {
            refuse(exchange, failed);
        } catch (RuntimeException | Error surprise) {
            tell(surprise);
            refuse(exchange, new S3Refusal(500, "InternalError", "internal error"));
        } finally {
            counts.ended();
        }
    }

    /** Answers with an error, unless an answer has begun: then the connection is broken off. */
    private void refuse(HttpExchange exchange, IOException failed) {
        var refusal = VolumeFailures.refusal(failed);
        counts.refused(refusal.code());
        if (refusal.status() == 500) {
            tell(failed);
        }
        if (exchange.getResponseCode() != -1) {
            return;
        }
        try {
            var headers = exchange.getResponseHeaders();
            headers.keySet().removeIf(name -> name.startsWith("Content-") || name.equalsIgnoreCase("Etag"));
            headers.set("Connection", "close");   // what is left of the body is not read
            S3Exchange.send(exchange, waits, refusal.status(), new XmlText().open("Error")
                    .element("Code", refusal.code())
                    .element("Message", String.valueOf(refusal.getMessage()))
                    .element("Resource", String.valueOf(exchange.getRequestURI().getRawPath())).close("Error"));
        } catch (IOException gone) {
            // the client has left
        }
    }

    /** One line a minute at most: a broken store, or a hostile client, must not fill a disk. */
    private void tell(Throwable failed) {
        var now = clock.instant();
        counts.failed(String.valueOf(failed.getMessage()), now);
        if (now.isAfter(told.plus(QUIET))) {
            told = now;
            if (failed instanceof IOException) {
                LOG.log(Level.WARNING, "a request failed: " + failed.getMessage());
            } else {
                LOG.log(Level.WARNING, "a request failed: " + failed, failed);
            }
        }
    }

    private void call(S3Exchange exchange) throws IOException {
        var request = exchange.request();
        String method = request.method();
        if (request.bucket().isEmpty()) {
            if (!method.equals("GET")) {
                throw new S3Refusal(405, "MethodNotAllowed", "buckets are volumes: volsh volume create makes one");
            }
            counts.called("ListBuckets");
            bucketCalls.listBuckets(exchange);
            return;
        }
        boolean reads = method.equals("GET") || method.equals("HEAD");
        var bucket = buckets.open(request.bucket(), exchange);
        if (request.key().isEmpty()) {
            aboutBucket(bucket, exchange);
            return;
        }
        buckets.requireKey(exchange.accessKey(), request.key());
        if (!reads) {
            requireWritable(bucket, exchange);
        }
        aboutObject(bucket, exchange);
    }

    private static void requireWritable(Bucket bucket, S3Exchange exchange) throws S3Refusal {
        if (exchange.accessKey().readOnly()) {
            throw S3Refusal.denied("the access key is read-only");
        }
        if (!bucket.writes()) {
            throw S3Refusal.denied("the bucket '%s' is read-only".formatted(bucket.name()));
        }
    }

    private void aboutBucket(Bucket bucket, S3Exchange exchange) throws IOException {
        var request = exchange.request();
        switch (request.method()) {
            case "HEAD" -> {
                counts.called("HeadBucket");
                exchange.send(200);
            }
            case "GET" -> listing(bucket, exchange);
            case "POST" -> {
                if (!request.asks("delete")) {
                    throw S3Refusal.notImplemented("this POST");
                }
                requireWritable(bucket, exchange);
                counts.called("DeleteObjects");
                bucketCalls.deleteMany(bucket, exchange);
            }
            case "PUT" -> {
                if (!request.query().isEmpty()) {
                    throw S3Refusal.notImplemented("setting '%s' of a bucket".formatted(request.query().firstKey()));
                }
                exchange.header("Location", "/" + bucket.name());
                exchange.send(200);   // it exists, and is this client's
            }
            default -> throw new S3Refusal(405, "MethodNotAllowed",
                    "buckets are volumes: volsh volume destroy removes one");
        }
    }

    private void listing(Bucket bucket, S3Exchange exchange) throws IOException {
        var request = exchange.request();
        if (request.asks("location")) {
            BucketCalls.location(exchange);
        } else if (request.asks("versioning")) {
            BucketCalls.versioning(exchange);
        } else if (request.asks("uploads")) {
            counts.called("ListMultipartUploads");
            uploads.list(bucket, exchange);
        } else {
            refuseSubresource(request);
            counts.called("ListObjects");
            bucketCalls.list(bucket, exchange);
        }
    }

    private static void refuseSubresource(S3Request request) throws S3Refusal {
        for (String each : new String[] {"acl", "tagging", "policy", "cors", "lifecycle", "versions", "encryption",
                "website", "logging", "notification", "replication", "object-lock", "retention", "legal-hold",
                "ownershipControls", "publicAccessBlock", "policyStatus", "torrent", "attributes", "select"}) {
            if (request.asks(each)) {
                throw S3Refusal.notImplemented("'%s'".formatted(each));
            }
        }
    }

    private void aboutObject(Bucket bucket, S3Exchange exchange) throws IOException {
        var request = exchange.request();
        refuseSubresource(request);
        boolean upload = request.asks("uploadId");
        switch (request.method()) {
            case "GET" -> {
                counts.called(upload ? "ListParts" : "GetObject");
                if (upload) {
                    uploads.listParts(bucket, exchange);
                } else {
                    objects.get(bucket, exchange);
                }
            }
            case "HEAD" -> {
                counts.called("HeadObject");
                objects.get(bucket, exchange);
            }
            case "PUT" -> put(bucket, exchange, upload);
            case "POST" -> {
                if (request.asks("uploads")) {
                    counts.called("CreateMultipartUpload");
                    uploads.begin(bucket, exchange);
                } else if (upload) {
                    counts.called("CompleteMultipartUpload");
                    uploads.complete(bucket, exchange);
                } else {
                    throw S3Refusal.notImplemented("this POST");
                }
            }
            case "DELETE" -> {
                counts.called(upload ? "AbortMultipartUpload" : "DeleteObject");
                if (upload) {
                    uploads.abort(bucket, exchange);
                } else {
                    objects.delete(bucket, exchange);
                }
            }
            default -> throw new S3Refusal(405, "MethodNotAllowed", "the method is not one of S3");
        }
    }

    private void put(Bucket bucket, S3Exchange exchange, boolean upload) throws IOException {
        boolean copies = exchange.request().header("x-amz-copy-source").isPresent();
        exchange.request().header("Content-Length").filter(text -> text.matches("\\d{1,18}"))
                .ifPresent(text -> counts.received(Long.parseLong(text)));
        if (upload) {
            counts.called(copies ? "UploadPartCopy" : "UploadPart");
            uploads.putPart(bucket, exchange);
        } else if (copies) {
            counts.called("CopyObject");
            objects.copy(bucket, exchange);
        } else {
            counts.called("PutObject");
            objects.put(bucket, exchange);
        }
    }

    /** Aborts uploads in parts that were begun before this. A volume that is away is left for the next time. */
    public void expireUploads(Instant before) {
        for (String name : settings.volumes()) {
            try {
                counts.expired(buckets.expireUploads(name, before));
            } catch (IOException | RuntimeException later) {
                tell(later);
            }
        }
    }

    /** Ends requests that are under way, and closes the volumes. */
    @Override
    public void close() throws IOException {
        server.stop(0);
        waits.close();
        threads.shutdownNow();
        try {
            if (!threads.awaitTermination(10, java.util.concurrent.TimeUnit.SECONDS)) {
                LOG.log(Level.WARNING, "requests are still under way");
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
        buckets.close();
    }
}
