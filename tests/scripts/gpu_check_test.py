"""scripts/gpu-check.sh without a GPU: its stages are commands of the test."""
import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(PROJECT / "scripts/gpu_check"))
import main  # noqa: E402
import mirror  # noqa: E402
import prebuilt  # noqa: E402
import stage  # noqa: E402
import tests  # noqa: E402
from results import Results  # noqa: E402
from stage import Stage  # noqa: E402


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


def shell(name, script, limit_seconds=60):
    return Stage(name, limit_seconds, ["bash", "-c", script])


def ends(pid):
    """Returns whether a process ends within a while; one that was not waited for yet has."""
    stat = pathlib.Path(f"/proc/{pid}/stat")
    for _ in range(100):
        try:
            if stat.read_text().rsplit(")", 1)[1].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


class RunAll(Case):
    def run_all(self, *stages, total_seconds=None):
        """Returns the names that failed, and the figures."""
        with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())) as shown:
            failed = main.run_all(stages, Results(self.folder / "results"), self.folder / "out", total_seconds)
        self.shown = shown.buffer.getvalue().decode()
        return failed, json.loads((self.folder / "out/gpu-check.json").read_text())

    def test_a_failed_stage_does_not_end_the_next(self):
        failed, figures = self.run_all(shell("first", "echo broken; exit 3"), shell("second", "echo fine"))
        self.assertEqual(failed, ["first"])
        self.assertEqual([(name, facts["status"], facts["exit_code"]) for name, facts in figures["stages"].items()],
                         [("first", "failed", 3), ("second", "passed", 0)])

    def test_a_stage_that_hangs_is_ended_with_what_it_started(self):
        pid = self.folder / "pid"
        failed, figures = self.run_all(shell("hangs", f"sleep 1000 & echo $! >{pid}; echo began; wait", 0.5),
                                       shell("second", "exit 0"))
        self.assertEqual(failed, ["hangs"])
        self.assertEqual(figures["stages"]["hangs"]["status"], "timed out")
        self.assertEqual(figures["stages"]["second"]["status"], "passed")
        self.assertIn("began", (self.folder / "results/logs/hangs.log").read_text())
        self.assertTrue(ends(int(pid.read_text())))

    def test_all_stages_together_end_within_the_total(self):
        failed, figures = self.run_all(shell("quick", "exit 0"), shell("hangs", "sleep 1000"), shell("third", "exit 0"),
                                       total_seconds=main.LEAST_SECONDS + 1)
        self.assertEqual(failed, ["hangs"])
        self.assertEqual({name: facts["status"] for name, facts in figures["stages"].items()},
                         {"quick": "passed", "hangs": "timed out"})
        self.assertIn("third: no time is left for it", self.shown)

    def test_a_program_that_ignores_sigterm_is_killed(self):
        grace, stage.GRACE_SECONDS = stage.GRACE_SECONDS, 0.2
        self.addCleanup(setattr, stage, "GRACE_SECONDS", grace)
        pid = self.folder / "pid"
        stubborn = f"(trap '' TERM; echo $BASHPID >{pid}; while :; do sleep 0.05; done) & wait"
        failed, _ = self.run_all(shell("stubborn", stubborn, 0.5))
        self.assertEqual(failed, ["stubborn"])
        self.assertTrue(ends(int(pid.read_text())))

    def test_a_stage_that_cannot_run_here_has_not_failed(self):
        failed, figures = self.run_all(shell("bench", "exit 77"))
        self.assertEqual(failed, [])
        self.assertEqual(figures["stages"]["bench"]["status"], "left out")

    def test_the_archive_has_logs_figures_and_traces(self):
        results = self.folder / "results"
        self.run_all(shell("bench", f"echo measured; echo '[1.5]' >{results}/figures/bench.json; touch {results}/traces/t"))
        with tarfile.open(self.folder / "out/gpu-check.tar.gz") as archive:
            def text(name):
                return archive.extractfile(f"gpu-check/{name}").read().decode()
            self.assertEqual(text("logs/bench.log"), "measured\n")
            self.assertEqual(json.loads(text("gpu-check.json"))["bench"], [1.5])
            self.assertIn("gpu-check/traces/t", archive.getnames())

    def test_later_calls_add_to_the_results(self):
        self.run_all(shell("build", "exit 0"), shell("test", "exit 1"))
        _, figures = self.run_all(shell("test", "exit 0"))
        self.assertEqual({name: facts["status"] for name, facts in figures["stages"].items()},
                         {"build": "passed", "test": "passed"})

    def test_all_output_is_shown(self):
        self.run_all(shell("loud", "seq 100000; echo to stderr >&2"))
        self.assertIn("\n99999\n100000\nto stderr\n", self.shown)


