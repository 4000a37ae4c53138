#!/bin/sh
# Compressions on weights as models have them: normal with a deviation of 0.02, as bfloat16, float16 and float32, and Adam's second moments.
#   scripts/bench/planes.sh      VOLSH=path/to/bin/volsh (default ./volsh)   COUNT=4000000 (numbers in each file)
set -eu
CDPATH='' cd -- "$(dirname -- "$0")/../.."
volsh=${VOLSH:-$PWD/volsh}
work=$(mktemp -d "${TMPDIR:-/tmp}/volsh-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
/usr/bin/python3 - "$work" "${COUNT:-4000000}" <<'PYTHON'
import array, math, random, struct, sys
place, count = sys.argv[1], int(sys.argv[2])
chance = random.Random(1)
weights = array.array("f", (chance.gauss(0, 0.02) for _ in range(count)))
bits = array.array("I", weights.tobytes())
brain = array.array("H", ((word + 0x7fff + (word >> 16 & 1)) >> 16 for word in bits))
with open(place + "/1-bfloat16", "wb") as out:
    brain.tofile(out)
with open(place + "/2-float32", "wb") as out:
    weights.tofile(out)
with open(place + "/3-float32-of-bfloat16", "wb") as out:
    array.array("I", (half << 16 for half in brain)).tofile(out)
with open(place + "/4-float16", "wb") as out:
    out.write(struct.pack("<%de" % count, *weights))
with open(place + "/5-adam-second-moment", "wb") as out:
    array.array("f", (chance.gauss(0, 1) ** 2 * 1e-6 * math.exp(chance.gauss(0, 1)) for _ in range(count))).tofile(out)
PYTHON
for file in "$work"/*; do
    echo "${file##*/}"
    "$volsh" -q bench run compress --on "$file" --block-size 16MiB
done
