package volsh.gateway;

import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;

/**
 * The body of a request as a flat list: the text of the elements of each entry, and of those outside of entries.
 * Knows no DTD and no entity of its own.
 */
record XmlRequest(List<Map<String, String>> items, Map<String, String> others) {
    private static final XMLInputFactory FACTORY = factory();

    private static XMLInputFactory factory() {
        var factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_COALESCING, true);
        return factory;
    }

    static XmlRequest of(byte[] body, String item, int most) throws S3Refusal {
        var items = new ArrayList<Map<String, String>>();
        var others = new HashMap<String, String>();
        try {
            var in = FACTORY.createXMLStreamReader(new ByteArrayInputStream(body));
            Map<String, String> at = others;
            var text = new StringBuilder();
            while (in.hasNext()) {
                switch (in.next()) {
                    case XMLStreamConstants.START_ELEMENT -> {
                        text.setLength(0);
                        if (in.getLocalName().equals(item)) {
                            if (items.size() == most) {
                                throw malformed("more than %d times %s".formatted(most, item));
                            }
                            at = new HashMap<>();
                            items.add(at);
                        }
                    }
                    case XMLStreamConstants.CHARACTERS -> text.append(in.getText());
                    case XMLStreamConstants.END_ELEMENT -> {
                        if (in.getLocalName().equals(item)) {
                            at = others;
                        } else {
                            at.put(in.getLocalName(), text.toString());
                        }
                        text.setLength(0);
                    }
                    default -> { }
                }
            }
        } catch (XMLStreamException broken) {
            throw malformed("not well-formed XML");
        }
        return new XmlRequest(items, others);
    }

    private static S3Refusal malformed(String why) {
        return new S3Refusal(400, "MalformedXML", "the body cannot be read: " + why);
    }
}
