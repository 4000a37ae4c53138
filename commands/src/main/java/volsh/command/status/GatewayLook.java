package volsh.command.status;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import volsh.catalog.Home;
import volsh.command.Session;
import volsh.fs.ShellWord;
import volsh.gateway.GatewayRecords;

/** Gateways: those that run, and those that ended without being stopped. */
final class GatewayLook implements Look {
    @Override
    public List<Question> questions(Session session, Terms terms) throws Exception {
        var now = session.clock().instant();
        var questions = new ArrayList<Question>();
        for (var each : new GatewayRecords(session.service(Home.class).state()).all()) {
            questions.add(new Question("gateway", each.url(), "volsh gateway list", () -> row(each, terms, now)));
        }
        return questions;
    }

    /** A gateway that failed within the time that --rpo names is failing: its clients try again. */
    private static StatusRow row(GatewayRecords.Running gateway, Terms terms, Instant now) {
        String serves = "serves %s".formatted(String.join(", ", gateway.volumes()));
        if (!gateway.alive()) {
            return StatusRow.of("gateway", gateway.url(), Health.UNAVAILABLE, "its process %d has ended without"
                    .formatted(gateway.pid()) + " being stopped; it served " + String.join(", ", gateway.volumes()),
                    "volsh gateway stop " + ShellWord.of(gateway.url()));
        }
        return gateway.lastFailure().filter(failure -> failure.time().plus(terms.rpo()).isAfter(now))
                .map(failure -> StatusRow.of("gateway", gateway.url(), Health.FAILING, serves + "; last error: "
                        + failure.message(), "volsh gateway list -o wide"))
                .orElseGet(() -> StatusRow.of("gateway", gateway.url(), Health.OK, "%s; %d requests, %d active"
                        .formatted(serves, gateway.requests(), gateway.active()), ""));
    }
}
