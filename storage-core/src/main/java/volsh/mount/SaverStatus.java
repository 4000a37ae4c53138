package volsh.mount;

import java.nio.file.Path;

/**
 * How a mount's process stands with the checkpoints of a run.
 *
 * @param running the step in work, {@code last} the one saved last; null if there is none
 * @param error   the last one; empty if there was none
 * @param untold  how many failed that nobody was told of who waited
 */
public record SaverStatus(Path mount, String run, int waiting, Long running, Long last, long saved, long skipped, long failed, String error, int untold) {
    static SaverStatus parse(Path mount, String line) {
        var phrase = Phrase.parse(line);
        var words = phrase.words();
        return new SaverStatus(mount, phrase.verb(), Integer.parseInt(words.get(0)), number(words.get(1)), number(words.get(2)),
                Long.parseLong(words.get(3)), Long.parseLong(words.get(4)), Long.parseLong(words.get(5)), words.get(6), words.size() > 7 ? Integer.parseInt(words.get(7)) : 0);
    }

    private static Long number(String word) {
        return word.equals("-") ? null : Long.valueOf(word);
    }

    public boolean idle() {
        return waiting == 0 && running == null;
    }
}
