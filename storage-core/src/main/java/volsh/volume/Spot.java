package volsh.volume;

import volsh.meta.PlaceRows;
import volsh.place.PlacedStore;

/** Where the blocks of an open volume are: its stores as one, and what its metadata say of them. */
public record Spot(PlacedStore store, PlaceRows rows) {}
