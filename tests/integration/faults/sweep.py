"""Which faults a sweep injects, and what must hold after each."""
import concurrent.futures
import errno
import os
import re
import shutil

from faulty_run import BATCH, WHOLE_IMAGES, Fault, Training

DONE, WRONG_DATA, WRONG_CONFIGURATION, KILLED = 0, 65, 78, -9
FOREVER = 1_000_000
WRITES = ["EIO", "ENOSPC", "EDQUOT", "EINTR", "short"]
READS = ["EIO", "ESTALE", "EINTR", "short"]
KINDS = {  # by the name of a call: how it may fail
    "open": ["EIO", "ESTALE", "EINTR"], "opendir": ["EIO", "ESTALE", "EINTR"], "create": ["EIO", "ENOSPC", "EDQUOT", "EINTR"],
    "read": READS, "pread": READS, "write": WRITES, "pwrite": WRITES, "writev": WRITES, "lseek": ["EIO"], "fsync": ["EIO", "ENOSPC", "EDQUOT", "EINTR"],
    "ftruncate": ["EIO", "ENOSPC", "EINTR"], "flock": ["EIO", "EINTR"], "close": ["EIO", "EDQUOT", "EINTR"],
    "rename": ["EIO", "ENOSPC", "EDQUOT"], "unlink": ["EIO"], "mkdir": ["EIO", "ENOSPC", "EDQUOT"], "access": ["EIO"],
    "stat": ["EIO", "ESTALE"], "fstat": ["EIO", "ESTALE"], "readdir": ["EIO", "ESTALE"]}
ANYWHERE = [("stall:3", 1), ("vanish", 25), ("vanish", FOREVER), ("clock:-86400", 1), ("clock:86400", 1), ("kill", 1)]
FULL_DISK = ("ENOSPC", FOREVER)
HARMLESS = ("EINTR", "short", "stall", "clock")
MOST_CHECKPOINTS = 4  # keep_last 2, the best, and one that is being written or deleted
REASONS = {name: os.strerror(getattr(errno, name)) for name in ("EIO", "ENOSPC", "EDQUOT", "EINTR", "ESTALE")}
NOT_THERE = (os.strerror(errno.ENOENT), REASONS["ESTALE"], "not found", "does not exist")


def faults_at(call):
    """Returns every fault of a call."""
    name = call.split(" ")[0]
    own = [(kind, 1) for kind in KINDS[name]] + ([FULL_DISK] if name == "write" else [])
    return [Fault(call, kind, count) for kind, count in own + ANYWHERE]


def first_of_each_place(calls):
    """Returns the first call of each name and path; all checkpoints count as one path."""
    first = {}
    for call in calls:
        name, _, path = call.split(" ")
        first.setdefault((name, re.sub(r"kimg-[0-9.]+", "kimg", path)), call)
    return list(first.values())


def every_fault(calls):
    """Returns all faults of the first call of each place, and one of each other call: its name's faults in turn."""
    first = set(first_of_each_place(calls))
    faults = []
    for i, call in enumerate(calls):
        kinds = KINDS[call.split(" ")[0]]
        faults += faults_at(call) if call in first else [Fault(call, kinds[i % len(kinds)])]
    return faults


def one_of_each(calls):
    """Returns one fault for each way in which the calls of a name may fail, at different files."""
    by_name = {}
    for call in first_of_each_place(calls):
        by_name.setdefault(call.split(" ")[0], []).append(call)
    faults = [Fault(of_name[7 * i % len(of_name)], kind) for name, of_name in by_name.items() for i, kind in enumerate(KINDS[name])]
    writes = by_name["write"]
    return faults + [Fault(writes[i % len(writes)], *kind) for i, kind in enumerate([FULL_DISK, *ANYWHERE])]


