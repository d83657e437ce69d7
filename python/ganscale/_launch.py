"""Training and evaluation on several ranks, as a process."""

from __future__ import annotations

import collections
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from typing import IO

from ._program import environment, program

_LINES_KEPT = 50


class LaunchError(RuntimeError):
    """A launch ended with another exit code than 0.

    code:  the exit code (docs/operations.md); 143 after a stop by a signal, 75 if a rank was lost.
    words: the last lines that the ranks wrote to stderr.
    """

    def __init__(self, code: int, words: str) -> None:
        super().__init__(f"ganscale launch ended with exit code {code}:\n{words}")
        self.code = code
        self.words = words


def launch(args: Sequence[str | os.PathLike[str]], *, n: int | None = None, check: bool = True) -> int:
    """Runs `ganscale launch` to its end and returns the exit code. What it prints is printed here too.

    args:   the command with its options, such as ["train", "--data", "photos/", "--run", "runs/r1"].
    n:      the number of ranks; None: one for each GPU, or up to four that share the cores.
    check:  whether another exit code than 0 raises an error.
    Raises: LaunchError with the code and the last lines of stderr; MissingLibrary.

    The first KeyboardInterrupt is passed on as SIGINT, on which a training writes a checkpoint and ends with 143; a second one
    ends it at once.
    """
    ranks = [] if n is None else ["-n", str(n)]
    command = [str(program()), "launch", *ranks, *(os.fspath(word) for word in args)]
    with subprocess.Popen(  # a session of its own: Ctrl-C reaches it once, from here
        command, env=environment(), stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True
    ) as process:
        assert process.stderr is not None
        last: collections.deque[str] = collections.deque(maxlen=_LINES_KEPT)
        while True:
            try:
                _copy(process.stderr, last)
                code = process.wait()
                break
            except KeyboardInterrupt:
                process.send_signal(signal.SIGINT)
    if check and code != 0:
        raise LaunchError(code, "".join(last))
    return code


def _copy(source: IO[str], last: collections.deque[str]) -> None:
    """Prints the lines of a stream as they come, and keeps the last ones."""
    for line in source:
        last.append(line)
        sys.stderr.write(line)
        sys.stderr.flush()
