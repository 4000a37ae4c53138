package volsh.prompt;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.prompt.AtTerminal.CTRL_C;
import static volsh.prompt.AtTerminal.CTRL_D;
import static volsh.prompt.AtTerminal.CTRL_Z;
import static volsh.prompt.AtTerminal.PROMPT;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.hang.Eventually;

/** A session at a real terminal: jobs, settings, files it starts with, and what stops what. */
@Timeout(600)
final class SessionTest {
    @TempDir
    Path directory;

    private static void well(AtTerminal.Shown shown) {
        assertThat(shown.status()).as(shown.screen()).isZero();
        assertThat(shown.screen()).doesNotContain("Exception", "\tat ");
    }

    @Test
    void jobsRunBesideTheLineThatIsTyped() throws Exception {
        Path gate = directory.resolve("gate");
        Path left = directory.resolve("left");
        Path trapped = directory.resolve("trapped");
        var shown = new AtTerminal(directory).type(
                PROMPT, "!until [ -e " + gate + " ]; do sleep 0.05; done; echo job speaks &\r",
                "[1] !until", "",
                PROMPT, "volume create half",
                "half", "@sleep 0.3",
                "", "-done; !touch " + gate + "\r",   // the line goes on where it was, whatever came between
                "created volume 'half-done'", "",
                "job speaks", "",
                "[1] done", "",
                PROMPT, "volume list | where { it.name =~ /half/ } | select name | to csv &\r",
                "name\r\nhalf-done", "",
                "[2] done", "volume show nope &\r",
                "no such volume: 'nope'", "",
                "[3] failed exit 3  volume show nope", "wait 3\r",
                "exit 3", "jobs | select job,state,exit | to csv\r",
                "1,done,0\r\n2,done,0\r\n3,failed,3", "",
                PROMPT, "!sleep 60 &\r",
                "[4] ", "",
                "1 job", "jobs.findAll { it.state == 'running' }*.line\r",
                "!sleep 60\r", "",
                PROMPT, "fg 4\r",
                "!sleep 60\r", CTRL_Z,
                "[4] !sleep 60", "",
                PROMPT, "kill 4\r",
                "[4] failed exit 130", "",
                PROMPT, "get -r half-done:/ /no-such/x\r",
                "!mkdir -p /no-such", "",   // mkdir alone is ours here
                PROMPT, "fg 9\r",
                "no such job: '9'", "",
                PROMPT, "!trap 'touch " + left + "; exit' TERM; touch " + trapped + "; while :; do sleep 0.1; done &\r",
                "[5] ", "@exists " + trapped,
                PROMPT, CTRL_D,
                "leave again", "",
                PROMPT, "quit\r",
                "stopping 1 job", "",
                "[5] failed exit 130", "");
        well(shown);
        assertThat(left).exists();
    }

