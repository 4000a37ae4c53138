package volsh.command.cache;

import picocli.CommandLine.Command;
import volsh.command.Examples;
import volsh.fs.Advice;

@Command(name = "normal", description = {"Remove what was said about how files will be read.",
        "Mounts then find out by how files are read. Below a directory with other advice, the path is an exception."})
@Examples({"volsh advise normal training-data:/dataset", "volsh advise clear /mnt/data/dataset"})
final class AdviseNormal extends AdviceChange {
    AdviseNormal() {
        super(Advice.NORMAL);
    }
}
