package volsh.command.object;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import volsh.block.RetryPolicy;
import volsh.block.StoreUrl;
import volsh.bucket.OpenBuckets;
import volsh.command.complete.Candidate;
import volsh.object.ObjectQuery;
import volsh.volume.StoreCatalog;

/**
 * Completes {@code store://key} of named stores that are buckets, from one page of a listing, if it comes soon. Other
 * buckets are not asked: it is not known how.
 */
public final class StoreCompletion {
    private static final String LONGEST = "250ms";
    private static final int PAGE = 200;
    private static final String SLASHES = "://";

    private StoreCompletion() {}

    /** Whether the word names a store. */
    public static boolean isMeant(String typed) {
        return typed.matches("[a-z0-9][a-z0-9-]*://.*");
    }

    /** The named stores that are buckets. */
    public static List<Candidate> stores(StoreCatalog stores) throws IOException {
        var found = new ArrayList<Candidate>();
        for (var store : stores.list()) {
            if (store.url().scheme() == StoreUrl.Scheme.S3) {
                found.add(Candidate.name(store.name() + SLASHES, store.url().path()));
            }
        }
        return found;
    }

    /** The keys that continue the word, up to the next slash. */
    public static List<Candidate> keys(StoreCatalog stores, String typed) throws IOException {
        String name = typed.substring(0, typed.indexOf(SLASHES));
        if (!stores.names().contains(name) || stores.find(name).url().scheme() != StoreUrl.Scheme.S3) {
            return List.of();
        }
        var url = stores.find(name).url();
        var options = new TreeMap<>(url.options());
        options.put("timeout", LONGEST);
        String key = typed.substring(typed.indexOf(SLASHES) + SLASHES.length());
        var found = new ArrayList<Candidate>();
        try (var store = OpenBuckets.open(new StoreUrl(url.scheme(), url.path(), options), RetryPolicy.ONCE)) {
            var page = store.list(new ObjectQuery(key, true, "", PAGE));
            page.prefixes().forEach(each -> found.add(Candidate.name(name + SLASHES + each, "directory")));
            page.objects().forEach(each -> found.add(Candidate.name(name + SLASHES + each.key(), "object")));
        }
        return found;
    }
}
