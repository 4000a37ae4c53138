package volsh.command.cache;

import picocli.CommandLine.Command;
import volsh.command.Examples;
import volsh.fs.Advice;

@Command(name = "sequential", description = {
        "Say that files will be read from the beginning to the end, once, such as shards.",
        "Mounts then load ahead from the first read on, up to twice --readahead, and let go of what a reader has"
                + " passed: frames in memory and pages of the kernel. Cache directories keep it.",
        "Applies to everything below a directory, and stays in the volume until 'volsh advise normal PATH'."
                + " Mounts follow within two seconds, for files that are opened from then on."})
@Examples({"volsh advise sequential training-data:/dataset", "volsh advise sequential /mnt/data/dataset --dry-run"})
final class AdviseSequential extends AdviceChange {
    AdviseSequential() {
        super(Advice.SEQUENTIAL);
    }
}