class Output(Case):
    def test_is_shown_while_the_stage_runs(self):
        go_on = self.folder / "go-on"
        waits = f"echo early; while [ ! -e {go_on} ]; do sleep 0.05; done"
        script = f"import stage; stage.run(stage.Stage('slow', 60, ['bash', '-c', '{waits}']), '{self.folder}/log')"
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "PYTHONPATH": str(PROJECT / "scripts/gpu_check")}) as runner:
            self.assertEqual(runner.stdout.readline(), "early\n")
            self.assertIsNone(runner.poll())
            go_on.touch()


class CommandLine(Case):
    def call(self, *arguments, **environment):
        env = {name: value for name, value in {**os.environ, **environment}.items() if value is not None}
        return subprocess.run([PROJECT / "scripts/gpu-check.sh", *arguments], env=env, capture_output=True, text=True,
                              check=False)

    def test_unknown_words_are_named_with_the_known_ones(self):
        for arguments, message in [(["--only", "test,bench"], "unknown: test (there are: build, versions, test-gpu, "
                                                              "bench-32, profile, parity, train, bench-models, bench-ours, "
                                                              "bench-peers, test-unit)"),
                                   (["--contenders", "theirs"], "unknown: theirs (there are: ganscale-graphs, ganscale,"),
                                   (["--batches", "2,many"], "argument --batches: invalid list of int value: '2,many'"),
                                   (["--public", "/nowhere"], "no checkout of stylegan2-ada-pytorch: /nowhere"),
                                   (["--fast"], "unrecognized arguments: --fast")]:
            done = self.call(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)

    def test_sigterm_ends_the_current_stage_and_packs_the_results(self):
        pid = self.folder / "pid"
        script = ("import main; main.stages_of = lambda *_: [main.Stage('test-gpu', 60, ['bash', '-c', "
                  f"'echo $$ >{pid}; echo began; sleep 1000'])]; main.main(['--only', 'test-gpu', '--build', '{self.folder}'])")
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "PYTHONPATH": str(PROJECT / "scripts/gpu_check")}) as check:
            self.assertIn("began\n", iter(check.stdout.readline, ""))
            check.terminate()
            self.assertEqual(check.wait(), 143)
        self.assertTrue(ends(int(pid.read_text())))
        with tarfile.open(self.folder / "gpu-check.tar.gz") as archive:
            self.assertIn("gpu-check/logs/test-gpu.log", archive.getnames())

    def test_a_failure_is_exit_code_1_and_named_last(self):
        done = self.call("--only", "test-gpu", "--build", str(self.folder))  # where nothing is built
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.splitlines()[-1], "gpu-check: failed: test-gpu")
        self.assertTrue((self.folder / "gpu-check.tar.gz").exists())

    def test_results_go_to_a_folder_of_choice_even_without_a_home(self):
        build, out, unasked = (self.folder / name for name in ("build", "collected", "unasked"))
        for words, there in [(["--out", str(out)], out), ([], build)]:
            done = self.call("--only", "versions", "--build", str(build), *words, OUT=str(unasked), HOME=None)
            self.assertIn(f"Results: {there}/gpu-check.tar.gz", done.stdout)
            self.assertTrue((there / "gpu-check.json").exists())
        self.assertFalse(unasked.exists())

    def test_choices_reach_the_benchmarks(self):
        chosen = main.options(["--batches", "2,16", "--contenders", "ganscale"])
        commands = {one.name: " ".join(map(str, one.command)) for one in main.stages_of(chosen, Results(self.folder))}
        self.assertEqual(tuple(commands), main.STAGES)
        for name in ("bench-ours", "bench-peers", "profile"):
            self.assertIn("--batches 2,16 --contenders ganscale", commands[name])
            self.assertNotIn("--public", commands[name])

    def test_the_public_implementation_reaches_the_benchmarks_from_any_folder(self):
        (self.folder / "training").mkdir()
        (self.folder / "training/networks.py").touch()
        chosen = main.options(["--public", os.path.relpath(self.folder)])
        commands = {one.name: " ".join(map(str, one.command)) for one in main.stages_of(chosen, Results(self.folder))}
        for name in ("bench-ours", "bench-peers", "profile"):
            self.assertIn(f"--public {self.folder.resolve()}", commands[name])

    def test_no_stage_takes_longer_than_nine_minutes(self):
        for one in main.stages_of(main.options([]), Results(self.folder)):
            self.assertLessEqual(one.limit_seconds, 540)


class Mirror(Case):
    def test_is_new_only_where_the_content_is(self):
        project, copy = self.folder / "outer/project", self.folder / "outer/project/out/source"
        files = {"a.h": "a", "b/c.h": "c", "b/gone.h": "", ".git/x": "", "build/x": "", "b/build/d.h": "d"}
        for name, text in files.items():
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            (project / name).write_text(text)
        mirror.mirror(project, copy)
        self.assertEqual(mirror.files_of(copy), {pathlib.Path(name) for name in ("a.h", "b/c.h", "b/gone.h", "b/build/d.h")})

        before = (copy / "a.h").stat().st_mtime_ns
        (project / "a.h").touch()  # as a fresh copy of the project is
        (project / "b/c.h").write_text("changed")
        os.utime(project / "b/c.h", (0, 0))  # by a machine with another clock
        (project / "b/gone.h").unlink()
        since = time.time() - 1
        self.assertEqual(mirror.mirror(project, copy), 2)
        self.assertEqual((copy / "a.h").stat().st_mtime_ns, before)
        self.assertEqual((copy / "b/c.h").read_text(), "changed")
        self.assertGreater((copy / "b/c.h").stat().st_mtime, since)
        self.assertFalse((copy / "b/gone.h").exists())


