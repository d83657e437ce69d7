"""Makes FOLDER a copy of the project PROJECT in which a file is new only where its content is.

    python3 scripts/gpu_check/mirror.py PROJECT FOLDER      absolute paths

A build of the copy compiles only what changed, however the project itself was copied to this machine.
"""
import filecmp
import os
import pathlib
import shutil
import sys

LEFT_OUT = {"build", "runs"}  # at the top; there also what is hidden


def files_of(project, without=None):
    """Returns the paths below the project of its files, but for those in the folder `without`."""
    found = set()
    for folder, folders, names in os.walk(project):
        folder = pathlib.Path(folder)
        if folder == project:
            folders[:] = [name for name in folders if name not in LEFT_OUT and not name.startswith(".")]
        folders[:] = [name for name in folders if name != "__pycache__" and folder / name != without]
        found |= {(folder / name).relative_to(project) for name in names}
    return found


def mirror(project, copy):
    """Returns how many files of the copy changed."""
    wanted, there = files_of(project, without=copy.parent), files_of(copy)
    for path in there - wanted:
        (copy / path).unlink()
    changed = [path for path in wanted
               if path not in there or not filecmp.cmp(project / path, copy / path, shallow=False)]
    for path in changed:
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(project / path, copy / path)
    return len(there - wanted) + len(changed)


if __name__ == "__main__":
    count = mirror(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
    print(f"{count} files of the project are new or gone")
