"""Builds a wheel of a package's source by its own build system, with compilers for guests.

What the build needs of other packages is installed for this machine first; only then it sees that it builds for another one.
"""

import os
import pathlib
import sys

from build import BuildBackendException, ProjectBuilder
from build.env import DefaultIsolatedEnv

# Build systems that link by themselves.
NOT_THESE = {
    "mesonpy": "Meson",
    "maturin": "Rust",
    "setuptools_rust": "Rust",
    "setuptools-rust": "Rust",
    "scikit_build_core": "CMake",
    "scikit-build": "CMake",
    "scikit-build-core": "CMake",
    "skbuild": "CMake",
    "py_build_cmake": "CMake",
    "meson-python": "Meson",
    "sipbuild": "sip",
}
REFUSED = 3


def refuse(why: str) -> None:
    print(why, file=sys.stderr)
    sys.exit(REFUSED)


def main(source: str, output: str) -> None:
    if not any(os.path.isfile(os.path.join(source, name)) for name in ("pyproject.toml", "setup.py")):
        refuse("it is no source of a package: it has neither a pyproject.toml nor a setup.py")
    guest = {name[len("GUEST_") :]: value for name, value in os.environ.items() if name.startswith("GUEST_")}
    with DefaultIsolatedEnv() as environment:
        builder = ProjectBuilder.from_isolated_env(environment, source)
        names = [builder._backend.split(".")[0].split(":")[0], *map(name, builder.build_system_requires)]
        for known in filter(NOT_THESE.get, names):
            refuse(f"it is built by {NOT_THESE[known]} ({known}), which can't build for guests here")
        environment.install(builder.build_system_requires)
        environment.install(builder.get_requires_for_build("wheel"))
        os.environ.update(guest)
        builder.build("wheel", output)


def name(requirement: str) -> str:
    """What a requirement begins with."""
    for at, letter in enumerate(requirement):
        if not (letter.isalnum() or letter in "-_."):
            return requirement[:at]
    return requirement


if __name__ == "__main__":
    try:
        main(*map(str, map(pathlib.Path, sys.argv[1:])))
    except BuildBackendException as error:
        sys.exit(f"its build failed: {error}")
