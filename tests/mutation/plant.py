"""Chooses sites and writes a copy of the project in which each of them is a mutant that GANSCALE_MUTANT switches on."""
import dataclasses
import hashlib
import os
import shutil
import subprocess


@dataclasses.dataclass
class Edit:
    """Text in place of the bytes from start to end. Of an insertion, `around` is the number of bytes that it and its other half enclose."""
    start: int
    end: int
    text: str
    closes: bool = False
    around: int = 0


@dataclasses.dataclass
class Site:
    file: str
    line: int
    column: int
    operator: str
    change: str
    edits: list


def choose(sites_of_folders, count, refused):
    """Returns `count` sites: of each folder in proportion to its sites, in an order that only the sources decide."""
    ordered = {folder: sorted((site for site in sites if key(site) not in refused), key=order) for folder, sites in sites_of_folders.items()}
    total = sum(len(sites) for sites in ordered.values())
    exact = {folder: count * len(sites) / total for folder, sites in ordered.items()}
    taken = {folder: int(share) for folder, share in exact.items()}
    for folder in sorted(exact, key=lambda each: taken[each] - exact[each])[:count - sum(taken.values())]:
        taken[folder] += 1
    return [site for folder, sites in ordered.items() for site in sites[:taken[folder]]]


def key(site):
    return f"{site.file}:{site.line}:{site.column} {site.operator}: {site.change}"


def order(site):
    return hashlib.sha256(key(site).encode()).hexdigest()


def position(edit, number):
    """Halves that close come first, the inner one before the outer one; then those that open, the outer one first."""
    if edit.closes:
        return edit.start, 0, edit.around, -number
    return edit.start, 1 if edit.start == edit.end else 2, -edit.around, number


def mutated(data, numbered_sites):
    """Returns a source with mutants: pairs of number and site."""
    edits = [(edit, number) for number, site in numbered_sites for edit in site.edits]
    parts, at = [], 0
    for edit, number in sorted(edits, key=lambda pair: position(*pair)):
        parts += [data[at:edit.start], edit.text.replace("@", str(number)).encode()]
        at = edit.end
    return b"".join(parts + [data[at:]])


def copy_project(root, copy, left_out):
    """Copies the files that git knows or would add, but for those left out. What did not change keeps its time."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], check=True, stdout=subprocess.PIPE)
    for name in set(listed.stdout.decode().split("\0")) - {"", *left_out}:
        if (root / name).is_file():
            write_if_changed(copy / name, (root / name).read_bytes())
            shutil.copymode(root / name, copy / name)


def write_if_changed(path, data):
    if not path.is_file() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def plant(root, copy, files, chosen):
    """Writes the sources with their mutants, which are numbered from 1 in the order of `chosen`."""
    for name in files:
        numbered = [(number, site) for number, site in enumerate(chosen, 1) if site.file == name]
        data = (root / name).read_bytes()
        if numbered:
            switch = os.path.relpath("tests/mutation/switch.h", os.path.dirname(name))
            data = f'#pragma GCC system_header\n#include "{switch}"\n#line 1\n'.encode() + mutated(data, numbered)
        write_if_changed(copy / name, data)
