package volsh.volume;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import volsh.place.Policy;
import volsh.volume.Refusal.Reason;

/** Whether stores are there and enough for a layout, before anything is begun. */
final class Spreading {
    private Spreading() {}

    /** @throws Refusal NOT_FOUND for a store, INVALID if they are too few */
    static void require(Spread spread, Stores stores) throws IOException {
        var entries = new ArrayList<StoreEntry>();
        for (var name : spread.stores()) {
            if (!name.equals(Spread.VACANT) && !spread.leaving().contains(name)) {
                entries.add(stores.find(name));
            }
        }
        for (var component : spread.policy().map(Policy::components).orElse(List.of())) {
            long there = entries.stream().filter(each -> component.pool().stream().allMatch(each.pools()::contains)).count();
            if (there < component.layout().storesMin()) {
                throw new Refusal(Reason.INVALID, "%s takes %d stores, and there are %d%s".formatted(component.layout(),
                        component.layout().storesMin(), there, pool(component.pool())), "volsh store list",
                        "name more: --store s1,s2,s3");
            }
        }
    }

    private static String pool(Optional<String> pool) {
        return pool.map(name -> " in pool '%s'".formatted(name)).orElse("");
    }
}
