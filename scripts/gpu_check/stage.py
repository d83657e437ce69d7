"""A command with a limit, whose output is shown as it comes and kept in a log."""
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass

CANNOT = 77  # the exit code of what can't run here, as for ctest
POLL_SECONDS = 0.1
GRACE_SECONDS = 10  # between SIGTERM and SIGKILL


@dataclass(frozen=True)
class Stage:
    name: str
    limit_seconds: float
    command: list


def run(stage, log):
    """Runs the command of a stage. Returns its exit code, or None if it had to be ended, with all that it started, at its
    limit."""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    deadline = time.monotonic() + stage.limit_seconds
    with open(log, "wb") as output, open(log, "rb") as shown:
        process = subprocess.Popen([str(word) for word in stage.command], stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT, env=environment, start_new_session=True)
        try:
            while True:
                code = process.poll()  # before the rest of its output is read
                show(shown.read())
                if code is not None or time.monotonic() > deadline:
                    return code
                time.sleep(POLL_SECONDS)
        finally:
            end(process)
            show(shown.read())


def show(output):
    sys.stdout.buffer.write(output)
    sys.stdout.buffer.flush()


def end(process):
    """Ends a process that still runs, and all that it started. What the kernel can't end is left."""
    if process.poll() is not None:
        return
    for deadly in (signal.SIGTERM, signal.SIGKILL):
        deadline = time.monotonic() + GRACE_SECONDS
        reaches_someone(process, deadly)
        while reaches_someone(process, 0) and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)


def reaches_someone(process, number):
    """Sends a signal to a process and all that it started; returns whether there is one."""
    process.poll()  # who is not waited for would still count
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        return False
    return True


def status_of(code):
    names = {None: "timed out", 0: "passed", CANNOT: "left out"}
    return names.get(code, "failed")
