#!/usr/bin/env python3
"""A training loop on a volsh mount that does not wait for its checkpoints.

    volsh mount ckpts /mnt/ckpts
    python3 train_loop.py /mnt/ckpts --run r1 --steps 100 --every 10 --keep last=3

It writes each checkpoint to one file on the mount and asks the mount's process to save it. The mount clones the file without copying
bytes, answers at once, and saves in the background; the next checkpoint may overwrite the file. Needs only the standard library;
uses torch if it is installed.
"""
import argparse
import json
import os
import random
import socket
import struct
import subprocess
import time
from urllib.parse import quote_plus, unquote_plus

try:
    import torch
except ImportError:
    torch = None


class Checkpointer:
    """Saves checkpoints of one run through the socket of a mount.

    save() returns True if the step will be saved, and False if it is skipped because the previous one is still being saved. The next wait()
    raises background failures as RuntimeError; status() shows them, too.
    """

    def __init__(self, mount, run, keep=None, address=None):
        self.run, self.keep = run, keep
        self.address = address or os.environ.get("VOLSH_SOCKET") or self._find(mount)

    @staticmethod
    def _find(mount):
        shown = subprocess.run(["volsh", "mounts", "show", mount, "-o", "json"], check=True, capture_output=True, text=True)
        value = json.loads(shown.stdout)
        return (value[0] if isinstance(value, list) else value)["socket"]

    def _ask(self, verb, *words):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as channel:
            channel.connect(self.address)
            channel.sendall((" ".join([verb] + [quote_plus(str(word)) for word in words]) + "\n").encode())
            with channel.makefile("r", encoding="utf-8") as answer:
                lines = answer.read().splitlines()
        if not lines or lines[0] != "ok":
            raise RuntimeError(lines[0].removeprefix("error ") if lines else "the mount closed the connection")
        return lines[1:]

    def save(self, step, path, **metrics):
        options = ["metric:%s=%r" % (name, float(value)) for name, value in metrics.items()]
        if self.keep:
            options.append("keep=" + self.keep)
        return self._ask("checkpoint-save", self.run, step, os.path.abspath(path), *options) == ["queued"]

    def _status(self, lines):
        for line in lines:
            run, waiting, running, last, saved, skipped, failed, error = (line + " ").split(" ")[:8]
            if run == self.run:
                return {"waiting": int(waiting), "running": running, "last": last, "saved": int(saved), "skipped": int(skipped),
                        "failed": int(failed), "error": unquote_plus(error)}
        return {"waiting": 0, "running": "-", "last": "-", "saved": 0, "skipped": 0, "failed": 0, "error": ""}

    def status(self):
        return self._status(self._ask("checkpoint-status"))

    def wait(self, seconds=3600):
        """Returns when no save is queued or running, or the time is over."""
        return self._status(self._ask("checkpoint-wait", int(seconds * 1000), self.run))


def write(path, tensors):
    """Writes what a framework writes: torch.save if torch is installed, else a safetensors file. The file is synced and closed on return."""
    with open(path, "wb") as out:
        if torch is not None:
            torch.save({name: torch.tensor(numbers) for name, numbers in tensors.items()}, out)
        else:
            header, data = {}, b""
            for name, numbers in tensors.items():
                raw = struct.pack("<%df" % len(numbers), *numbers)
                header[name] = {"dtype": "F32", "shape": [len(numbers)], "data_offsets": [len(data), len(data) + len(raw)]}
                data += raw
            text = json.dumps(header).encode()
            out.write(struct.pack("<Q", len(text)) + text + data)
        out.flush()
        os.fsync(out.fileno())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mount")
    parser.add_argument("--run", default="main")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--every", type=int, default=10)
    parser.add_argument("--keep", default="last=3")
    parser.add_argument("--socket", help="socket of the mount (default: ask volsh)")
    options = parser.parse_args()

    saver = Checkpointer(options.mount, options.run, options.keep, options.socket)
    chance = random.Random(1)
    tensors = {"layer.%d" % i: [chance.random() for _ in range(20_000)] for i in range(10)}
    path = os.path.join(options.mount, "model.pt" if torch is not None else "model.safetensors")
    stall = 0.0
    for step in range(1, options.steps + 1):
        tensors["layer.%d" % (step % 10)][step] += 1.0          # the work
        if step % options.every == 0:
            write(path, tensors)
            began = time.perf_counter()
            if not saver.save(step, path, loss=1.0 / step):
                print("step %d was skipped" % step)
            stall += time.perf_counter() - began
    end = saver.wait()
    print("torch %s" % ("none" if torch is None else torch.__version__))
    print("saved %(saved)d, skipped %(skipped)d, failed %(failed)d, last %(last)s" % end)
    print("waited %.0f ms in total for saves to be accepted" % (stall * 1000))


if __name__ == "__main__":
    main()
