"""The command blocks of the documentation, and a folder to run them in.

A block with lines that begin with `$ ` is fenced as ```console MODE. README.md and docs/ are what readers follow, so
    run      runs from top to bottom in a test
    check    names only programs, options, files and keys that exist, but needs a cluster, a download or much time
    show     is an example for some other machine
Python blocks run after the commands.
"""
import dataclasses
import pathlib
import re
import sys

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
DOCUMENTS = [PROJECT / "README.md", PROJECT / "CONTRIBUTING.md",
             *(path for pattern in ("docs/*.md", "helm/*/README.md", "benchmarks/**/README.md")
               for path in sorted(PROJECT.glob(pattern)))]
MODES = ["run", "check", "show"]

sys.path.insert(0, str(PROJECT / "tests" / "support"))
from write_images import write_png  # noqa: E402


@dataclasses.dataclass
class Block:
    path: pathlib.Path
    line: int  # of the opening fence, from 1
    info: str  # what follows the fence: language and mode
    text: str

    @property
    def mode(self):
        return self.info.removeprefix("console ")

    def __str__(self):
        return f"{self.path.relative_to(PROJECT)}:{self.line}"

    def commands(self):
        """Returns the commands: lines after `$ `, with those that a backslash joins to them. The others are output."""
        found, is_open = [], False
        for line in self.text.splitlines():
            if line.startswith("$ "):
                found.append(line[2:])
            elif is_open:
                found[-1] += "\n" + line
            is_open = line.endswith("\\") and (is_open or line.startswith("$ "))
        return found


def blocks(path):
    """Returns the fenced blocks of a document that show commands."""
    text = path.read_text()
    found = [Block(path, text.count("\n", 0, match.start()) + 1, match[1], match[2])
             for match in re.finditer(r"^```(.*)\n((?:.*\n)*?)```$", text, re.M)]
    return [block for block in found if block.commands()]


def python_of(path):
    """Returns the Python of a document, which is one script."""
    return "".join(match[1] for match in re.finditer(r"^```python\n((?:.*\n)*?)```$", path.read_text(), re.M))


def make_workspace(folder):
    """Gives a folder what a clone has, by links, and photos/CLASS/*.png of random colors."""
    for path in PROJECT.iterdir():
        if not path.name.startswith(".") and path.name not in ("build", "runs"):
            (folder / path.name).symlink_to(path)
    for label in ["cats", "dogs", "ferns", "stones"]:
        (folder / "photos" / label).mkdir(parents=True)
        for i in range(32):
            write_png(folder / "photos" / label / f"{i:02}.png", size=48)