class Prebuilt(Case):
    """Programs that load a library of the system, one of torch, and one of another package, as ours do."""

    def setUp(self):
        super().setUp()
        self.site = self.folder / "site"
        for name in ("torch/lib", "nvidia/cu13/lib", "nvidia/cudnn/lib"):
            (self.site / name).mkdir(parents=True)
        self.compile_library("f", self.site / "torch/lib/libtorch_cpu.so")
        self.compile_library("g", self.site / "nvidia/cu13/lib/libcudart.so")
        build = self.folder / "compiled"
        (build / "bin").mkdir(parents=True)
        source = self.folder / "program.c"
        source.write_text("int f(void), g(void); const char* zlibVersion(void);"
                          "int main(void) { return f() + g() - 2 + (zlibVersion()[0] == 0); }")
        for name in (*prebuilt.PROGRAMS, "kernels_gpu_test"):
            subprocess.run(["gcc", "-o", build / "bin" / name, source, *self.site.glob("*/lib/*.so"),
                            *self.site.glob("*/*/lib/*.so"), "-lz",
                            f"-Wl,--disable-new-dtags,-rpath,{':'.join(prebuilt.run_path(self.site))}"], check=True)
        # ldd must find torch here, too
        for name in ("torch", "nvidia"):
            os.symlink(self.site / name, build / name)
        self.archive = self.folder / "programs.tar.xz"
        prebuilt.pack(build, self.archive, ["kernels_gpu_test"])

    def compile_library(self, function, path):
        source = self.folder / f"{function}.c"
        source.write_text(f"int {function}(void) {{ return 1; }}")
        subprocess.run(["gcc", "-shared", "-fPIC", f"-Wl,-soname,{path.name}", "-o", path, source], check=True)

    def test_carries_the_libraries_of_the_system_but_neither_torch_nor_the_runtime_of_c(self):
        with tarfile.open(self.archive) as archive:
            names = {name for name in archive.getnames() if name.startswith("lib/")}
        self.assertEqual(names, {"lib/libz.so.1"})

    def test_runs_against_the_torch_of_another_machine(self):
        elsewhere = self.folder / "elsewhere"
        os.rename(self.site, elsewhere)
        there = self.folder / "there"
        prebuilt.unpack(self.archive, there, elsewhere)
        self.assertEqual(tests.run(there, "gpu", self.folder / "figures.json"), 0)
        self.assertEqual(json.loads((self.folder / "figures.json").read_text())["kernels_gpu_test"]["status"], "Passed")
        self.assertEqual(tests.run(there, "unit", self.folder / "figures.json"), tests.CANNOT)
        libraries = subprocess.run(["ldd", there / "bin/ganscale"], check=True, stdout=subprocess.PIPE, text=True).stdout
        self.assertIn(f"{there}/bin/../lib/libz.so.1", libraries)

    def test_names_the_command_that_makes_a_missing_archive(self):
        with self.assertRaisesRegex(SystemExit, "scripts/gpu-prebuilt.sh makes it"):
            prebuilt.unpack(self.folder / "none.tar.gz", self.folder / "there", self.site)

    def test_is_unpacked_in_place_of_a_build(self):
        chosen = main.options(["--prebuilt"])
        self.assertIn("unpack", main.stages_of(chosen, Results(self.folder))[0].command)
        self.assertEqual(chosen.build.name, "gpu-check-prebuilt")


class Tests(unittest.TestCase):
    def test_lines_of_ctest_are_understood(self):
        ended = {" 1/60 Test  #5: layers_of_worker ...................   Passed    0.05 sec": ("layers_of_worker", "Passed"),
                 "12/60 Test #12: upfirdn2d_gpu_test .......***Failed    1.20 sec": ("upfirdn2d_gpu_test", "Failed"),
                 "60/60 Test #13: a ...***Timeout 120.02 sec": ("a", "Timeout"),
                 " 2/60 Test #14: b ...***Not Run   0.00 sec": ("b", "Not Run"),
                 " 3/60 Test #15: c ...***Exception: SegFault  0.20 sec": ("c", "Exception: SegFault")}
        for line, (name, status) in ended.items():
            match = tests.ENDED.match(line)
            self.assertEqual((match["name"], match["status"].strip(" *")), (name, status))
        self.assertIsNone(tests.ENDED.match("      Start  5: layers_of_worker"))


if __name__ == "__main__":
    unittest.main()
