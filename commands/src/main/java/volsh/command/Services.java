package volsh.command;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * The services of the application for commands, by type: created on first use, closed in reverse order. So
 * {@code volsh version} opens nothing.
 */
public final class Services implements AutoCloseable {
    private final Map<Class<?>, Callable<?>> makers = new LinkedHashMap<>();
    private final Map<Class<?>, Object> made = new LinkedHashMap<>();
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    public <S> Services with(Class<S> type, Callable<? extends S> maker) {
        makers.put(type, maker);
        return this;
    }

    public synchronized <S> S of(Class<S> type) throws Exception {
        if (!made.containsKey(type)) {
            make(type);
        }
        return type.cast(Objects.requireNonNull(made.get(type)));
    }

    /** A service that not every application has; failures to create it count as none. */
    public synchronized <S> Optional<S> find(Class<S> type) {
        try {
            return makers.containsKey(type) ? Optional.of(of(type)) : Optional.empty();
        } catch (Exception notThere) {
            return Optional.empty();
        }
    }

    private void make(Class<?> type) throws Exception {
        Callable<?> maker = makers.get(type);
        if (maker == null) {
            throw new IllegalStateException("the application provides no " + type.getSimpleName());
        }
        Object service = maker.call();
        made.put(type, service);
        if (service instanceof AutoCloseable closeable) {
            open.push(closeable);
        }
    }

    /** Closes all created services, the last first, even if one fails. */
    @Override
    public synchronized void close() throws IOException {
        made.clear();
        IOException first = null;
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (Exception failure) {
                first = first == null ? new IOException("cannot close a service", failure) : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
