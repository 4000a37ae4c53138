package volsh.command.gateway;

import java.net.BindException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import volsh.catalog.Home;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.InBackground;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.web.ListenAddress;
import volsh.event.EventLog;
import volsh.event.Happening;
import volsh.fs.Owner;
import volsh.gateway.AccessKeys;
import volsh.gateway.Gateway;
import volsh.gateway.GatewayCounts;
import volsh.gateway.GatewayRecords;
import volsh.mount.Readiness;
import volsh.volume.Volumes;

@Command(name = "s3", description = {"Serve volumes as S3 buckets until Ctrl-C, or as a job with --background.",
        "A bucket is a volume, a key the path of a file: programs on mounts and programs over S3 see the same files."
                + " A snapshot is the read-only bucket VOLUME@SNAPSHOT. A PUT is acknowledged when the file is stored.",
        "Every request must be signed (signature version 4) with a key from 'volsh gateway key create'. Without"
                + " --tls-cert, the gateway listens on loopback only."})
@Examples({"volsh gateway s3 training-data", "volsh gateway s3 training-data --listen 9000 --read-only",
        "volsh gateway s3 training-data --listen 0.0.0.0:9000 --tls-cert cert.pem --tls-key key.pem"})
final class GatewayS3 implements Action<Void>, InBackground {
    private static final Duration BEAT = Duration.ofSeconds(1);
    private static final Duration TIDY = Duration.ofHours(1);

    @Mixin
    private GatewayOptions options = new GatewayOptions();

    @Option(names = "--background", description = "Run as a job, which outlives this terminal.")
    private boolean background;

    @Override
    public boolean background() {
        return background;
    }

    @Override
    public String title() {
        return "gateway s3 " + String.join(",", options.volumes());
    }

    @Override
    public Void run(Session session) throws Exception {
        var all = session.service(Volumes.class);
        options.require(all);
        var home = session.service(Home.class);
        var keys = new AccessKeys(home.state());
        if (keys.list().isEmpty()) {
            session.warn("no access key exists yet, so every request is refused; to make one:"
                    + " volsh gateway key create");
        }
        try (var gateway = open(all, keys, session)) {
            gateway.start();
            session.say(url(gateway));
            Readiness.tell(session.environment(), url(gateway));
            serve(gateway, new GatewayRecords(home.state()), session);
        }
        session.cancellation().check();
        return null;
    }

    private Gateway open(Volumes all, AccessKeys keys, Session session) throws Exception {
        var address = options.listen();
        try {
            return new Gateway(all, keys, options.settings(session.service(Owner.class)),
                    new InetSocketAddress(address.address(), address.port()), options.tls(), session.clock());
        } catch (BindException taken) {
            boolean inUse = String.valueOf(taken.getMessage()).contains("in use");
            throw CommandFailure.of(inUse ? ExitCode.CONFLICT : ExitCode.USAGE, "GW-0001",
                    inUse ? "port %d is already in use".formatted(address.port())
                            : "cannot listen on %s: %s".formatted(address, taken.getMessage()));
        }
    }

    private String url(Gateway gateway) {
        var bound = gateway.address();
        return "%s://%s".formatted(options.isEncrypted() ? "https" : "http",
                new ListenAddress(bound.getAddress(), bound.getPort()));
    }

    /** Serves until the session is asked to stop, and tells others what it does. */
    private void serve(Gateway gateway, GatewayRecords records, Session session) throws Exception {
        var started = session.clock().instant();
        var ended = new CountDownLatch(1);
        var events = new EventLog(session.service(Home.class).state().resolve("events"));
        records.forget(url(gateway));
        events.add(Happening.Level.INFO, "gateway", url(gateway), "serves " + String.join(", ", options.volumes()));
        try (var _ = session.cancellation().onRequest(ended::countDown)) {
            var tidied = Instant.EPOCH;
            var told = Optional.<GatewayCounts.Failure>empty();
            do {
                records.put(running(gateway, started));
                told = tell(events, gateway, told);
                tidied = tidy(gateway, tidied, session.clock().instant());
            } while (!ended.await(BEAT.toMillis(), TimeUnit.MILLISECONDS));
        } finally {
            records.remove();
            events.add(Happening.Level.INFO, "gateway", url(gateway), "stopped");
        }
    }

    /** An event for each new failure, at most one a beat. */
    private Optional<GatewayCounts.Failure> tell(EventLog events, Gateway gateway,
            Optional<GatewayCounts.Failure> told) {
        var last = gateway.counts().lastFailure();
        if (last.isPresent() && !last.map(GatewayCounts.Failure::message).equals(
                told.map(GatewayCounts.Failure::message))) {
            events.add(Happening.Level.ERROR, "gateway", url(gateway), "a request failed: " + last.get().message());
        }
        return last;
    }

    private Instant tidy(Gateway gateway, Instant tidied, Instant now) {
        var oldest = options.oldestUpload(now);
        if (oldest.isEmpty() || tidied.plus(TIDY).isAfter(now)) {
            return tidied;
        }
        gateway.expireUploads(oldest.get());
        return now;
    }

    private GatewayRecords.Running running(Gateway gateway, Instant started) {
        var counts = gateway.counts();
        return new GatewayRecords.Running(ProcessHandle.current().pid(), url(gateway), options.volumes(),
                options.readOnly(), started, counts.active(), counts.receivedBytes(), counts.sentBytes(),
                counts.calls(), counts.refusals(), counts.lastFailure(), true);
    }
}
