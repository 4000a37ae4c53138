import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;

/**
 * As much of an S3 server as a mount needs to be trained on: objects in memory, every signature is good. Prints its
 * port.
 */
public final class TrainingBucket {
    private static final Pattern RANGE = Pattern.compile("bytes=(\\d+)-(\\d+)");
    private static final Pattern KEY = Pattern.compile("<Key>([^<]+)</Key>");
    private static final Map<String, byte[]> OBJECTS = new ConcurrentSkipListMap<>();

    public static void main(String[] words) throws IOException {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newFixedThreadPool(8));
        server.createContext("/", TrainingBucket::answer);
        server.start();
        System.out.println(server.getAddress().getPort());
    }

    private static void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            String name = exchange.getRequestURI().getPath();
            String query = String.valueOf(exchange.getRequestURI().getQuery());
            switch (exchange.getRequestMethod()) {
                case "PUT" -> put(exchange, name, body);
                case "POST" -> deleteAll(exchange, name, new String(body, StandardCharsets.UTF_8));
                case "DELETE" -> {
                    OBJECTS.remove(name);
                    exchange.sendResponseHeaders(204, -1);
                }
                default -> {
                    if (query.contains("list-type")) {
                        list(exchange, name, query);
                    } else {
                        get(exchange, OBJECTS.get(name));
                    }
                }
            }
        }
    }

    private static void put(HttpExchange exchange, String name, byte[] body) throws IOException {
        boolean once = exchange.getRequestHeaders().containsKey("If-None-Match");
        if (once && OBJECTS.containsKey(name)) {
            text(exchange, 412, "<Error><Code>PreconditionFailed</Code></Error>");
            return;
        }
        OBJECTS.put(name, body);
        exchange.getResponseHeaders().set("ETag", "\"0\"");
        exchange.sendResponseHeaders(200, -1);
    }

    private static void get(HttpExchange exchange, byte[] object) throws IOException {
        if (object == null) {
            text(exchange, 404, "<Error><Code>NoSuchKey</Code></Error>");
            return;
        }
        var range = RANGE.matcher(String.valueOf(exchange.getRequestHeaders().getFirst("Range")));
        int from = range.matches() ? Integer.parseInt(range.group(1)) : 0;
        if (from >= object.length && range.matches()) {
            text(exchange, 416, "<Error><Code>InvalidRange</Code></Error>");
            return;
        }
        int to = range.matches() ? Math.min(object.length, Integer.parseInt(range.group(2)) + 1) : object.length;
        boolean head = exchange.getRequestMethod().equals("HEAD");
        exchange.getResponseHeaders().set("Content-Range", "bytes %d-%d/%d".formatted(from, to - 1, object.length));
        exchange.sendResponseHeaders(range.matches() ? 206 : 200, head ? -1 : to - from);
        if (!head) {
            exchange.getResponseBody().write(object, from, to - from);
        }
    }

    private static void deleteAll(HttpExchange exchange, String bucket, String body) throws IOException {
        var answer = new StringBuilder("<DeleteResult>");
        var keys = KEY.matcher(body);
        while (keys.find()) {
            OBJECTS.remove(bucket.replaceAll("/$", "") + "/" + keys.group(1));
            answer.append("<Deleted><Key>").append(keys.group(1)).append("</Key></Deleted>");
        }
        text(exchange, 200, answer.append("</DeleteResult>").toString());
    }

    private static void list(HttpExchange exchange, String bucket, String query) throws IOException {
        var parameters = new TreeMap<String, String>();
        for (var each : query.split("&")) {
            parameters.put(each.split("=", 2)[0], each.contains("=") ? each.split("=", 2)[1] : "");
        }
        String base = bucket.replaceAll("/$", "") + "/";
        var answer = new StringBuilder("<ListBucketResult><IsTruncated>false</IsTruncated>");
        OBJECTS.forEach((name, bytes) -> {
            if (name.startsWith(base + parameters.getOrDefault("prefix", ""))) {
                answer.append("<Contents><Key>").append(name.substring(base.length())).append("</Key><Size>")
                        .append(bytes.length)
                        .append("</Size><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>");
            }
        });
        text(exchange, 200, answer.append("</ListBucketResult>").toString());
    }

    private static void text(HttpExchange exchange, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/xml");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }
}
