package volsh.command.cache;

import picocli.CommandLine.Command;
import volsh.command.Examples;
import volsh.fs.Advice;

@Command(name = "random", description = {
        "Say that files will be read in random order, such as records or arrays that are mapped into memory.",
        "Mounts then fetch what is asked for and nothing else: no readahead, and never the rest of a block.",
        "Applies to everything below a directory, and stays in the volume until 'volsh advise normal PATH'."
                + " Mounts follow within two seconds, for files that are opened from then on."})
@Examples({"volsh advise random training-data:/dataset", "volsh advise random /mnt/data/dataset --dry-run"})
final class AdviseRandom extends AdviceChange {
    AdviseRandom() {
        super(Advice.RANDOM);
    }
}
