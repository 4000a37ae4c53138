package volsh.dataset.shards;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import volsh.dataset.DatasetDirectory;
import volsh.shard.ShardFormat;

/** Names of shards as people write them: {@code train-{000000..000127}.tar}, {@code train-*.tar}, or a directory. */
public final class ShardPattern {
    private static final Pattern BRACES = Pattern.compile("\\{([^{}]*)}");
    private static final Pattern RANGE = Pattern.compile("(\\d{1,9})\\.\\.(\\d{1,9})");
    private static final int EXPANDED_MAX = 1_000_000;

    private ShardPattern() {}

    /** The words that a word with braces stands for, as a shell would expand it. */
    public static List<String> expanded(String word) {
        Matcher braces = BRACES.matcher(word);
        if (!braces.find()) {
            return List.of(word);
        }
        var words = new ArrayList<String>();
        for (String choice : choices(braces.group(1))) {
            words.addAll(expanded(word.substring(0, braces.start()) + choice + word.substring(braces.end())));
            if (words.size() > EXPANDED_MAX) {
                throw new IllegalArgumentException("'%s' stands for more than %d names".formatted(word, EXPANDED_MAX));
            }
        }
        return words;
    }

    private static List<String> choices(String inner) {
        Matcher range = RANGE.matcher(inner);
        if (!range.matches()) {
            return List.of(inner.split(",", -1));
        }
        int first = Integer.parseInt(range.group(1));
        int last = Integer.parseInt(range.group(2));
        if (Math.abs((long) last - first) > EXPANDED_MAX) {
            throw new IllegalArgumentException("'{%s}' stands for more than %d names".formatted(inner, EXPANDED_MAX));
        }
        int width = range.group(1).startsWith("0") || range.group(2).startsWith("0")
                ? Math.max(range.group(1).length(), range.group(2).length()) : 1;
        return Stream.iterate(first, n -> first <= last ? n <= last : n >= last, n -> first <= last ? n + 1 : n - 1)
                .map(number -> "%0".concat(width + "d").formatted(number)).toList();
    }

    /** Whether a name has characters that stand for others. */
    public static boolean isGlob(String name) {
        return name.chars().anyMatch(c -> c == '*' || c == '?' || c == '[');
    }

    /** The shards directly in a directory whose names match, sorted. */
    public static List<ShardFile> matching(DatasetDirectory directory, String glob) throws IOException {
        var matcher = FileSystems.getDefault().getPathMatcher("glob:" + glob);
        return directory.names("").stream().filter(name -> matcher.matches(Path.of(name)) && isShard(name))
                .map(name -> new ShardFile(directory, name)).toList();
    }

    /**
     * The shards of a dataset: those its {@code dataset.json} lists, else those in the directory and one level below.
     */
    public static List<ShardFile> all(DatasetDirectory directory) throws IOException {
        var record = DatasetRecord.in(directory);
        if (record.isPresent()) {
            return record.get().shards().stream().map(shard -> new ShardFile(directory, shard.name())).toList();
        }
        var found = new ArrayList<ShardFile>();
        for (String name : directory.names("")) {
            if (isShard(name)) {
                found.add(new ShardFile(directory, name));
            } else if (!name.contains(".")) {
                directory.names(name).stream().filter(ShardPattern::isShard)
                        .forEach(below -> found.add(new ShardFile(directory, name + "/" + below)));
            }
        }
        return found;
    }

    private static boolean isShard(String name) {
        return !name.startsWith(".")
                && Stream.of(ShardFormat.values()).anyMatch(format -> name.endsWith("." + format.extension()));
    }
}
