package volsh.gateway;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import volsh.json.Fields;

/**
 * A key that opens the gateway.
 *
 * @param volumes  what it opens; empty for all volumes of a gateway
 * @param prefix   keys of objects it opens begin with this
 * @param readOnly refuses everything that changes a volume
 * @param expires  the moment from which on it opens nothing
 */
public record AccessKey(String id, String secret, List<String> volumes, String prefix, boolean readOnly,
        Instant created, Optional<Instant> expires) {
    public AccessKey {
        volumes = List.copyOf(volumes);
    }

    public boolean isExpired(Instant now) {
        return expires.isPresent() && !now.isBefore(expires.get());
    }

    boolean opens(String volume) {
        return volumes.isEmpty() || volumes.contains(volume);
    }

    Map<String, Object> json() {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("id", id);
        fields.put("secret", secret);
        fields.put("volumes", volumes);
        fields.put("prefix", prefix);
        fields.put("readOnly", readOnly);
        fields.put("created", created.toString());
        expires.ifPresent(end -> fields.put("expires", end.toString()));
        return fields;
    }

    static AccessKey of(Fields fields) throws IOException {
        var volumes = new ArrayList<String>();
        if (fields.values().get("volumes") instanceof List<?> names) {
            names.forEach(name -> volumes.add(String.valueOf(name)));
        }
        return new AccessKey(fields.text("id"), fields.text("secret"), volumes, fields.text("prefix"),
                Boolean.TRUE.equals(fields.values().get("readOnly")), Instant.parse(fields.text("created")),
                fields.has("expires") ? Optional.of(Instant.parse(fields.text("expires"))) : Optional.empty());
    }

    /** Without the secret. */
    @Override
    public String toString() {
        return "access key " + id;
    }
}
