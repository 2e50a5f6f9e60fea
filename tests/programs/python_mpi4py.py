"""mpi4py's own tests, which all ranks run together: what fails has to stand among the notes, and what stands there has to fail.

Usage: python_mpi4py.py TESTS NOTES. A line of the notes is a pattern of tests' names and a reason, for some numbers of ranks if these
come first (`2-4:`), for one engine if it comes first (`local:`, `mpi:`). After a `-` the tests are left out, as they would not end; after a `?` they may pass, as who comes first decides.
"""

import fnmatch
import os
import sys
import unittest

from mpi4py import MPI

world = MPI.COMM_WORLD
tests, notes = sys.argv[1:]


engine = "local" if "Rankine" in MPI.Get_library_version() else "mpi"


def is_for(word):
    """Whether a note that begins with this word counts here."""
    if word in ("local", "mpi"):
        return word == engine
    low, _, high = word.partition("-")
    return int(low) <= world.size <= int(high or low)


def read(path):
    """What fails, what may fail, and what is left out."""
    known, perhaps, left_out = [], [], []
    for line in open(path, encoding="utf-8"):
        words = line.split("#")[0].split()
        is_here = True
        while words and words[0].endswith(":"):
            is_here &= is_for(words.pop(0)[:-1])
        if words and is_here:
            {"-": left_out, "?": perhaps}.get(words[0], known).append(words[-1])
    return known, perhaps, left_out


def each(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from each(test)
        else:
            yield test


def name(test):
    return getattr(test, "test_case", test).id()


def matches(what, patterns):
    return [pattern for pattern in patterns if fnmatch.fnmatchcase(what, pattern)]


known, perhaps, left_out = read(notes)
sys.path.insert(0, tests)
# They spawn the interpreter, which lies in no folder that is granted.
os.environ["MPI4PY_TEST_SPAWN"] = "no"
found = list(each(unittest.TestLoader().discover(tests, "test_*.py")))
suite = unittest.TestSuite(test for test in found if not matches(name(test), left_out))
result = unittest.TestResult()
suite.run(result)
failed = {name(test): text for test, text in result.failures + result.errors}
everybody = world.gather((failed, result.testsRun, len(result.skipped)))
if world.rank > 0:
    sys.exit(0)
everywhere = {}
for rank, (bad, _, _) in enumerate(everybody):
    for test, text in bad.items():
        everywhere.setdefault(test, (rank, text))
wrong = {test: said for test, said in everywhere.items() if not matches(test, known + perhaps)}
for test, (rank, text) in sorted(wrong.items()):
    print(f"{test} fails on rank {rank}:\n{text}")
for pattern in known:
    if not any(fnmatch.fnmatchcase(test, pattern) for test in everywhere):
        print(f"{pattern} stands among the notes, and passes")
        wrong[pattern] = None
run, skipped = everybody[0][1:]
print(f"{world.size} ranks: {run} tests, {skipped} skipped, {len(everywhere)} failed, {len(wrong)} of them against the notes")
sys.exit(bool(wrong))
