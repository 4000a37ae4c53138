package volsh.hang;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.time.Duration;
import org.junit.jupiter.api.extension.DynamicTestInvocationContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * Fails a test, a dynamic test, or a method before or after them that hangs. JUnit registers it (META-INF/services).
 *
 * <p>Tests run on JUnit's own thread, because thread-locals and locks have to be where they were. At the limit a
 * {@link Watchdog} takes a dump of all threads and interrupts that thread; the failure carries the dump. If that does
 * not end the test, the process ends, after both dumps were printed.
 *
 * <p>The limit is 5 minutes, 6 hours with the large counts; {@code -Dvolsh.test.limit=PT20S} changes it.
 */
public final class TestLimit implements InvocationInterceptor {
    static final String PARAMETER = "volsh.test.limit";
    private static final Duration USUAL =
            Boolean.getBoolean("volsh.long") ? Duration.ofHours(6) : Duration.ofMinutes(5);

    @Override
    public <T> T interceptTestClassConstructor(Invocation<T> invocation,
            ReflectiveInvocationContext<Constructor<T>> called, ExtensionContext context) throws Throwable {
        return limited(invocation, called.getExecutable().getDeclaringClass().getSimpleName(), context);
    }

    @Override
    public void interceptBeforeAllMethod(Invocation<Void> invocation, ReflectiveInvocationContext<Method> called,
            ExtensionContext context) throws Throwable {
        limited(invocation, called.getExecutable().getName(), context);
    }

    @Override
    public void interceptBeforeEachMethod(Invocation<Void> invocation, ReflectiveInvocationContext<Method> called,
            ExtensionContext context) throws Throwable {
        limited(invocation, called.getExecutable().getName(), context);
    }

    @Override
    public void interceptTestMethod(Invocation<Void> invocation, ReflectiveInvocationContext<Method> called,
            ExtensionContext context) throws Throwable {
        limited(invocation, called.getExecutable().getName(), context);
    }

    @Override
    public void interceptTestTemplateMethod(Invocation<Void> invocation, ReflectiveInvocationContext<Method> called,
            ExtensionContext context) throws Throwable {
        limited(invocation, called.getExecutable().getName() + " " + context.getDisplayName(), context);
    }

    @Override
    public <T> T interceptTestFactoryMethod(Invocation<T> invocation, ReflectiveInvocationContext<Method> called,
            ExtensionContext context) throws Throwable {
        return limited(invocation, called.getExecutable().getName(), context);
    }

    @Override
    public void interceptDynamicTest(Invocation<Void> invocation, DynamicTestInvocationContext called,
            ExtensionContext context) throws Throwable {
        limited(invocation, context.getDisplayName(), context);
    }

    @Override
    public void interceptAfterEachMethod(Invocation<Void> invocation, ReflectiveInvocationContext<Method> called,
            ExtensionContext context) throws Throwable {
        limited(invocation, called.getExecutable().getName(), context);
    }

    @Override
    public void interceptAfterAllMethod(Invocation<Void> invocation, ReflectiveInvocationContext<Method> called,
            ExtensionContext context) throws Throwable {
        limited(invocation, called.getExecutable().getName(), context);
    }

    private static <T> T limited(Invocation<T> invocation, String called, ExtensionContext context) throws Throwable {
        var limit = context.getConfigurationParameter(PARAMETER, Duration::parse).orElse(USUAL);
        var watch = Watchdog.watch(className(context) + ": " + called, limit);
        T result;
        try {
            result = invocation.proceed();
        } catch (Throwable failure) {
            throw watch.end().map(hung -> withCause(hung, failure)).orElse(failure);
        }
        var hung = watch.end();
        if (hung.isPresent()) {
            throw hung.get();
        }
        return result;
    }

    /** A dynamic test has neither a class nor a method; what it is inside of has. */
    private static String className(ExtensionContext context) {
        return context.getTestClass().map(Class::getName)
                .or(() -> context.getParent().map(TestLimit::className)).orElse("");
    }

    private static Throwable withCause(AssertionError hung, Throwable failure) {
        hung.initCause(failure);
        return hung;
    }
}
