"""How often a test repeats what takes long."""
import os


def thorough(everything, some):
    """Returns `everything` in `make check-long`, which sets GANSCALE_THOROUGH=1, and `some` otherwise."""
    return everything if os.environ.get("GANSCALE_THOROUGH") == "1" else some
