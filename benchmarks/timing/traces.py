"""What traces in Chrome's format, as Kineto writes them, say of the device's work in the phases of a step."""

ON_DEVICE = {"kernel", "gpu_memcpy", "gpu_memset"}
ON_CPU = {"cpu_op"}  # of a program that uses no device
CALLS = {"cuda_runtime", "cuda_driver"}
WAITS = {"cudaStreamSynchronize", "cudaEventSynchronize", "cudaMemcpy"}


def summarize(trace):
    """Returns of a trace, a parsed JSON file:

    numbers:   kernels, which are what the device did, copies included (on the CPU operators, also those inside others);
               launches, the calls that gave it work, all of a CUDA graph being one; waits of the host for some of the work
               (those for all of it, as at the end of a trace, do not count); device_ms, in which the device did something
    kernel_ms, kernel_count: {name: milliseconds}, {name: how many}
    """
    done = events_of(trace, ON_DEVICE) or events_of(trace, ON_CPU)
    return {"numbers": {"kernels": len(done),
                        "launches": len({event.get("args", {}).get("correlation", id(event)) for event in done}),
                        "waits": sum(event["name"] in WAITS for event in events_of(trace, CALLS)),
                        "device_ms": covered([(event["ts"], event["ts"] + event["dur"]) for event in done]) / 1000},
            "kernel_ms": total((1, {event["name"]: event["dur"] / 1000}) for event in done),
            "kernel_count": total((1, {event["name"]: 1}) for event in done)}


def events_of(trace, categories):
    """Returns the events of these categories that took time."""
    return [event for event in trace["traceEvents"] if event.get("ph") == "X" and event.get("cat") in categories]


def covered(intervals):
    """Returns how much of the line some intervals (begin, end) cover."""
    length, reached = 0, float("-inf")
    for begin, end in sorted(intervals):
        length += max(0, end - max(begin, reached))
        reached = max(reached, end)
    return length


def total(terms):
    """Returns the sum of dictionaries of numbers, each times a factor: terms are (factor, dictionary)."""
    sums = {}
    for factor, numbers in terms:
        for key, number in numbers.items():
            sums[key] = sums.get(key, 0) + factor * number
    return sums


def split(steps):
    """Returns what is of each phase, and of the mean step, "step".

    steps: {phase: {"interval": it is due in every so many steps, a dictionary of numbers for each of the other keys}} of
           steps with one phase each, and "frame", of a step without any, which is part of all the others
    """
    frame = steps["frame"]
    parts = [key for key in frame if key != "interval"]
    phases = {name: {"interval": step["interval"], **{part: total([(1, step[part]), (-1, frame[part])]) for part in parts}}
              for name, step in steps.items() if name != "frame"}
    phases["frame"] = frame
    phases["step"] = {"interval": 1, **{part: total((1 / phase["interval"], phase[part]) for phase in phases.values())
                                        for part in parts}}
    return phases
