package volsh.vfs;

import java.time.Duration;

/** The oracle itself keeps the promises it is used to check, as far as it has the calls: it has no holes. */
final class ReferencePosixTest
        implements NameContract, LinkContract, RenameContract, ListingContract, TimeContract {
    private final ManualClock clock = new ManualClock();
    private final Posix posix = new ReferencePosix(clock);

    @Override
    public Posix fs() {
        return posix;
    }

    @Override
    public int many() {
        return 1_500;
    }

    @Override
    public void letTimePass() {
        clock.advance(Duration.ofMillis(10));
    }
}