class Sweep:
    """Trains with each of some faults, continues without, and lists what does not hold."""

    def __init__(self, folder, start_from):
        """start_from: a folder to copy, with the inputs of a training and, if it is to continue, its run."""
        self.folder, self.start_from = folder, start_from
        undisturbed = Training(folder / "undisturbed", start_from)
        ended = undisturbed.train(WHOLE_IMAGES)
        if ended.code != DONE:
            raise RuntimeError(ended.output)
        self.calls = ended.calls
        self.kept = undisturbed.checkpoints()
        self.last = max(self.kept)

    def run(self, faults, workers):
        """Yields each fault, how its run ended, and a list of what did not hold."""
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            yield from pool.map(self.inject, faults, range(len(faults)))

    def inject(self, fault, number):
        training = Training(self.folder / str(number), self.start_from)
        ended = training.train(WHOLE_IMAGES, fault)
        found = wrong_end(fault, ended) + self.wrong_files(fault, training, ended)
        if ended.code not in (DONE, None):
            found += self.wrong_after_resuming(training)
        shutil.rmtree(training.folder)
        return fault, ended, found

    def wrong_files(self, fault, training, ended):
        try:
            checkpoints = training.checkpoints()
        except (ValueError, OSError) as error:
            return [f"a checkpoint is not whole: {error}"]
        return self.wrong_checkpoints(checkpoints, ended) + too_many(checkpoints, training) + left_behind(fault, training)

    def wrong_checkpoints(self, checkpoints, ended):
        if not checkpoints and (self.start_from / "run").exists():
            return ["no checkpoint is left"]
        if ended.code != DONE:
            return []
        found = []
        if checkpoints.get(self.last) != self.kept[self.last]:
            found.append("done, but with other weights than the undisturbed run")
        lost = set(self.kept) - set(checkpoints)
        if lost and "Could not write a checkpoint" not in ended.output:
            found.append(f"checkpoints are lost: {lost}")
        return found

    def wrong_after_resuming(self, training):
        ended = training.train(WHOLE_IMAGES)
        if ended.code != DONE:
            return [f"cannot be resumed: exit code {ended.code}: {ended.complaints}"]
        found = []
        if training.checkpoints().get(self.last) != self.kept[self.last]:
            found.append("the resumed run ends with other weights than the undisturbed one")
        if training.temporaries():
            found.append(f"temporary files are left for ever: {training.temporaries()}")
        if training.broken_files():
            found.append(f"files stay truncated: {training.broken_files()}")
        seen = training.images_of_lines("stats.jsonl")
        if seen != sorted(set(seen)):
            found.append(f"stats.jsonl has lines for {seen}")
        return found


def wrong_end(fault, ended):
    if fault.kind == "kill":
        return [] if ended.code == KILLED else [f"exit code {ended.code} after a kill"]
    if ended.code is None:
        return ["it hangs"]
    if ended.code == DONE:
        return []
    if ended.code not in (WRONG_DATA, WRONG_CONFIGURATION):
        return [f"exit code {ended.code}: {ended.complaints}"]
    # The standard library does not open a folder again after a signal.
    if fault.kind.startswith(HARMLESS) and (fault.kind, fault.name) != ("EINTR", "opendir"):
        return [f"ends with {ended.code}: {ended.complaints}"]
    return wrong_words(fault, ended.complaints[-1] if ended.complaints else "")


def wrong_words(fault, error):
    """The error that ends a run must name the file and the reason."""
    found = []
    if not any(reason in error for reason in (NOT_THERE if fault.kind == "vanish" else (REASONS[fault.kind],))):
        found.append(f"the error has no reason: {error}")
    names = [name.removeprefix(".tmp-").removesuffix("*") for name in fault.path.split("/")[-2:]]
    if fault.count == 1 and not any(name in error for name in names):
        found.append(f"the error does not name the file: {error}")
    return found


def too_many(checkpoints, training):
    unfinished = [name for name in training.temporaries() if re.fullmatch(r"run/checkpoints/\.tmp-[^/]+", name)]
    if len(checkpoints) + len(unfinished) <= MOST_CHECKPOINTS:
        return []
    return [f"too many checkpoints: {list(checkpoints)}, {unfinished}"]


def left_behind(fault, training):
    found = []
    may_leave_some = fault.kind in ("kill", "vanish") or fault.name == "unlink" or "-deleted" in fault.path
    if training.temporaries() and not may_leave_some:
        found.append(f"temporary files are left: {training.temporaries()}")
    if training.broken_files() and fault.kind != "kill":
        found.append(f"files are truncated: {training.broken_files()}")
    return found


def prepare(folder):
    """Writes the inputs of a training, and one that is half done; returns both folders."""
    Training(folder / "inputs")
    half = Training(folder / "half", folder / "inputs")
    ended = half.train(WHOLE_IMAGES - 2 * BATCH)
    if ended.code != DONE:
        raise RuntimeError(ended.output)
    return folder / "inputs", folder / "half"
