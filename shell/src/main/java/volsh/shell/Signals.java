package volsh.shell;

import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import volsh.command.Cancellation;
import volsh.command.failure.ExitCode;

/**
 * Turns SIGINT, SIGTERM and SIGHUP into a request to stop. It is a shutdown hook: the JVM itself begins to end on these
 * signals and chooses the exit code (130, 143, 129), and waits here while the command cleans up. A second Ctrl-C ends
 * the process at once. Costs nothing until a signal arrives.
 */
final class Signals implements AutoCloseable {
    private static final long POLITE_MILLIS = 1_000;
    private static final long PATIENCE_SECONDS = 30;

    private final Cancellation cancellation;
    private final Thread command = Thread.currentThread();
    private final CountDownLatch ended = new CountDownLatch(1);

    private Signals(Cancellation cancellation) {
        this.cancellation = cancellation;
    }

    /** From now on signals stop the command that the calling thread runs, until closed. */
    static Signals cancel(Cancellation cancellation) {
        var signals = new Signals(cancellation);
        Runtime.getRuntime().addShutdownHook(new Thread(signals::stop, "signals"));
        return signals;
    }

    /**
     * First the wish alone, so that files are not closed under the command by an interrupt; then an interrupt for one
     * that waits.
     */
    private void stop() {
        if (ended.getCount() == 0) {
            return;
        }
        endAtOnceOnTheNext();
        cancellation.request(signal());
        try {
            if (!ended.await(POLITE_MILLIS, TimeUnit.MILLISECONDS)) {
                command.interrupt();
                ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
            }
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }

    /** The JVM handles a signal on a thread that has its name, and waits there for this hook. */
    private static ExitCode signal() {
        var threads = Thread.getAllStackTraces().keySet().stream().map(Thread::getName).toList();
        return threads.contains("SIGTERM handler") ? ExitCode.TERMINATED
                : threads.contains("SIGHUP handler") ? ExitCode.HANGUP : ExitCode.CANCELLED;
    }

    /**
     * By reflection, because javac refuses to compile sun.misc without a warning. Without it a second Ctrl-C has to
     * wait.
     */
    private static void endAtOnceOnTheNext() {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object halt = Proxy.newProxyInstance(Signals.class.getClassLoader(), new Class<?>[] {handler}, (_, _, _) ->
                    {
                Runtime.getRuntime().halt(130);
                return null;
            });
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance("INT"), halt);
        } catch (ReflectiveOperationException | IllegalArgumentException unsupported) {
            // The module jdk.unsupported is not there: only the first signal counts.
        }
    }

    @Override
    public void close() {
        ended.countDown();
    }
}
