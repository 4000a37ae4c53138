package volsh.command.web;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import volsh.hang.Eventually;
import volsh.json.Fields;
import volsh.json.Json;

/** A page in headless Chromium, driven by the DevTools protocol. */
final class Browser implements AutoCloseable {
    private final Process process;
    private final WebSocket socket;
    private final AtomicInteger numbers = new AtomicInteger();
    private final Map<Long, CompletableFuture<Fields>> answers = new ConcurrentHashMap<>();
    /** What the page complained of: errors of scripts, blocked or failed requests. */
    private final List<String> complaints = new CopyOnWriteArrayList<>();

    static Optional<Path> chromium() {
        var names = List.of("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome");
        return Stream.of(System.getenv("PATH").split(":"))
                .flatMap(place -> names.stream().map(name -> Path.of(place, name)))
                .filter(Files::isExecutable).findFirst();
    }

    Browser(Path directory) throws Exception {
        assumeTrue(chromium().isPresent(), "no chromium here: apt-get install chromium-headless-shell");
        Path log = directory.resolve("chromium.log");
        process = new ProcessBuilder(chromium().orElseThrow().toString(), "--headless", "--no-sandbox",
                "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
                "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--remote-debugging-port=0",
                "--user-data-dir=" + directory.resolve("profile"), "about:blank")
                .redirectError(log.toFile()).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        Eventually.holds("Chromium listens",
                () -> Files.readString(log, StandardCharsets.ISO_8859_1).contains("DevTools listening on"));
        var port = Files.readString(log, StandardCharsets.ISO_8859_1)
                .replaceAll("(?s).*ws://127\\.0\\.0\\.1:(\\d+)/.*", "$1");
        var http = HttpClient.newHttpClient();
        BlockingQueue<String> pages = new LinkedBlockingQueue<>();
        Eventually.holds("a page is open", () -> {
            var list = http.send(java.net.http.HttpRequest.newBuilder(URI.create("http://127.0.0.1:%s/json"
                    .formatted(port))).build(), java.net.http.HttpResponse.BodyHandlers.ofString()).body();
            var page = Json.read(("{\"all\":" + list + "}").getBytes(StandardCharsets.UTF_8)).list("all").stream()
                    .filter(target -> "page".equals(target.values().get("type"))).findFirst();
            page.ifPresent(target -> pages.add((String) target.values().get("webSocketDebuggerUrl")));
            return page.isPresent();
        });
        socket = http.newWebSocketBuilder().buildAsync(URI.create(pages.remove()), new Receiver())
                .get(1, TimeUnit.MINUTES);
        for (String domain : List.of("Page", "Runtime", "Log", "Network")) {
            send(domain + ".enable", Map.of());
        }
    }

    private final class Receiver implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                receive(text.toString());
                text.setLength(0);
            }
            from.request(1);
            return null;
        }
    }

    private void receive(String message) {
        try {
            var fields = Json.read(message.getBytes(StandardCharsets.UTF_8));
            if (fields.has("id")) {
                answers.remove(fields.number("id")).complete(fields);
                return;
            }
            String method = fields.text("method");
            if (method.equals("Runtime.exceptionThrown")
                    || method.equals("Log.entryAdded") && !message.contains("\"level\":\"info\"")) {
                complaints.add(message);
            }
        } catch (IOException unreadable) {
            complaints.add(unreadable + ": " + message);
        }
    }

    private Fields send(String method, Map<String, Object> parameters) throws Exception {
        long number = numbers.incrementAndGet();
        var answer = new CompletableFuture<Fields>();
        answers.put(number, answer);
        var message = Json.line(Map.of("id", number, "method", method, "params", parameters));
        synchronized (this) {
            socket.sendText(new String(message, StandardCharsets.UTF_8), true).get(1, TimeUnit.MINUTES);
        }
        var fields = answer.get(2, TimeUnit.MINUTES);
        if (!fields.has("result")) {
            throw new AssertionError(method + ": " + fields.values());
        }
        return fields.fields("result");
    }

    void size(int width, int height) throws Exception {
        send("Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 600));
    }

    void dark(boolean dark) throws Exception {
        send("Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
    }

    void open(String url) throws Exception {
        send("Page.navigate", Map.of("url", url));
    }

    /** The value of an expression, as text. */
    String value(String expression) throws Exception {
        var result = send("Runtime.evaluate",
                Map.of("expression", "String(%s)".formatted(expression), "returnByValue", true)).fields("result");
        return String.valueOf(result.values().get("value"));
    }

    void awaitTrue(String what, String expression) {
        Eventually.holds(what, () -> value(expression).equals("true"));
    }

    Path screenshot(Path file) throws Exception {
        var data = send("Page.captureScreenshot", Map.of("format", "png", "captureBeyondViewport", true)).text("data");
        return Files.write(file, Base64.getDecoder().decode(data));
    }

    List<String> complaints() {
        return complaints;
    }

    @Override
    public void close() {
        socket.abort();
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().onExit().join();
    }
}
