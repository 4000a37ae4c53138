package volsh.command.builtin;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Model.CommandSpec;
import volsh.command.man.Manual;
import volsh.command.man.Topic;

/** Finds a word in commands, options and topics: in names first, then in descriptions. */
final class Search {
    private final String word;
    private final List<Hit> named = new ArrayList<>();
    private final List<Hit> said = new ArrayList<>();

    /** A match; {@code see} is the command that shows more. */
    record Hit(String name, String kind, String summary, String see) {}

    private Search(String word) {
        this.word = word.toLowerCase(Locale.ROOT);
    }

    static List<Hit> of(CommandSpec root, String word) {
        var search = new Search(word);
        search.commands(root);
        search.topics();
        var hits = new ArrayList<>(search.named);
        hits.addAll(search.said);
        return hits;
    }

    private void commands(CommandSpec spec) {
        Manual manual = Manual.of(spec);
        boolean top = spec.parent() == null;
        String name = top ? manual.command() : manual.command().substring(manual.command().indexOf(' ') + 1);
        String see = top ? "volsh help" : "volsh help " + name;
        if (!top) {
            note(new Hit(name, "command", manual.summary(), see), name + " " + manual.aliases(),
                    String.join(" ", manual.description()));
        }
        for (var option : top ? manual.globals() : manual.options()) {
            note(new Hit(top ? option.term() : name + " " + option.term(), "option", option.meaning(), see),
                    option.term(), option.meaning());
        }
        Manual.visible(spec).forEach(this::commands);
    }

    private void topics() {
        for (Topic topic : Topic.all()) {
            note(new Hit(topic.name(), "topic", topic.summary(), "volsh help " + topic.name()),
                    topic.name() + " " + topic.words(), topic.summary() + " " + topic.text());
        }
    }

    private void note(Hit hit, String name, String text) {
        if (name.toLowerCase(Locale.ROOT).contains(word)) {
            named.add(hit);
        } else if (text.toLowerCase(Locale.ROOT).contains(word)) {
            said.add(hit);
        }
    }
}
