package volsh.job;

import java.io.IOException;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/** A program that runs as a job: ends with the number it is given, or waits to be stopped. */
final class JobProgram {
    private JobProgram() {}

    public static void main(String[] words) throws IOException, InterruptedException {
        if (words[0].equals("mute")) {
            System.out.println("cannot begin");
            System.exit(9);
        }
        var claimed = new CompletableFuture<JobProcess>();
        if (words[0].equals("wait")) {      // before it is claimed, as Main does: it may be stopped from then on
            Runtime.getRuntime().addShutdownHook(new Thread(() -> end(claimed.join(), 143, true)));
        }
        var job = JobProcess.claim(System.getenv()).orElseThrow();
        claimed.complete(job);
        System.out.println("again " + JobProcess.claim(System.getenv()).isPresent());
        if (words[0].equals("wait")) {
            new CountDownLatch(1).await();
        }
        if (words[0].equals("vanish")) {
            Runtime.getRuntime().halt(5);
        }
        end(job, Integer.parseInt(words[0]), false);
    }

    private static void end(JobProcess job, int status, boolean cancelled) {
        try {
            job.end(status, cancelled, Instant.now());
        } catch (IOException failed) {
            failed.printStackTrace();
        }
    }
}
