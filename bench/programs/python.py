"""Messages between two ranks, a sum over all, and computation of rank 0, as rows of JSON: the same program natively and as a guest."""

import json
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


def computation():
    """On one rank, while nobody else runs."""
    square, lines = np.random.default_rng(1).random((400, 400)), np.random.default_rng(2).random((64, 4096))
    rows = [{"id": i, "text": "x" * (i % 9), "at": [i, i / 7]} for i in range(2000)]
    say("dot", 400, best(5, lambda: square @ square))
    say("solve", 400, best(2, lambda: np.linalg.solve(square, square[:, 0])))
    say("fft", 4096, best(5, lambda: np.fft.fft(lines)))
    say("add", square.nbytes, best(50, lambda: square + square))
    say("calls", 21, best(1, lambda: fib(21)))
    say("json", 2000, best(1, lambda: json.loads(json.dumps(rows))))
    say("loop", 100000, best(1, lambda: sum(i * i % 7 for i in range(100000))))


{"messages": messages, "computation": computation, "nothing": lambda: None}[sys.argv[1]]()
