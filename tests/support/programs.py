"""The programs under test, how they exit, and waiting for them."""
import os
import pathlib
import time

BIN = pathlib.Path(__file__).resolve().parent.parent.parent / "build/release/bin"
WORKER = os.environ.get("GANSCALE_WORKER", str(BIN / "ganscale"))
OPERATOR = os.environ.get("GANSCALE_OPERATOR", str(BIN / "ganscale-operator"))
WRONG_CONFIGURATION = 78


def wait_until(condition, seconds=200):
    """Returns what `condition` returns, once that is true. Raises TimeoutError if it takes longer."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > end:
            raise TimeoutError("a program did not get as far as expected")
        time.sleep(0.05)
    return value
