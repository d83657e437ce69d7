#!/usr/bin/env python3
"""Profiles the phases of StyleGAN2 on one GPU by CUPTI, through LibTorch: launches, kernels, and time on the device.

    benchmarks/stylegan2/profile_on_gpu.py --traces FOLDER [--batches 16,2] [--contenders ganscale,pytorch]

Each phase runs in steps of its own, in which no other is due; what frames the phases of a step ("frame") is measured in
steps without any, and subtracted. Columns: time; of it that in which the device did something; kernels, copies included;
calls that gave the device work, where a CUDA graph is one; waits of the host for some of the work. Of ganscale also what
`ganscale bench --count` predicts: the time, and the kernels. Then the kernels that take longest in the mean step.

Writes a trace of each phase, for chrome://tracing, to --traces, and with --results FILE all numbers as JSON. Exit code 1
where a contender failed, 77 where there is no GPU or no build for one.
"""
import itertools
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

import on_gpu
from on_gpu import CONTENDERS, MANY

import traces

LISTED = 12  # kernels
COUNTED = ("A100", "H100", "H200")  # the devices that ganscale bench --count knows


def options():
    parser = on_gpu.parser(__doc__)
    parser.set_defaults(batches=[MANY], steps=8, contenders=["ganscale", "ganscale-graphs", "pytorch"])
    parser.add_argument("--results", type=Path, metavar="FILE", help="numbers as JSON: read, and added to")
    parser.add_argument("--traces", type=Path, metavar="FOLDER", required=True)
    arguments = parser.parse_args()
    arguments.contenders = on_gpu.contenders_of(arguments)
    return arguments


def profile(arguments, contender, precision, batch):
    """Returns the numbers of each phase, as traces.split() does. Throws: CalledProcessError, ValueError."""
    folder = arguments.traces / f"{contender}-{precision}-{batch}"
    folder.mkdir(parents=True, exist_ok=True)
    steps = {}
    for phase in on_gpu.run(arguments, contender, precision, batch, profile=folder)["phases"]:
        step = traces.summarize(json.loads((folder / f"{phase['name']}.json").read_text(), strict=False))
        step["numbers"]["ms"] = statistics.median(phase["step_seconds"]) * 1000
        steps[phase["name"]] = {"interval": phase["interval"], **step}
    return traces.split(steps)


def count(arguments, device, contender, precision, batch):
    """Returns what ganscale bench --count says of each phase: {name: {least_ms, kernels}}."""
    program = arguments.build / "bin/ganscale"
    known = [name for name in COUNTED if name in device]
    if CONTENDERS[contender].side != "ours" or not known or not program.exists():
        return {}
    keys = {"model.name": "stylegan2", "model.preset": arguments.preset, "model.resolution": arguments.resolution,
            "training.batch": batch, "training.precision": precision,
            "training.cuda_graphs": str("--graphs" in CONTENDERS[contender].options).lower()}
    command = [str(program), "bench", "--count", "--json", "--device", known[0]]
    for key, value in keys.items():
        command += ["--set", f"{key}={value}"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        return {}
    report = json.loads(done.stdout)
    counted = {name: {"least_ms": phase["seconds"]["total"] * 1000, "kernels": phase["launches"]}
               for name, phase in [*report["phases"].items(), ("step", report["step"])]}
    counted["frame"] = traces.total([(1, counted.pop("input")), (1, counted.pop("average"))])
    return counted


def print_table(phases, counted):
    print("phase     every        ms  device ms  kernels  launches  waits  counted: ms  kernels")
    for name, phase in phases.items():
        numbers = phase["numbers"]
        predicted = counted.get(name)
        print(f"{name:8}  {phase['interval']:5}  {numbers['ms']:8.2f}  {numbers['device_ms']:9.2f}  "
              f"{numbers['kernels']:7.0f}  {numbers['launches']:8.0f}  {numbers['waits']:5.2f}"
              + (f"  {predicted['least_ms']:11.2f}  {predicted['kernels']:7.0f}" if predicted else ""))
    step = phases["step"]
    longest = sorted(step["kernel_ms"], key=lambda kernel: -step["kernel_ms"][kernel])
    for kernel in longest[:LISTED]:
        print(f"{step['kernel_ms'][kernel]:8.2f} ms  {step['kernel_count'][kernel]:7.1f} x  {kernel[:100]}")


def main():
    arguments = options()
    missing = on_gpu.what_is_missing(arguments)
    if missing:
        print(f"not profiled: {missing}")
        return on_gpu.timing.CANNOT
    # Kineto leaves CUPTI open between two traces: with CUDA graphs it may crash when it begins again (as torch.profiler says).
    os.environ.update(TEARDOWN_CUPTI="0", DISABLE_CUPTI_LAZY_REINIT="1")
    device = on_gpu.device_name(arguments)
    print(device, flush=True)
    rows = on_gpu.Rows(arguments.results)
    all_ran = True
    for precision, batch, contender in itertools.product(arguments.precisions, arguments.batches, arguments.contenders):
        print(f"\n{contender}, {precision}, {batch} images per step", flush=True)
        try:
            phases = profile(arguments, contender, precision, batch)
            counted = count(arguments, device, contender, precision, batch)
        except (subprocess.SubprocessError, ValueError) as error:  # ValueError: a trace that is no JSON
            print(f"failed: {error}", flush=True)
            all_ran = False
            continue
        print_table(phases, counted)
        rows.add({"contender": contender, "device": device, "preset": arguments.preset,
                  "resolution": arguments.resolution, "precision": precision, "batch": batch,
                  "phases": phases, "counted": counted})
    return 0 if all_ran else 1


if __name__ == "__main__":
    sys.exit(main())
