"""Programs that were compiled elsewhere, for a machine with PyTorch but without a compiler (scripts/gpu-prebuilt.sh).

    python3 scripts/gpu_check/prebuilt.py run-path SITE            where the programs find libraries, as CMake's list
    python3 scripts/gpu_check/prebuilt.py pack BUILD ARCHIVE       the programs of a build and the system's libraries
    python3 scripts/gpu_check/prebuilt.py unpack ARCHIVE BUILD     and links to this machine's torch

SITE is the folder of Python's packages that has torch/ and nvidia/.
"""
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

PROGRAMS = ("ganscale", "ganscale-parity", "stylegan2_benchmark")
# Every Linux with PyTorch has them.
RUNTIME = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+))\.so")
LOADED = re.compile(r"\s*(?P<name>\S+) => (?P<path>/\S+) ")


def run_path(site):
    """Returns the folders of the run path of programs in bin/, next to lib/ and links to torch/ and nvidia/."""
    folders = ["lib", "torch/lib", *sorted(str(path.relative_to(site)) for path in site.glob("nvidia/*/lib"))]
    return [f"$ORIGIN/../{folder}" for folder in folders]


def gpu_tests(build):
    """Returns the names of the programs with the label gpu."""
    listing = subprocess.run(["ctest", "--test-dir", build, "-L", "^gpu$", "--show-only=json-v1"], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
    return [test["name"] for test in json.loads(listing)["tests"]]


def system_libraries(program):
    """Returns what a program loads, also by what it loads, of the system: {name: path}."""
    listing = subprocess.run(["ldd", program], check=True, stdout=subprocess.PIPE, text=True).stdout
    found = (LOADED.match(line) for line in listing.splitlines())
    return {one["name"]: one["path"] for one in found
            if one and one["path"].startswith(("/lib/", "/usr/lib/")) and not RUNTIME.match(one["name"])}


def pack(build, archive, tests):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for part in ("bin", "lib"):
            (folder / part).mkdir()
        for name in (*PROGRAMS, *tests):
            program = build / "bin" / name
            for library, path in system_libraries(program).items():
                shutil.copy(path, folder / "lib" / library)
            subprocess.run(["strip", "-o", folder / "bin" / name, program], check=True)
        (folder / "tests.json").write_text(json.dumps(tests) + "\n")
        with tarfile.open(archive, "w:xz") as packed:
            for part in ("bin", "lib", "tests.json"):
                packed.add(folder / part, part)


def torch_site():
    found = importlib.util.find_spec("torch")
    if not found:
        sys.exit("python3 has no torch: install torch 2.11.0 with CUDA 13")
    return pathlib.Path(found.origin).parent.parent


def unpack(archive, build, site):
    if not archive.exists():
        sys.exit(f"no {archive}: scripts/gpu-prebuilt.sh makes it on a machine with a compiler")
    build.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as packed:
        packed.extractall(build)
    for name in ("torch", "nvidia"):
        link = build / name
        link.unlink(missing_ok=True)
        os.symlink(site / name, link)


def main(verb, first, second=None):
    if verb == "run-path":
        print(";".join(run_path(pathlib.Path(first))))
    elif verb == "pack":
        pack(pathlib.Path(first), pathlib.Path(second), gpu_tests(first))
    else:
        unpack(pathlib.Path(first), pathlib.Path(second), torch_site())


if __name__ == "__main__":
    main(*sys.argv[1:])
