package volsh.bench;

import java.io.IOException;
import java.util.List;

/** A series of measurements in a directory of its own, or on an existing file that it only reads. */
interface Bench {
    List<Measurement> run(Terms terms, Playground place) throws IOException;
}
