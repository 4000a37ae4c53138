package volsh.block.s3;

import java.io.IOException;
import java.io.StringReader;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;

/**
 * An XML response as flat lists: for every entry, by the name of its element, the text of the elements in it; and the
 * text of the elements outside of entries. Knows no DTD and no entities of its own.
 */
record XmlAnswer(Map<String, List<Map<String, String>>> entries, Map<String, String> others) {
    private static final XMLInputFactory FACTORY = factory();

    private static XMLInputFactory factory() {
        var factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_COALESCING, true);
        return factory;
    }

    /** {@code root} is the expected outermost element, {@code items} are the elements that are entries. */
    static XmlAnswer of(String text, String root, Set<String> items) throws IOException {
        var entries = new HashMap<String, List<Map<String, String>>>();
        var others = new HashMap<String, String>();
        var at = others;
        var letters = new StringBuilder();
        String outermost = "";
        try {
            var in = FACTORY.createXMLStreamReader(new StringReader(text));
            while (in.hasNext()) {
                switch (in.next()) {
                    case XMLStreamConstants.START_ELEMENT -> {
                        letters.setLength(0);
                        String name = in.getLocalName();
                        outermost = outermost.isEmpty() ? name : outermost;
                        if (items.contains(name)) {
                            at = new HashMap<>();
                            entries.computeIfAbsent(name, first -> new ArrayList<>()).add(at);
                        }
                    }
                    case XMLStreamConstants.CHARACTERS -> letters.append(in.getText());
                    case XMLStreamConstants.END_ELEMENT -> {
                        if (items.contains(in.getLocalName())) {
                            at = others;
                        } else {
                            at.put(in.getLocalName(), letters.toString());
                        }
                        letters.setLength(0);
                    }
                    default -> { }
                }
            }
        } catch (XMLStreamException broken) {
            throw new IOException("invalid response: not well-formed XML");
        }
        if (!outermost.equals(root) && !(root.equals("CopyPartResult") && outermost.equals("CopyObjectResult"))) {
            throw new IOException("invalid response: %s instead of %s".formatted(outermost, root));
        }
        return new XmlAnswer(entries, others);
    }

    List<Map<String, String>> entries(String name) {
        return entries.getOrDefault(name, List.of());
    }

    /** The text of this element outside of entries; fails without it. */
    String text(String name) throws IOException {
        return text(others, name);
    }

    /** The text of this element of an entry; fails without it. */
    static String text(Map<String, String> entry, String name) throws IOException {
        String found = entry.get(name);
        if (found == null) {
            throw new IOException("invalid response: no %s".formatted(name));
        }
        return found;
    }

    boolean isTrue(String name) {
        return "true".equals(others.get(name));
    }

    /** A key, which is URL-encoded if the response says so: XML cannot hold every character of a key. */
    String key(String text) throws IOException {
        try {
            return "url".equals(others.get("EncodingType")) ? URLDecoder.decode(text, StandardCharsets.UTF_8) : text;
        } catch (IllegalArgumentException wrong) {
            throw new IOException("invalid response: a malformed key: " + text);
        }
    }

    /** Text for a request. */
    static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")
                .replace("\n", "&#10;").replace("\t", "&#9;");
    }

    /** Whether XML can hold the text at all. */
    static boolean canHold(String text) {
        return text.chars().allMatch(letter -> letter >= ' ' && letter != '\ufffe' && letter != '\uffff'
                || letter == '\t' || letter == '\n' || letter == '\r');
    }
}
