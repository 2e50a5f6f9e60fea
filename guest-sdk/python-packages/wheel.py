"""Builds a wheel of a package's source by its own build system, with compilers for guests.

What the build needs of other packages is installed for this machine first; only then it sees that it builds for another one.
"""

import os
import pathlib
import shutil
import subprocess
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


def main(source: str, output: str, refusal: str, configuration: str) -> None:
    def refuse(why: str) -> None:
        pathlib.Path(refusal).write_text(why, encoding="utf-8")
        sys.exit(why)

    if not any(os.path.isfile(os.path.join(source, name)) for name in ("pyproject.toml", "setup.py")):
        refuse("it is no source of a package: it has neither a pyproject.toml nor a setup.py")
    guest = {name[len("GUEST_") :]: value for name, value in os.environ.items() if name.startswith("GUEST_")}
    with DefaultIsolatedEnv() as environment:
        builder = ProjectBuilder.from_isolated_env(environment, source)
        names = [builder._backend.split(".")[0].split(":")[0], *map(name, builder.build_system_requires)]
        for known in filter(NOT_THESE.get, names):
            refuse(
                f"it is built by {NOT_THESE[known]} ({known}), and only builds by setuptools and others that start a compiler "
                "themselves make modules for guests; an older release of it may have a setup.py"
            )
        environment.install(builder.build_system_requires)
        environment.install(builder.get_requires_for_build("wheel"))
        # Its Python answers as the one of a guest from now on.
        say = [environment.python_executable, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
        shutil.copy(configuration, subprocess.run(say, check=True, stdout=subprocess.PIPE, text=True).stdout.strip())
        os.environ.update(guest, _PYTHON_SYSCONFIGDATA_NAME=pathlib.Path(configuration).stem)
        builder.build("wheel", output)


def name(requirement: str) -> str:
    """What a requirement begins with."""
    for at, letter in enumerate(requirement):
        if not (letter.isalnum() or letter in "-_."):
            return requirement[:at]
    return requirement


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except BuildBackendException as error:
        sys.exit(f"its build failed: {error}")
