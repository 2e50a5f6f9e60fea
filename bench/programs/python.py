"""Messages between two ranks, a sum over all, and computation of rank 0, as rows of JSON: the same program natively and as a guest."""

import json
import re
import sys

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
REPEAT = 5


def best(rounds, work):
    """Seconds of one call, of the fastest of some rounds."""
    found = float("inf")
    for _ in range(REPEAT):
        comm.barrier()
        start = MPI.Wtime()
        for _ in range(rounds):
            work()
        found = min(found, (MPI.Wtime() - start) / rounds)
    return found


def say(what, size, seconds):
    if comm.rank == 0:
        print(json.dumps({"what": what, "bytes": size, "seconds": seconds}), flush=True)


def there_and_back(send, receive):
    if comm.rank == 0:
        send(1)
        receive(1)
    else:
        receive(0)
        send(0)


def messages():
    for size in 8, 4096, 65536, 1 << 20:
        mine, theirs = np.zeros(size, dtype=np.uint8), np.empty(size, dtype=np.uint8)
        rounds = 2000 if size < 1 << 16 else 200
        say("array", size, best(rounds, lambda: there_and_back(lambda to: comm.Send(mine, to), lambda of: comm.Recv(theirs, of))) / 2)
    for size, graph in (1, {"step": 3, "name": "heat", "values": [1.5, 2.5]}), (1000, [{"id": i, "at": (i, 0.5 * i)} for i in range(1000)]):
        rounds = 1000 if size == 1 else 50
        say("object", size, best(rounds, lambda: there_and_back(lambda to: comm.send(graph, to), lambda of: comm.recv(source=of))) / 2)
    for size in 8, 65536, 1 << 20:
        mine, total = np.zeros(size // 8), np.empty(size // 8)
        say("allreduce", size, best(1000 if size == 8 else 100, lambda: comm.Allreduce(mine, total)))


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


class Body:
    def __init__(self, place, speed, mass):
        self.place, self.speed, self.mass = place, speed, mass

    def pull(self, other, step):
        away = [a - b for a, b in zip(self.place, other.place)]
        force = step / (0.01 + sum(x * x for x in away)) ** 1.5
        for axis, x in enumerate(away):
            self.speed[axis] -= x * other.mass * force
            other.speed[axis] += x * self.mass * force

    def drift(self, step):
        self.place = [x + step * v for x, v in zip(self.place, self.speed)]


def bodies(steps):
    """Objects with methods, lists of floats."""
    all = [Body([i, i * i % 5, -i % 3], [0.1, 0.2 * i, 0.0], 1 + i) for i in range(5)]
    for _ in range(steps):
        for at, one in enumerate(all):
            for other in all[at + 1 :]:
                one.pull(other, 0.01)
        for one in all:
            one.drift(0.01)


def sieve(n):
    """Slices and indices of a list."""
    is_prime = [True] * n
    for i in range(2, int(n**0.5) + 1):
        if is_prime[i]:
            is_prime[i * i :: i] = [False] * len(range(i * i, n, i))
    return [i for i in range(2, n) if is_prime[i]]


def words(text):
    """Texts and dictionaries."""
    counts = {}
    for word in text.lower().replace(",", " ").split():
        counts[word] = counts.get(word, 0) + 1
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def queens(n, row=0, columns=frozenset(), up=frozenset(), down=frozenset()):
    """Recursion and sets."""
    if row == n:
        return 1
    free = [c for c in range(n) if c not in columns and row + c not in up and row - c not in down]
    return sum(queens(n, row + 1, columns | {c}, up | {row + c}, down | {row - c}) for c in free)


def computation():
    """On one rank, while nobody else runs."""
    square, lines = np.random.default_rng(1).random((400, 400)), np.random.default_rng(2).random((64, 4096))
    text = ", ".join(f"word{i * i % 97} and {i % 31}" for i in range(4000))
    lines_of_log = [f"2026-01-{i % 28 + 1:02} rank {i % 64}: {i / 3:.3f} s" for i in range(3000)]
    shape = re.compile(r"(\d+)-(\d+)-(\d+) rank (\d+): ([\d.]+) s")
    rows = [{"id": i, "text": "x" * (i % 9), "at": [i, i / 7]} for i in range(2000)]
    say("dot", 400, best(5, lambda: square @ square))
    say("solve", 400, best(2, lambda: np.linalg.solve(square, square[:, 0])))
    say("fft", 4096, best(5, lambda: np.fft.fft(lines)))
    say("add", square.nbytes, best(50, lambda: square + square))
    say("calls", 21, best(1, lambda: fib(21)))
    say("json", 2000, best(1, lambda: json.loads(json.dumps(rows))))
    say("loop", 100000, best(1, lambda: sum(i * i % 7 for i in range(100000))))
    say("bodies", 100, best(1, lambda: bodies(100)))
    say("sieve", 200000, best(1, lambda: sieve(200000)))
    say("words", len(text), best(1, lambda: words(text)))
    say("queens", 7, best(1, lambda: queens(7)))
    say("regex", len(lines_of_log), best(1, lambda: [float(shape.match(line)[5]) for line in lines_of_log]))


{"messages": messages, "computation": computation, "nothing": lambda: None}[sys.argv[1]]()