    @Test
    void settingsAliasesHistoryAndTranscript() throws Exception {
        Path editor = Files.writeString(directory.resolve("editor"),
                "#!/bin/sh\necho 'volume list -o csv --columns name' > \"$1\"\n");
        Files.setPosixFilePermissions(editor, PosixFilePermissions.fromString("rwx------"));
        Path transcript = directory.resolve("t.transcript");
        var shown = new AtTerminal(directory).with("EDITOR", editor.toString()).with("PAGER", "sed s/^/paged:/").type(
                PROMPT, "volume create one\r",
                "created volume 'one'", "",
                PROMPT, "transcript on " + transcript + "\r",
                "transcript in", "",
                PROMPT, "alias names=volume list -o name\r",
                "alias names='volume list -o name'", "",
                PROMPT, "alias names='volume list -o csv --columns name'\r",
                PROMPT, "names\r",
                "name\r\none\r", "",
                PROMPT, "alias; df -q\r",
                "LINE", "",
                PROMPT, "time names\r",
                "took", "",
                PROMPT, "output csv; vars; volume list --columns name,store\r",
                "one,default", "",
                PROMPT, "output table; clear\r",
                PROMPT, "alias volume=ls\r",
                "choose another name", "",
                PROMPT, "def password = 'AKIA0123456789'\r",
                PROMPT, "println 'password=' + 'hunter2'\r",
                "password=hunter2", "",
                PROMPT, "transcript off\r",
                PROMPT, "set output json; volume list --columns name\r",
                "\"one\"", "",
                PROMPT, "[[a: 1]]\r",
                "{\u001b[34;1m\"a\"\u001b[0m: \u001b[36m1", "",
                PROMPT, "output table; theme light; set pager\r",
                "auto\r", "",
                PROMPT, "set colour never\r",
                "unknown setting 'colour'", "",
                "exit 2 (usage)", "",
                PROMPT, "(1..40).toList()\r",
                "paged:1\r", "",
                "paged:40\r", "",
                PROMPT, "set pager head -1; history -c; history | count\r",
                "| count", "",
                "0\r", "",
                PROMPT, "(1..100000).collect { 'line' + it }\r",            // who leaves a pager has seen enough
                "line1\r", "",
                PROMPT, "output table; theme light; set pager\r",
                "head -1\r", "",
                PROMPT, "set pager off; theme none\r",
                PROMPT, "(1..40).collect { 'row' + it }\r",
                "row40", "",
                PROMPT, "vars | where { it.name == 'password' } | select type | to csv\r",
                "String", "",
                PROMPT, "unset password; vars | where { it.name == 'password' } | count\r",
                "| count", "",
                "0\r", "",
                PROMPT, "\u0012theme light",                           // Ctrl-R
                "history: ", "@sleep 0.5",
                "", "\r",
                "off\r", "",
                PROMPT, "\u001b[200~volume create two -q\rvolume create three -q\r\u001b[201~",
                "three", "@sleep 0.5",
                "", CTRL_C,
                PROMPT, "volumes*.name\u001b\r",                          // Alt-Enter: another line, nothing runs
                "", "println 'second ' + 'line'\r",
                "second line", "",
                PROMPT, "\u0018\u0005",                                 // Ctrl-X Ctrl-E
                "Show these columns", "",
                "", "\r",
                "name\r\none\r", "",
                PROMPT, "time watch 100ms --until 'it.size() > 0' volume list --columns name\r",
                "every 100ms, q leaves: volume list --columns name", "",
                "took", "",
                "cpu", "",
                PROMPT, "quit\r");
        well(shown);
        assertThat(shown.screen()).doesNotContain("paged:row", "line2", "exit 141");
        assertThat(Files.readString(transcript)).contains(
                "#> names\nvolume list -o csv --columns name\n#| name\n#| one\n", "#> alias; df -q\ndf -q\n#| NAME",
                "#> time names\nvolume list -o csv --columns name\n#| name\n",
                "#> output csv; vars; volume list --columns name,store\nset output csv; volume list --columns "
                        + "name,store\n",
                "#> output table; clear\nset output table\n",
                "# a line was omitted", "#= exit 0").doesNotContain("AKIA", "hunter2");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(transcript))).isEqualTo("rw-------");
        var again = new AtTerminal(directory).arguments("run", "-k", transcript.toString())
                .type("name\r\none\r", "", "one,default", "");
        assertThat(again.status()).as(again.screen()).isZero();
        assertThat(Files.readString(directory.resolve("home/state/aliases")))
                .isEqualTo("names=volume list -o csv --columns name\n");
        try (var catalog = Files.walk(directory.resolve("home"))) {
            assertThat(catalog.map(Path::toString).filter(name -> name.contains("three"))).isEmpty();
        }
    }

    @Test
    void startUpFilesAreRunWhenTheyCanBeTrusted() throws Exception {
        Path config = Files.createDirectories(directory.resolve("home/config"));
        Files.writeString(config.resolve("rc.volsh"),
                "alias all='volume list'\nset output csv\nalias volume=no\nset theme none\n");
        Files.writeString(config.resolve("rc.groovy"), "def greeting = 'from rc'\ndef twice(n) { 2 * n }\n");
        Files.createDirectories(directory.resolve("home/state"));
        Files.writeString(directory.resolve("home/state/aliases"), "v=version\n");
        var shown = new AtTerminal(directory).type(
                "rc.volsh: 'volume' is already a command or a name; choose another name", "",
                PROMPT, "set theme\r",
                "none", "",
                PROMPT, "greeting + twice(21)\r",
                "from rc42", "",
                PROMPT, "alias\r",
                "name,line\r\nall,volume list\r\nv,version", "",
                PROMPT, "quit\r");
        well(shown);
        Files.setPosixFilePermissions(config.resolve("rc.volsh"), PosixFilePermissions.fromString("rw-rw-rw-"));
        var distrusted = new AtTerminal(directory).arguments("-q").type(
                "skipped start-up file", "",
                "it is world-writable", "",
                PROMPT, "set output\r",
                "table", "",
                PROMPT, "quit\r");
        well(distrusted);
        var without = new AtTerminal(directory).arguments("--no-rc", "-o", "json").type(
                PROMPT, "greeting\r",
                "unknown command 'greeting'", "",
                PROMPT, "set output\r",
                "json", "",
                PROMPT, "quit\r");
        well(without);
    }

    @Test
    void ctrlCStopsWhatRunsAndNeverTheShell() throws Exception {
        var bytes = new byte[2 << 20];
        new Random(7).nextBytes(bytes);
        Files.write(directory.resolve("file"), bytes);
        Path asked = directory.resolve("asked");
        Path enough = directory.resolve("enough");
        try (var silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread.ofPlatform().daemon().start(() -> listen(silent, asked, enough));
            var shown = new AtTerminal(directory).type(
                    PROMPT, "volume create data --block-size 64KiB; put file data:/file -q\r",
                    "created volume 'data'", "",
                    PROMPT, "cache warm data:/file --cache-dir cache --limit 64KiB/s\r",
                    "MiB", "@resize 30 70",
                    "", "@sleep 0.5",
                    "", CTRL_C,
                    "cancelled", "",
                    PROMPT, "store add dead s3://bucket --no-probe --anonymous --region x --endpoint http://127.0.0.1:"
                            + silent.getLocalPort() + "\r",
                    PROMPT, "store probe dead\r",
                    "", "@exists " + asked,
                    "", CTRL_C,
                    "cancelled", "",
                    PROMPT, "println 'read' + 'ing'; new Socket('127.0.0.1', " + silent.getLocalPort()
                            + ").inputStream.read()\r",
                    "reading", CTRL_C,
                    "stopping  println", "",     // this read cannot be stopped, but left
                    "exit 130", "df -q -o csv --columns volume\r",
                    "volume\r\ndata", "",
                    PROMPT, "!touch " + enough + "\r",
                    PROMPT, "wait 1\r",
                    "exit 6", "",
                    "", "println 'wait' + 'ing'; while (true) { try { Thread.sleep(9000) } catch (InterruptedException "
                            + "e) { } }\r",
                    "waiting", CTRL_C,
                    "cancelled", "",
                    PROMPT, "volume destroy data\r",
                    "to continue: ", CTRL_C,
                    "cancelled", "",
                    PROMPT, "volume list -o name\r",
                    "data", "",
                    PROMPT, "exit 3\r");
            assertThat(shown.status()).as(shown.screen()).isEqualTo(3);
        }
    }

    /** A store that hears every request and does not answer, until it is enough. */
    private static void listen(ServerSocket silent, Path asked, Path enough) {
        try (var open = silent.accept()) {
            assertThat(open.getInputStream().read()).isPositive();
            Files.createFile(asked);
            Eventually.holds("it is enough", () -> Files.exists(enough));
            silent.close();
            } catch (java.io.IOException over) {
            // The test has ended.
        }
    }

    /** A terminal that is closed, or an administrator: what runs is stopped and the shell ends. */
    @Test
    void theShellEndsWhenItIsTold() throws Exception {
        var shown = new AtTerminal(directory).type(
                PROMPT, "!sleep 60 &\r",
                "[1] ", "",
                "1 job", "@signal 15");
        assertThat(shown.status()).as(shown.screen()).isEqualTo(143);
        assertThat(shown.screen()).contains("[1] failed exit 130");
    }

    @Test
    void aScriptCanEndAtAPrompt() throws Exception {
        Files.writeString(directory.resolve("s.groovy"), "println 'script ' + args\nanswer = 42\n");
        var shown = new AtTerminal(directory).arguments("-i", "s.groovy", "a", "b").type(
                "script [a, b]", "",
                PROMPT, "answer + 1\r",
                "43", "",
                PROMPT, "quit\r");
        well(shown);
    }
}
