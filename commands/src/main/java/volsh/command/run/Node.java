package volsh.command.run;

import java.util.List;
import java.util.function.Supplier;
import volsh.command.Action;

/**
 * A place in the command tree: a command, or a noun with its verbs. Commands are made only when the words may call
 * them.
 */
public sealed interface Node {
    String name();

    List<String> aliases();

    /** The commands below it. */
    List<Node> nodes();

    /** A command made by {@code maker} for each line; its description, options and examples are on its class. */
    record Leaf(String name, List<String> aliases, Supplier<? extends Action<?>> maker, List<Node> nodes)
            implements Node {
        @Override
        public Node alias(String... names) {
            return new Leaf(name, List.of(names), maker, nodes);
        }

        /** The same, with commands of its own below: {@code durability FILE} and {@code durability wait FILE}. */
        public Node with(Node... below) {
            return new Leaf(name, aliases, maker, List.of(below));
        }
    }

    /** A noun: {@code volume} with {@code create}, {@code list} and so on below. */
    record Group(String name, List<String> aliases, String description, List<Node> nodes) implements Node {
        @Override
        public Node alias(String... names) {
            return new Group(name, List.of(names), description, nodes);
        }
    }

    static Leaf command(String name, Supplier<? extends Action<?>> maker) {
        return new Leaf(name, List.of(), maker, List.of());
    }

    static Node group(String name, String description, Node... nodes) {
        return new Group(name, List.of(), description, List.of(nodes));
    }

    /** The same place, found under these names too. */
    Node alias(String... names);
}
