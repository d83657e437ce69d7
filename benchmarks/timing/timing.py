"""Shared by the programs that time PyTorch training steps and by the scripts that compare PyTorch with ours.

The twin of time_steps.h: the same options, the same JSON line.
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

CANNOT = 77  # what ctest takes for "skipped"
OURS, EAGER, COMPILED = "ganscale", "PyTorch", "torch.compile"


def timing_options(description, batch, warm_up, steps):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch", type=int, default=batch)
    parser.add_argument("--warm-up", type=int, default=warm_up)
    parser.add_argument("--steps", type=int, default=steps)
    return parser


def add_compile_option(parser):
    parser.add_argument("--compile", action="store_true", help="compile the networks with torch.compile")


def time_steps(arguments, step, gpu=None):
    """Runs step(0), in which all is due, as often as there are warm-up steps, then the timed ones, from 0. Returns the
    seconds of each. gpu: torch.cuda where the steps run there; the host then waits for the device after the last alone.
    The GPU's peak memory does not count the first step, in which cuDNN tries algorithms with all the memory that is free."""
    for number in range(arguments.warm_up):
        step(0)
        if gpu and number == 0:
            gpu.synchronize()
            gpu.reset_peak_memory_stats()
    if gpu:
        return time_on_gpu(arguments.steps, step, gpu)
    seconds = []
    for number in range(arguments.steps):
        start = time.perf_counter()
        step(number)
        seconds.append(time.perf_counter() - start)
    return seconds


def time_on_gpu(steps, step, gpu):
    ends = [gpu.Event(enable_timing=True) for _ in range(steps + 1)]
    gpu.synchronize()
    ends[0].record()
    for number in range(steps):
        step(number)
        ends[number + 1].record()
    gpu.synchronize()
    return [before.elapsed_time(after) / 1000 for before, after in zip(ends, ends[1:])]


def print_times(arguments, step, gpu=None, networks=None):
    """networks: {name: module}, whose parameters are counted."""
    import torch
    torch.set_num_threads(arguments.threads)
    seconds = time_steps(arguments, step, gpu)
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # KiB on Linux
    line = {"step_seconds": seconds, "peak_resident_mib": peak_mib, "torch": torch.__version__}
    if gpu:
        line["peak_device_mib"] = gpu.max_memory_allocated() / 2**20
    if networks:
        line["parameters"] = {name: sum(parameter.numel() for parameter in network.parameters())
                              for name, network in networks.items()}
    print(json.dumps(line))


def print_profile(arguments, phases, frame, gpu=None):
    """Times and traces each phase in steps of its own, and steps without a phase, named "frame"; the traces, for
    traces.py, go to the folder arguments.profile.

    phases: {name: (it is due in every so many steps, what runs it)}; frame: what ends each step
    """
    import torch
    from torch.profiler import ProfilerActivity, profile
    torch.set_num_threads(arguments.threads)
    activity = ProfilerActivity.CUDA if arguments.device == "cuda" else ProfilerActivity.CPU
    profiled = []
    for name, (interval, run) in {**phases, "frame": (1, lambda: None)}.items():
        def step(_number, run=run):
            run()
            frame()
        seconds = time_steps(arguments, step, gpu)
        with profile(activities=[activity]) as trace:
            step(0)
            if gpu:
                gpu.synchronize()
        trace.export_chrome_trace(str(arguments.profile / f"{name}.json"))
        profiled.append({"name": name, "interval": interval, "step_seconds": seconds})
    print(json.dumps({"phases": profiled, "torch": torch.__version__}))


def comparison_options(description, batch, steps):
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path(__file__).resolve().parents[2] / "build/release")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=steps, help="timed steps a round")
    parser.add_argument("--batch", type=int, default=batch)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    return parser


def program_of(arguments, name):
    program = arguments.build / "bin" / name
    if not os.access(program, os.X_OK):
        sys.exit(f"no {program}: build the target {name} first, or name its build folder with --build")
    return str(program)


