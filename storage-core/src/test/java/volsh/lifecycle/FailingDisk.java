package volsh.lifecycle;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import volsh.disk.Disk;
import volsh.disk.OsDisk;

/**
 * A disk of which one change fails, before or after it is made, or that fails from then on, as for a process that is
 * killed.
 */
final class FailingDisk {
    private static final Set<String> CHANGES = Set.of("create", "edit", "makeDirectories", "makePrivateDirectories",
            "makeHeld", "rename", "link", "delete", "syncDirectory", "write", "sync");

    /** What happens at the change that fails. */
    enum Mode {
        /** It is not made, and says so. */
        REFUSED,
        /** It is made, and says that it is not. */
        UNSURE,
        /** Nothing is changed any more. */
        KILLED
    }

    private final int failing;
    private final Mode mode;
    private final AtomicInteger changes = new AtomicInteger();

    /** {@code failing} counts from 0. */
    FailingDisk(int failing, Mode mode) {
        this.failing = failing;
        this.mode = mode;
    }

    boolean hasFailed() {
        return changes.get() > failing;
    }

    Disk disk() {
        return over(Disk.class, new OsDisk());
    }

    private <T> T over(Class<T> type, T delegate) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type},
                (_, method, arguments) -> call(delegate, method, arguments)));
    }

    private Object call(Object delegate, Method method, Object[] arguments) throws Throwable {
        int number = CHANGES.contains(method.getName()) ? changes.getAndIncrement() : -1;
        boolean fails = number == failing || mode == Mode.KILLED && number > failing;
        if (fails && mode != Mode.UNSURE) {
            throw new IOException("injected: change %d, %s".formatted(number, method.getName()));
        }
        Object result = invoke(delegate, method, arguments);
        if (fails) {
            if (result instanceof AutoCloseable open) {
                open.close();
            }
            throw new IOException("injected after change %d, %s".formatted(number, method.getName()));
        }
        return switch (result) {
            case Disk disk -> over(Disk.class, disk);
            case Disk.File file -> over(Disk.File.class, file);
            case null, default -> result;
        };
    }

    private static Object invoke(Object delegate, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(delegate, arguments);
        } catch (InvocationTargetException failed) {
            throw failed.getCause();
        }
    }
}
