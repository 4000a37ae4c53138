package volsh.command.checkpoint;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import volsh.fs.ShellWord;
import volsh.job.Job;

/** A job that saves the copy of {@code checkpoint save --background}. */
record SaveJob(Job job, String volume, String run, long step, OptionalInt rank, Path copy) {
    /** Empty if the job does something else, or saves a directory that is not a staged copy. */
    static Optional<SaveJob> of(Job job) {
        var words = job.command();
        if (words.size() < 3 || !words.subList(0, 2).equals(List.of("checkpoint", "save"))
                || !words.contains("--move")) {
            return Optional.empty();
        }
        var run = option(words, "--run");
        var step = option(words, "--step").filter(text -> text.matches("\\d{1,12}"));
        var copy = option(words, "--from");
        if (run.isEmpty() || step.isEmpty() || copy.isEmpty()) {
            return Optional.empty();
        }
        var rank = option(words, "--rank").filter(text -> text.matches("\\d{1,9}")).map(Integer::valueOf);
        return Optional.of(new SaveJob(job, words.get(2), run.get(), Long.parseLong(step.get()),
                rank.isEmpty() ? OptionalInt.empty() : OptionalInt.of(rank.get()), Path.of(copy.get())));
    }

    private static Optional<String> option(List<String> words, String name) {
        int at = words.indexOf(name);
        return at < 0 || at + 1 >= words.size() ? Optional.empty() : Optional.of(words.get(at + 1));
    }

    /** The command that saves the copy, for a user to paste. */
    static String again(String volume, String run, long step, OptionalInt rank, Path copy) {
        return "volsh checkpoint save %s --run %s --step %d%s --from %s --move".formatted(volume, run, step,
                rank.isPresent() ? " --rank %d --world WORLD".formatted(rank.getAsInt()) : "", ShellWord.of(copy));
    }
}
