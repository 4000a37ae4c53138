package volsh.shell;

import java.io.IOException;

/** The program. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) throws IOException {
        System.exit(run(arguments));
    }

    private static int run(String... arguments) throws IOException {
        return switch (arguments.length == 0 ? "" : arguments[0]) {
            case "--version" -> version();
            case "selftrain" -> Training.of(arguments).run(Main::run);
            default -> usage();
        };
    }

    private static int version() throws IOException {
        System.out.println(BuildFacts.load());
        return 0;
    }

    private static int usage() {
        System.err.println("usage: volsh --version");
        return 2;
    }
}
