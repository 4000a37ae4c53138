#!/usr/bin/env python3
"""A training loop over WebDataset shards on a volsh mount, or in any directory.

    volsh shard pack ./imagenet data:/shards --samples 1000 --split train=0.9,val=0.1 --shuffle --seed 42
    volsh mount data /mnt/data
    python3 train_webdataset.py '/mnt/data/shards/train-*.tar' --epochs 2 --batch 256 --rank 0 --world 4

Each rank and worker reads its own shards, those that `volsh shard assign` lists. Needs only the standard library; --loader torch uses a
DataLoader of PyTorch with --workers processes, --loader webdataset the webdataset package, with the same shards.
"""
import argparse
import glob
import random
import sys
import tarfile
import time


def assigned(shards, seed, epoch, rank, world, worker=0, workers=1):
    """The shards of a reader in an epoch: the line that `volsh shard assign -v` prints."""
    shards = sorted(shards)
    random.Random(seed + epoch).shuffle(shards)
    return shards[rank::world][worker::workers]


def samples(shard):
    """The samples of a shard: adjacent members whose names agree up to the first dot of the base name."""
    key, sample = None, {}
    with tarfile.open(shard, "r|") as archive:
        for member in archive:
            if not member.isfile():
                continue
            directory, slash, base = member.name.rpartition("/")
            stem, _, field = base.partition(".")
            if directory + slash + stem != key:
                if sample:
                    yield key, sample
                key, sample = directory + slash + stem, {}
            sample[field] = archive.extractfile(member).read()
    if sample:
        yield key, sample


def shuffled(stream, size, seed):
    """Draws from a buffer of this many samples."""
    draw, buffer = random.Random(seed), []
    for item in stream:
        buffer.append(item)
        if len(buffer) >= size:
            index = draw.randrange(len(buffer))
            buffer[index], buffer[-1] = buffer[-1], buffer[index]
            yield buffer.pop()
    draw.shuffle(buffer)
    yield from buffer


def batches(stream, size):
    batch = []
    for item in stream:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def read(shards, loader, buffer, seed):
    if loader == "webdataset":
        import webdataset
        dataset = webdataset.WebDataset(shards, shardshuffle=False, nodesplitter=None).shuffle(buffer)
        return ((sample["__key__"], {k: v for k, v in sample.items() if not k.startswith("__")}) for sample in dataset)
    return shuffled((sample for shard in shards for sample in samples(shard)), buffer, seed)


def torch_batches(shards, batch, buffer, seed, workers):
    """Batches from the worker processes of a DataLoader; each worker reads its own shards."""
    from torch.utils import data

    class Shards(data.IterableDataset):
        def __iter__(self):
            worker = data.get_worker_info()
            own = shards[worker.id::worker.num_workers] if worker else shards
            return read(own, "tarfile", buffer, seed)

    return data.DataLoader(Shards(), batch_size=batch, num_workers=workers, collate_fn=list)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shards", help="pattern of the shards")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--shuffle", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--rank", type=int, default=0)
    parser.add_argument("--world", type=int, default=1)
    parser.add_argument("--loader", choices=["tarfile", "webdataset", "torch"], default="tarfile")
    parser.add_argument("--workers", type=int, default=0, help="processes of --loader torch")
    arguments = parser.parse_args()
    found = glob.glob(arguments.shards)
    if not found:
        sys.exit("no shards match " + arguments.shards)
    for epoch in range(arguments.epochs):
        mine = assigned(found, arguments.seed, epoch, arguments.rank, arguments.world)
        began, count, size, labels = time.monotonic(), 0, 0, set()
        seed = arguments.seed + epoch
        read_batches = (torch_batches(mine, arguments.batch, arguments.shuffle, seed, arguments.workers) if arguments.loader == "torch"
                        else batches(read(mine, arguments.loader, arguments.shuffle, seed), arguments.batch))
        for batch in read_batches:
            for _, fields in batch:                      # a model would learn from the batch here
                size += sum(len(value) for value in fields.values())
                labels.add(int(fields["cls"]))
            count += len(batch)
        took = max(time.monotonic() - began, 1e-9)
        print("epoch %d: %d samples of %d classes from %d shards, %.1f MB/s" % (epoch, count, len(labels), len(mine), size / took / 1e6))


if __name__ == "__main__":
    main()
