package volsh.engine;

import org.jspecify.annotations.Nullable;

/** A pending change of one row. */
sealed interface Change {
    /** The row after this change; null for a missing row, before and after. */
    byte @Nullable [] applyTo(byte @Nullable [] row);

    /** This change followed by an add. */
    Change plus(Delta delta);

    record Put(byte[] value) implements Change {
        @Override
        public byte[] applyTo(byte @Nullable [] row) {
            return value;
        }

        @Override
        public Change plus(Delta delta) {
            return new Put(delta.applyTo(value));
        }
    }

    record Delete() implements Change {
        @Override
        public byte @Nullable [] applyTo(byte @Nullable [] row) {
            return null;
        }

        @Override
        public Change plus(Delta delta) {
            return new Put(delta.row());
        }
    }

    record Add(Delta delta) implements Change {
        @Override
        public byte[] applyTo(byte @Nullable [] row) {
            return delta.applyTo(row);
        }

        @Override
        public Change plus(Delta more) {
            return new Add(delta.plus(more));
        }
    }
}
