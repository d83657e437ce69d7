"""What the benchmarks on a GPU make of their measurements."""
import argparse
import json
import pathlib
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
for folder in ("benchmarks/timing", "benchmarks/stylegan2"):
    sys.path.insert(0, str(PROJECT / folder))
import compare_on_gpu  # noqa: E402
import on_gpu  # noqa: E402
import timing  # noqa: E402
import traces  # noqa: E402


def call(name, correlation):
    return {"ph": "X", "cat": "cuda_runtime", "name": name, "ts": 0, "dur": 5, "args": {"correlation": correlation}}


def kernel(name, correlation, ts, dur, cat="kernel"):
    return {"ph": "X", "cat": cat, "name": name, "ts": ts, "dur": dur, "args": {"correlation": correlation}}


# A graph of two kernels, of which the second overlaps with a copy, then a value that the host waits for.
TRACE = {"traceEvents": [
    {"ph": "M", "name": "process_name", "ts": 0},
    call("cudaGraphLaunch", 1), kernel("conv", 1, 1000, 2000), kernel("upfirdn2d", 1, 4000, 1000),
    call("cudaMemcpyAsync", 2), kernel("Memcpy DtoH", 2, 4500, 1500, "gpu_memcpy"), call("cudaStreamSynchronize", 3),
    call("cudaLaunchKernel", 4), kernel("conv", 4, 9000, 3000),
    call("cudaDeviceSynchronize", 5)]}


class Summary(unittest.TestCase):
    def test_counts_a_graph_as_one_launch_and_its_kernels_one_by_one(self):
        numbers = traces.summarize(TRACE)["numbers"]
        self.assertEqual((numbers["launches"], numbers["kernels"]), (3, 4))

    def test_counts_time_once_where_work_overlaps(self):
        self.assertEqual(traces.summarize(TRACE)["numbers"]["device_ms"], 2 + 2 + 3)

    def test_leaves_out_the_wait_for_the_end(self):
        self.assertEqual(traces.summarize(TRACE)["numbers"]["waits"], 1)

    def test_adds_up_each_kernel(self):
        summary = traces.summarize(TRACE)
        self.assertEqual(summary["kernel_ms"], {"conv": 5, "upfirdn2d": 1, "Memcpy DtoH": 1.5})
        self.assertEqual(summary["kernel_count"], {"conv": 2, "upfirdn2d": 1, "Memcpy DtoH": 1})

    def test_counts_operators_if_there_is_no_device(self):
        trace = {"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mul", "ts": 0, "dur": 1000}]}
        self.assertEqual(traces.summarize(trace)["numbers"],
                         {"kernels": 1, "launches": 1, "waits": 0, "device_ms": 1})


class Split(unittest.TestCase):
    def test_takes_the_frame_from_each_phase_and_adds_up_the_mean_step(self):
        steps = {"Dmain": {"interval": 1, "numbers": {"ms": 10}, "kernel_ms": {"conv": 8, "copy": 1}},
                 "Dreg": {"interval": 16, "numbers": {"ms": 34}, "kernel_ms": {"conv": 16, "copy": 1}},
                 "frame": {"interval": 1, "numbers": {"ms": 2}, "kernel_ms": {"copy": 1}}}
        phases = traces.split(steps)
        self.assertEqual(list(phases), ["Dmain", "Dreg", "frame", "step"])
        self.assertEqual(phases["Dreg"]["numbers"], {"ms": 32})
        self.assertEqual(phases["step"]["numbers"], {"ms": 8 + 32 / 16 + 2})
        self.assertEqual(phases["step"]["kernel_ms"], {"conv": 8 + 16 / 16, "copy": 1})


def told(times):
    return [holds for _, holds in compare_on_gpu.claims(times)]


class Claims(unittest.TestCase):
    def test_hold_if_the_numbers_say_so(self):
        ours = {2: 5.0, 16: 4.0}
        self.assertEqual(told({"ganscale-graphs": ours, "pytorch": {16: 6.0}, "pytorch-compile": {16: 4.6}}),
                         [True, True, True])
        self.assertEqual(told({"ganscale-graphs": {**ours, 2: 5.1}, "pytorch": {16: 5.9}, "pytorch-compile": {16: 4.5}}),
                         [False, False, False])

    def test_are_about_graphs_only(self):
        self.assertEqual(told({"pytorch": {2: 50.0, 16: 4.0}}), [True])

    def test_only_tell_how_fast_the_public_implementation_is(self):
        self.assertEqual(compare_on_gpu.claims({"ganscale-graphs": {16: 4.0}, "public": {16: 3.0}}),
                         [("16 images per step: 0.75 times as fast as public", True)])

    def test_are_not_made_of_what_was_not_measured(self):
        self.assertEqual(told({"ganscale-graphs": {16: 4.0}, "pytorch": {2: 9.0}}), [])


