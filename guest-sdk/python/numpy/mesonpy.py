"""Stands in for numpy's build system while pip fetches its source: what pip asks about a package is in the archive already."""

import os
import shutil


def prepare_metadata_for_build_wheel(folder, settings=None):
    with open("PKG-INFO", encoding="utf-8") as file:
        head = dict(line.rstrip("\n").split(": ", 1) for line in file if line.startswith(("Name: ", "Version: ")))
    name = f"{head['Name']}-{head['Version']}.dist-info"
    os.makedirs(os.path.join(folder, name))
    shutil.copy("PKG-INFO", os.path.join(folder, name, "METADATA"))
    return name
