"""The same graphs with mpi4py, which pickles them."""

import json
import sys

from mpi4py import MPI

LIST_BYTES = 4096
REPEAT = 5
comm = MPI.COMM_WORLD
sys.setrecursionlimit(100_000)


class Town:
    __slots__ = ("id", "x", "y", "roads")


class Road:
    __slots__ = ("length", "to")


class Leaf:
    __slots__ = ("value", "left", "right")


def make_list(elements):
    # A chain of objects as long as this is too deep for pickle; a list of them is what one sends.
    ends = [i * LIST_BYTES // elements for i in range(elements + 1)]
    return [bytes(ends[i + 1] - ends[i]) for i in range(elements)]


def make_map(towns):
    roads = {10: 19, 100: 255, 500: 1260}[towns]
    all_towns = [Town() for _ in range(towns)]
    for i, town in enumerate(all_towns):
        town.id, town.x, town.y, town.roads = i, i * 0.5, i * 0.25, []
        for j in range((i + 1) * roads // towns - i * roads // towns):
            road = Road()
            mixed = (i * 2654435761 + j * 40503) & 0xFFFFFFFF
            road.length, road.to = i + j, all_towns[(mixed >> 8) % towns]
            town.roads.append(road)
    return all_towns


def make_tree(first, nodes):
    if first > nodes:
        return None
    leaf = Leaf()
    leaf.value, leaf.left, leaf.right = float(first), make_tree(2 * first, nodes), make_tree(2 * first + 1, nodes)
    return leaf


def measure(what, size, graph):
    rounds = 20 if size > 1000 else 100
    best = 1.0
    for _ in range(REPEAT):
        start = MPI.Wtime()
        for _ in range(rounds):
            if comm.rank == 0:
                comm.send(graph, 1)
            graph = comm.recv(source=1 - comm.rank)
            if comm.rank == 1:
                comm.send(graph, 0)
        best = min(best, (MPI.Wtime() - start) / rounds / 2)
    if comm.rank == 0:
        print(json.dumps({"what": what, "bytes": size, "seconds": best}), flush=True)


for elements in (1, 8, 64, 512, 1024, 2048, 4096, 8192):
    measure("list", elements, make_list(elements))
for towns in (10, 100, 500):
    # Towns that refer to each other make one deep graph: as many as pickle's recursion bears.
    measure("map", towns, make_map(towns))
measure("tree", 1000, make_tree(1, 1000))
