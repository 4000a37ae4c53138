package volsh.service;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A gateway as a service. There is one for each port of a machine.
 *
 * @param listen  the address with its port, which is not 0
 * @param options the other words of its command
 */
public record GatewayWork(List<String> volumes, String listen, int port, List<String> options)
        implements ServiceWork {
    public GatewayWork {
        volumes = List.copyOf(volumes);
        options = List.copyOf(options);
        if (port <= 0) {
            throw new IllegalArgumentException("a service needs a fixed port: --listen 9000");
        }
    }

    /** No path is escaped to a name with an at sign, so that no mount has this one. */
    @Override
    public String unitName() {
        return Unit.PREFIX + "gateway@" + port + Unit.SUFFIX;
    }

    @Override
    public String source() {
        return String.join(",", volumes);
    }

    @Override
    public String description() {
        return "%s on S3 at %s".formatted(source(), listen);
    }

    @Override
    public String service() {
        return unitName();
    }

    @Override
    public String page() {
        return "volsh-gateway-s3";
    }

    @Override
    public List<String> start() {
        var words = new ArrayList<>(List.of("gateway", "s3", source(), "--listen=" + listen));
        words.addAll(options);
        return words;
    }

    @Override
    public List<String> stop() {
        return List.of();
    }

    @Override
    public Optional<Path> requires() {
        return Optional.empty();
    }

    @Override
    public String key() {
        return Unit.LISTEN;
    }

    @Override
    public String value() {
        return listen;
    }
}