class Plan(unittest.TestCase):
    def plan(self, **choices):
        return compare_on_gpu.plan(argparse.Namespace(**{"contenders": list(on_gpu.CONTENDERS), "batches": None,
                                                         "precisions": ["tf32"], **choices}))

    def test_begins_with_what_the_claims_need(self):
        needed = {(batch, name) for batch, name in [(16, "ganscale-graphs"), (2, "ganscale-graphs"), (16, "pytorch"),
                                                    (16, "pytorch-compile")]}
        first = [(batch, name) for _, batch, name in self.plan()][:8]
        self.assertLessEqual(needed, set(first))

    def test_measures_every_contender_at_the_chosen_batches(self):
        self.assertEqual(self.plan(batches=[3], contenders=["pytorch", "ganscale"], precisions=["tf32", "bf16"]),
                         [("tf32", 3, "pytorch"), ("tf32", 3, "ganscale"), ("bf16", 3, "pytorch"), ("bf16", 3, "ganscale")])


class Public(unittest.TestCase):
    @staticmethod
    def chosen(public, contenders=tuple(on_gpu.CONTENDERS)):
        return argparse.Namespace(contenders=list(contenders), public=public, modulate="weights")

    def test_is_left_out_without_its_folder(self):
        rest = [name for name in on_gpu.CONTENDERS if name != "public"]
        self.assertEqual(on_gpu.contenders_of(self.chosen(None)), rest)
        self.assertEqual(on_gpu.contenders_of(self.chosen(None, ["public"])), [])

    def test_is_one_of_the_peers(self):
        chosen = self.chosen(pathlib.Path("/public"))
        self.assertEqual(on_gpu.contenders_of(chosen, "peers"), ["pytorch", "pytorch-compile", "public"])
        self.assertNotIn("public", on_gpu.contenders_of(chosen, "ours"))

    def test_has_a_program_of_its_own_that_is_told_the_folder(self):
        program, *options = on_gpu.command_of(self.chosen(pathlib.Path("/public")), "public")[1:]
        self.assertTrue(pathlib.Path(program).samefile(PROJECT / "benchmarks/stylegan2/stylegan2_public.py"))
        self.assertEqual(options, ["--public", "/public"])

    def test_tells_what_of_it_was_measured(self):
        compiled = {"extensions": True, "fp16_resolutions": 4}
        self.assertEqual(compare_on_gpu.remark("bf16", compiled), "  fp16 in 4 resolutions")
        self.assertEqual(compare_on_gpu.remark("tf32", compiled), "")
        self.assertIn("WITHOUT ITS CUDA EXTENSIONS", compare_on_gpu.remark("tf32", {**compiled, "extensions": False}))
        self.assertEqual(compare_on_gpu.remark("bf16", {"step_seconds": [1]}), "")


class FakeGpu:
    """A device that takes two seconds for a step, while the host takes no time to give it the next."""

    def __init__(self):
        self.now, self.told = 0, []

    def step(self, number):
        self.now += 2
        self.told.append(number)

    def synchronize(self):
        self.told.append("wait")

    def reset_peak_memory_stats(self):
        self.told.append("forget the peak")

    def Event(self, enable_timing):  # noqa: N802: torch.cuda's name
        assert enable_timing
        return FakeEvent(self)


class FakeEvent:
    def __init__(self, gpu):
        self.gpu = gpu

    def record(self):
        self.seconds = self.gpu.now

    def elapsed_time(self, later):
        return 1000 * (later.seconds - self.seconds)


class TimeSteps(unittest.TestCase):
    def test_waits_for_a_gpu_before_the_first_step_and_after_the_last(self):
        gpu = FakeGpu()
        self.assertEqual(timing.time_steps(argparse.Namespace(warm_up=2, steps=3), gpu.step, gpu), [2, 2, 2])
        self.assertEqual(gpu.told, [0, "wait", "forget the peak", 0, "wait", 0, 1, 2, "wait"])


class Rows(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "rows.json"

    @staticmethod
    def row(contender, value):
        return {"contender": contender, "device": "H100", "preset": "small", "resolution": 16, "precision": "tf32",
                "batch": 2, "seconds_per_kimg": value}

    def test_are_written_at_once_and_found_again(self):
        on_gpu.Rows(self.path).add(self.row("ganscale", 1))
        on_gpu.Rows(self.path).add(self.row("pytorch", 2))
        self.assertEqual(json.loads(self.path.read_text()), [self.row("ganscale", 1), self.row("pytorch", 2)])

    def test_replace_older_results_of_the_same_measurement(self):
        rows = on_gpu.Rows(self.path)
        for value in (1, 2):
            rows.add(self.row("ganscale", value))
        self.assertEqual(rows.rows, [self.row("ganscale", 2)])

    def test_of_another_device_are_not_compared(self):
        chosen = argparse.Namespace(preset="small", resolution=16)
        rows = [self.row("ganscale", 1), {**self.row("pytorch", 2), "device": "H200"}]
        self.assertEqual(compare_on_gpu.seconds_per_kimg(rows, "H100", chosen, "tf32"), {"ganscale": {2: 1}})


if __name__ == "__main__":
    unittest.main()
