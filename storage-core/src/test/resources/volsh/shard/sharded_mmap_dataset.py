import mmap
import os
import struct
import time
import numpy as np
from typing import Iterator

class ShardedMmapDataset:
    """
    Large dataset stored as fixed-size binary shards.
    Uses mmap for zero-copy access - the OS page cache handles caching.
    Suitable for datasets too large to fit in RAM.
    """

    MAGIC = b"SHARD001"
    HEADER_SIZE = 64 # bytes

    def __init__(self, shard_dir: str, dtype: np.dtype = np.float32):
        self.shard_dir = shard_dir
        self.dtype = dtype
        self.shards = []
        self._load_shards()

    def _load_shards(self):
        import glob
        shard_paths = sorted(glob.glob(os.path.join(self.shard_dir, "*.shard")))
        for path in shard_paths:
            f = open(path, "rb")
            # Validate magic header
            magic = f.read(8)
            assert magic == self.MAGIC, f"Invalid shard file: {path}"

            # Read shard metadata
            n_samples, sample_dim = struct.unpack("!QQ", f.read(16))
            f.read(self.HEADER_SIZE - 24) # padding

            mm = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)
            self.shards.append({
                "path": path,
                "file": f,
                "mmap": mm,
                "n_samples": n_samples,
                "sample_dim": sample_dim,
                "item_bytes": n_samples * sample_dim * self.dtype.itemsize,
            })

    def __len__(self) -> int:
        return sum(s["n_samples"] for s in self.shards)

    def __getitem__(self, idx: int) -> np.ndarray:
        # Find which shard contains this index
        cumulative = 0
        for shard in self.shards:
            if idx < cumulative + shard["n_samples"]:
                local_idx = idx - cumulative
                offset = self.HEADER_SIZE + local_idx * shard["sample_dim"] * self.dtype.itemsize
                size = shard["sample_dim"] * self.dtype.itemsize
                raw = shard["mmap"][offset: offset + size]
                return np.frombuffer(raw, dtype=self.dtype).copy()
            cumulative += shard["n_samples"]
        raise IndexError(f"Index {idx} out of range")

    def sequential_iter(self, batch_size: int = 32) -> Iterator[np.ndarray]:
        """
        Sequential scan - OS prefetcher will detect the pattern and prefetch.
        This is the most cache-efficient access pattern.
        """
        for shard in self.shards:
            n = shard["n_samples"]
            dim = shard["sample_dim"]
            item_bytes = dim * self.dtype.itemsize

            for batch_start in range(0, n, batch_size):
                batch_end = min(batch_start + batch_size, n)
                offset = self.HEADER_SIZE + batch_start * item_bytes
                size = (batch_end - batch_start) * item_bytes
                raw = shard["mmap"][offset: offset + size]
                batch = np.frombuffer(raw, dtype=self.dtype).reshape(-1, dim).copy()
                yield batch

    def __del__(self):
        for shard in self.shards:
            shard["mmap"].close()
            shard["file"].close()
