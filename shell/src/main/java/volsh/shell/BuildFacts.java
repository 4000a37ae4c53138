package volsh.shell;

import java.io.IOException;
import java.util.Properties;

/** What this build was made from, as the build wrote it into {@code volsh/build.properties}. */
record BuildFacts(String version, String commit, String date, String jdk) {
    /** The facts of the running build; a class path that was not made by the build has none of them. */
    static BuildFacts load() throws IOException {
        var facts = new Properties();
        try (var in = BuildFacts.class.getResourceAsStream("/volsh/build.properties")) {
            if (in != null) {
                facts.load(in);
            }
        }
        return new BuildFacts(
                facts.getProperty("version", "unknown"),
                facts.getProperty("commit", "unknown"),
                facts.getProperty("date", "unknown"),
                facts.getProperty("jdk", "unknown"));
    }

    @Override
    public String toString() {
        return "volsh %s (commit %s, %s, JDK %s)".formatted(version, commit, date, jdk);
    }
}
