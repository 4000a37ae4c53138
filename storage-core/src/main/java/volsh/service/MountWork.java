package volsh.service;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import volsh.mount.MountPlan;

/** A mount as a service. */
public record MountWork(MountPlan plan) implements ServiceWork {
    @Override
    public String unitName() {
        return Unit.name(plan.mountPoint());
    }

    @Override
    public String source() {
        return plan.origin().toString();
    }

    @Override
    public String description() {
        return "%s on %s".formatted(plan.origin(), plan.mountPoint());
    }

    @Override
    public String service() {
        return plan.mountPoint().toString();
    }

    @Override
    public String page() {
        return "volsh-mount";
    }

    @Override
    public List<String> start() {
        var words = new ArrayList<>(List.of("mount", "--foreground"));
        words.addAll(plan.words());
        return words;
    }

    @Override
    public List<String> stop() {
        return List.of("umount", plan.mountPoint().toString());
    }

    @Override
    public Optional<Path> requires() {
        return Optional.of(plan.mountPoint().resolve("..").normalize());
    }

    @Override
    public String key() {
        return Unit.DIRECTORY;
    }

    @Override
    public String value() {
        return plan.mountPoint().toString();
    }
}
