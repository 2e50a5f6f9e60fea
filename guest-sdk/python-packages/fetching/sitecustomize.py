"""Stands in for a package's build system while pip fetches its source: what pip asks about a package is in the archive already."""

import os
import shutil
import sys
import types


def prepare_metadata_for_build_wheel(folder, settings=None):
    with open("PKG-INFO", encoding="utf-8") as file:
        head = dict(line.rstrip("\n").split(": ", 1) for line in file if line.startswith(("Name: ", "Version: ")))
    name = f"{head['Name']}-{head['Version']}.dist-info"
    os.makedirs(os.path.join(folder, name), exist_ok=True)
    shutil.copy("PKG-INFO", os.path.join(folder, name, "METADATA"))
    return name


for prefix in "PEP517_", "_PYPROJECT_HOOKS_":
    named = os.environ.pop(prefix + "BUILD_BACKEND", None)
    os.environ.pop(prefix + "BACKEND_PATH", None)
    if named:
        os.environ[prefix + "BUILD_BACKEND"] = "rankine_fetching"
        sys.modules["rankine_fetching"] = types.SimpleNamespace(
            prepare_metadata_for_build_wheel=prepare_metadata_for_build_wheel
        )
