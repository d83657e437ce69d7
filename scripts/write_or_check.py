"""The end of every script that writes files which are kept in the repository."""
import pathlib
import sys

PROJECT = pathlib.Path(__file__).resolve().parent.parent


def write_or_check(texts):
    """Writes each text to its path; with --check only says which file is stale. Returns the exit code.

    texts: {path below the repository: text}
    """
    stale = 0
    for name, text in texts.items():
        path = PROJECT / name
        if "--check" not in sys.argv:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            stale = 1
            print(f"{name} is stale: scripts/{pathlib.Path(sys.argv[0]).name} renews it", file=sys.stderr)
    return stale