def training_of(arguments, config, labels=0):
    """Returns the command that times the steps of a training of ganscale. config: its configuration but for the batch,
    as YAML; labels: of a conditional model."""
    return [program_of(arguments, "training_benchmark"), "--config", config, "--labels", str(labels)]


def measure(command, threads, most_seconds=None, **options):
    """Runs a program that times steps, with --name value for each option, and returns its line. Throws:
    subprocess.SubprocessError if it fails or takes too long."""
    command = [*command, "--threads", str(threads)]
    for name, value in options.items():
        command += [f"--{name.replace('_', '-')}", str(value)]
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True,
                          timeout=most_seconds)
    return json.loads(done.stdout)


def eager_and_compiled(command):
    """Returns PyTorch's two contenders for compare(): a program that has the option --compile, without and with it."""
    return {EAGER: command, COMPILED: [*command, "--compile"]}


def compare(contenders, arguments, of_a_round):
    """Runs the contenders, "ganscale", "PyTorch" and perhaps "torch.compile", in turn, prints how ganscale compares with
    each, and returns how many times as fast as eager PyTorch ganscale is and which share of its resident memory it
    needs. `of_a_round` makes one number of the seconds of a round's steps; the median of the rounds counts."""
    seconds = {name: [] for name in contenders}
    memory = {name: 0 for name in contenders}
    parameters = {}
    for number in range(arguments.rounds):
        for name, command in list(contenders.items()):
            try:
                result = measure(command, arguments.threads, batch=arguments.batch, steps=arguments.steps)
            except subprocess.SubprocessError:
                if name != COMPILED:
                    raise
                print("torch.compile fails here (it needs a C++ compiler): left out", flush=True)
                del contenders[COMPILED]
                continue
            seconds[name].append(of_a_round(result["step_seconds"]))
            memory[name] = max(memory[name], result["peak_resident_mib"])
            parameters[name] = result.get("parameters", {})
            print(f"round {number + 1}  {name:13} {seconds[name][-1]:.3f} s  "
                  f"{result['peak_resident_mib']:.0f} MiB", flush=True)
    require_equal(parameters[OURS], parameters[EAGER])
    median = {name: statistics.median(seconds[name]) for name in contenders}
    for name in contenders:
        compared = "" if name == OURS else (f": ganscale is {median[name] / median[OURS]:.2f} times as fast, "
                                            f"with {memory[OURS] / memory[name]:.0%} of the memory")
        print(f"{name:13} {median[name]:.3f} s a step, at most {memory[name]:.0f} MiB resident{compared}")
    return median[EAGER] / median[OURS], memory[OURS] / memory[EAGER]


def require_equal(ours, theirs):
    """Prints how many parameters the networks have on which both sides agree; exits where they do not."""
    for name in ours.keys() & theirs.keys():
        if ours[name] != theirs[name]:
            sys.exit(f"not the same networks: the {name} has {ours[name]} and {theirs[name]} parameters")
    agreed = [f"{name} {ours[name] / 1e6:.2f} M" for name in sorted(ours.keys() & theirs.keys(), reverse=True)]
    if agreed:
        print(f"parameters on both sides: {', '.join(agreed)}")


def judge(speed, speed_needed, share, memory_limit):
    """Prints what compare() returned and the claim about it, and returns the exit code: 0 if the claim holds."""
    print(f"{speed:.2f} times as fast (needed: {speed_needed}), {share:.0%} of the memory (needed: at most "
          f"{memory_limit:.0%})")
    return 0 if speed >= speed_needed and share <= memory_limit else 1


def judge_lowest(ratios, needed):
    """Prints the lowest of some speeds relative to PyTorch's and the claim about it, and returns the exit code: 0 if the
    claim holds. ratios: {what was compared: the ratio}."""
    what = min(ratios, key=ratios.get)
    print(f"at least {ratios[what]:.2f} times as fast: {what} (needed: {needed})")
    return 0 if ratios[what] >= needed else 1
