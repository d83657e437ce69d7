"""The programs under test, and how they exit."""
import os
import pathlib

BIN = pathlib.Path(__file__).resolve().parent.parent.parent / "build/release/bin"
WORKER = os.environ.get("GANSCALE_WORKER", str(BIN / "ganscale"))
OPERATOR = os.environ.get("GANSCALE_OPERATOR", str(BIN / "ganscale-operator"))
WRONG_CONFIGURATION = 78
