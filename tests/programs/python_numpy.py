"""numpy's own tests, a share of the files on each rank: what fails has to stand among the notes, and what stands there has to fail.

Usage: python_numpy.py PACKAGES NOTES FOLDER... A line of the notes is a pattern of tests' names and a reason. After a `-` the tests are
left out, as they would not end; after a `?` they may pass, as chance decides.
"""

import fnmatch
import glob
import os
import sys
import types

import numpy.testing
import pytest
from mpi4py import MPI



class Lacking(types.ModuleType):
    """What tests of whole files import, and few of them use: what this Python lacks is missed where it is called."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Lacking(f"{self.__name__}.{name}")

    def __call__(self, *arguments, **named):
        raise NotImplementedError(f"{self.__name__} is lacking")


for lacking in "ctypes", "mmap", "numpy.ctypeslib":
    sys.modules[lacking] = Lacking(lacking)
numpy.ctypeslib = sys.modules["numpy.ctypeslib"]
world = MPI.COMM_WORLD
packages, notes, *folders = sys.argv[1:]
known, perhaps, left_out = [], [], []
for line in open(notes, encoding="utf-8"):
    words = line.split("#")[0].split()
    if words:
        {"-": left_out, "?": perhaps}.get(words[0], known).append(words[-1])


def matches(what, patterns):
    return [pattern for pattern in patterns if fnmatch.fnmatchcase(what, pattern)]


class Results:
    """What pytest says of each test."""

    def __init__(self):
        self.failed, self.counts = {}, {"passed": 0, "failed": 0, "skipped": 0}

    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if not matches(item.nodeid, left_out)]

    def pytest_collectreport(self, report):
        if report.failed:
            self.failed[report.nodeid] = str(report.longrepr)

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed[report.nodeid] = str(report.longrepr)
        if report.when == "call" or report.outcome == "skipped":
            self.counts[report.outcome] += 1


results = Results()
files = [file for folder in folders for file in glob.glob(os.path.join(packages, "numpy", folder, "tests", "test_*.py"))]
files.sort(key=os.path.getsize, reverse=True)
mine = files[world.rank :: world.size]
os.chdir(packages)
with open(os.devnull, "w") as nowhere:
    said, sys.stdout = sys.stdout, nowhere
    options = ["-q", "-m", "not slow", "--continue-on-collection-errors", "-p", "no:cacheprovider", "-p", "no:faulthandler", "--capture=no", "--rootdir", packages]
    status = pytest.main([*options, *mine], plugins=[results])
    sys.stdout = said
everybody = world.gather((results.failed, results.counts, int(status)))
if world.rank > 0:
    sys.exit(0)
failed = {name: text for bad, _, _ in everybody for name, text in bad.items()}
wrong = {name: text for name, text in failed.items() if not matches(name, known + perhaps)}
for name, text in sorted(wrong.items()):
    print(f"{name} fails:\n{text[-2000:]}")
for pattern in known:
    if not any(fnmatch.fnmatchcase(name, pattern) for name in failed):
        print(f"{pattern} stands among the notes, and passes")
        wrong[pattern] = None
if any(status not in (0, 1) for _, _, status in everybody):
    wrong["pytest"] = print("pytest itself failed:", [status for _, _, status in everybody])
total = {what: sum(counts[what] for _, counts, _ in everybody) for what in everybody[0][1]}
print(", ".join(f"{count} {what}" for what, count in total.items()) + f", {len(wrong)} against the notes")
sys.exit(bool(wrong) or total["passed"] == 0)
