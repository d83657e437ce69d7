#!/usr/bin/env python3
"""Times StyleGAN2 on one GPU: config-f at 256x256 with 1 to 64 images per step, against PyTorch, eager and compiled.

    benchmarks/stylegan2/compare_on_gpu.py --build build/gpu-check [--side ours|peers] [--precisions bf16]

Claims, of ganscale with training.cuda_graphs: an image takes at most 1.25 times as long at 2 images per step as at 16
(what strong scaling asks of one GPU); at 16 images per step it is at least 1.5 times as fast as eager PyTorch and 1.15
times as fast as its torch.compile form. Without graphs it is measured for comparison. Each number is the mean over 16
steps, in which every phase comes as often as in a long run.

With --public FOLDER, a checkout of NVlabs/stylegan2-ada-pytorch, that is measured, too: how many times as fast ganscale is
is told, not claimed. Where others have bf16, it has fp16 in its four highest resolutions (see stylegan2_public.py).

With --results FILE every measurement is written there at once, and those of earlier calls count for the claims: the two
sides may be measured one after the other. Exit code 1 where a claim does not hold or a measurement failed, 77 where there
is no GPU or no build for one; what is missing is printed.
"""
import statistics
import subprocess
import sys
from pathlib import Path

import on_gpu
from on_gpu import CONTENDERS, FEW, MANY

MOST_PER_IMAGE = 1.25
OURS = "ganscale-graphs"
SPEED_NEEDED = {"pytorch": 1.5, "pytorch-compile": 1.15, on_gpu.PUBLIC: None}  # None: it is told, not claimed


def options():
    parser = on_gpu.parser(__doc__)
    parser.add_argument("--side", choices=["ours", "peers"], help="measure only these of the contenders")
    parser.add_argument("--results", type=Path, metavar="FILE", help="measurements as JSON: read, and added to")
    arguments = parser.parse_args()
    arguments.contenders = on_gpu.contenders_of(arguments, arguments.side)
    return arguments


def plan(arguments):
    """Returns (precision, batch, contender) of each measurement: first what the claims need."""
    batches = {name: arguments.batches or CONTENDERS[name].batches for name in arguments.contenders}
    order = list(dict.fromkeys(batch for some in batches.values() for batch in some))
    return [(precision, batch, name) for precision in arguments.precisions for batch in order
            for name in arguments.contenders if batch in batches[name]]


def remark(precision, result):
    """Returns what else is to be known of the public implementation's figures."""
    if "extensions" not in result:
        return ""
    how = f"  fp16 in {result['fp16_resolutions']} resolutions" if precision == "bf16" else ""
    return how + ("" if result["extensions"] else "  WITHOUT ITS CUDA EXTENSIONS")


def measure_all(arguments, device, rows):
    """Adds the measurements of the plan to the rows; returns whether none failed."""
    all_ran = True
    for precision, batch, contender in plan(arguments):
        what = f"{contender:15}  {precision}  {batch:3} images per step"
        try:
            result = on_gpu.run(arguments, contender, precision, batch)
        except subprocess.SubprocessError as error:
            print(f"{what}  {on_gpu.reason_of(error)}", flush=True)
            all_ran = False
            continue
        step_ms = statistics.mean(result["step_seconds"]) * 1000
        # Milliseconds per image equal seconds per thousand images.
        memory = f"  {result['peak_device_mib'] / 1024:5.1f} GiB" if "peak_device_mib" in result else ""
        print(f"{what}  {step_ms:8.1f} ms per step  {step_ms / batch:7.2f} s/kimg{memory}{remark(precision, result)}",
              flush=True)
        rows.add({"contender": contender, "device": device, "preset": arguments.preset,
                  "resolution": arguments.resolution, "precision": precision, "batch": batch,
                  "seconds_per_kimg": step_ms / batch, **result})
    return all_ran


def seconds_per_kimg(rows, device, arguments, precision):
    """Returns {contender: {batch: s/kimg}} of what this call is about."""
    times = {}
    for row in rows:
        if (row["device"], row["preset"], row["resolution"], row["precision"]) == (
                device, arguments.preset, arguments.resolution, precision):
            times.setdefault(row["contender"], {})[row["batch"]] = row["seconds_per_kimg"]
    return times


def claims_of_batches(times):
    for name, of_batch in times.items():
        if FEW in of_batch and MANY in of_batch:
            share = of_batch[FEW] / of_batch[MANY]
            needed = f" (needed: at most {MOST_PER_IMAGE})" if name == OURS else ""
            yield (f"{name}: an image takes {share:.2f} times as long at {FEW} images per step as at {MANY}{needed}",
                   name != OURS or share <= MOST_PER_IMAGE)


def claims_of_speed(times):
    for name, needed in SPEED_NEEDED.items():
        if MANY in times.get(name, {}) and MANY in times.get(OURS, {}):
            speed = times[name][MANY] / times[OURS][MANY]
            claimed = f" (needed: {needed})" if needed else ""
            yield f"{MANY} images per step: {speed:.2f} times as fast as {name}{claimed}", not needed or speed >= needed


def claims(times):
    """Returns (a sentence, whether it holds) for each claim that was measured; without one, it holds."""
    return [*claims_of_batches(times), *claims_of_speed(times)]


def main():
    arguments = options()
    missing = on_gpu.what_is_missing(arguments)
    if missing:
        print(f"not measured: {missing}")
        return on_gpu.timing.CANNOT
    device = on_gpu.device_name(arguments)
    print(device, flush=True)
    rows = on_gpu.Rows(arguments.results)
    holds = measure_all(arguments, device, rows)
    for precision in arguments.precisions:
        for sentence, is_true in claims(seconds_per_kimg(rows.rows, device, arguments, precision)):
            print(f"{precision}: {sentence}{'' if is_true else ': DOES NOT HOLD'}")
            holds &= is_true
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
