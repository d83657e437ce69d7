"""What can be tested without building an image: the entry point under a real mpirun, the layout of an image, the bill of
materials, what compose.yaml names."""
import http.server
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
ENTRYPOINT = PROJECT / "docker" / "entrypoint.sh"
CANNOT = 77  # what ctest takes for "skipped"

try:
    import yaml
except ImportError:
    print("SKIPPED: Python's yaml is missing (package python3-yaml)", file=sys.stderr)
    sys.exit(CANNOT)

# A rank that checkpoints on SIGUSR1, as ganscale does.
RANK = "trap 'touch checkpoint; exit 143' USR1; touch started; while :; do sleep 0.1; done"


class EntryPoint(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "hostfile").write_text("localhost slots=1\n")
        self.environment = {**os.environ, "GANSCALE_HOSTFILE": str(self.folder / "hostfile"),
                            "GANSCALE_TERMINATION_LOG": str(self.folder / "last-words")}

    def launch(self, script, stdout=subprocess.DEVNULL):
        return subprocess.Popen(["bash", ENTRYPOINT, "launch", "-np", "1", "--oversubscribe", "--allow-run-as-root", "bash",
                                 "-c", script], cwd=self.folder, env=self.environment, stdout=stdout, text=True,
                                stderr=subprocess.DEVNULL)

    def wait_for_file(self, name):
        deadline = time.monotonic() + 60
        while not (self.folder / name).exists():
            self.assertLess(time.monotonic(), deadline, name)
            time.sleep(0.05)

    def test_the_ranks_exit_code_is_passed_on(self):
        self.assertEqual(self.launch("exit 75").wait(timeout=60), 75)
        self.assertEqual(self.launch("kill -KILL $$").wait(timeout=60), 75, "a killed rank is a lost one")

    def test_mpirun_that_waits_for_a_lost_host_is_ended(self):
        # A rank that lost another ends with 75; this one says so and stays, as mpirun does without the other's host.
        for line in ["ganscale: error: A peer hung or was lost  waiting_rank=0  exit_code=75", '{"level":"error","exit_code":75}']:
            self.environment["GANSCALE_MPIRUN_SECONDS"] = "2"
            launcher = self.launch(f"echo '{line}' >&2; trap '' TERM; touch started; while [ -e started ]; do sleep 1; done")
            self.wait_for_file("started")
            self.assertEqual(launcher.wait(timeout=60), 75)
            (self.folder / "started").unlink()  # it outlives mpirun

    def test_the_last_status_becomes_the_pods_message(self):
        launcher = self.launch('echo "tick 1"; echo "ganscale: last status: {\\"kimg\\": 4.6}"; echo end', subprocess.PIPE)
        self.assertEqual(launcher.communicate(timeout=60)[0], "tick 1\nend\n")
        self.assertEqual(launcher.returncode, 0)
        self.assertEqual((self.folder / "last-words").read_text(), '{"kimg": 4.6}')

    def test_on_sigterm_the_ranks_write_a_checkpoint(self):
        launcher = self.launch(RANK)
        self.wait_for_file("started")
        launcher.send_signal(signal.SIGTERM)
        self.assertEqual(launcher.wait(timeout=60), 143)
        self.assertTrue((self.folder / "checkpoint").exists())

    def test_on_sigterm_a_rank_that_has_no_handler_yet_ends_with_the_same_code(self):
        launcher = self.launch("touch started; while :; do sleep 0.1; done")
        self.wait_for_file("started")
        launcher.send_signal(signal.SIGTERM)
        self.assertEqual(launcher.wait(timeout=60), 143)
        self.assertEqual(self.launch("kill -USR1 $$").wait(timeout=60), 138, "nobody asked for it")

    def test_the_code_is_mpiruns_if_it_ends_while_a_signal_is_handled(self):
        slow = self.folder / "slow"
        slow.write_text('kill() { builtin kill "$@"; local code=$?\n'
                        '[ "$1" != -USR1 ] || while builtin kill -0 "$2" 2>/dev/null; do sleep 0.05; done\n'
                        'return $code; }\n')
        self.environment["BASH_ENV"] = str(slow)
        launcher = self.launch("trap 'exit 65' USR1; touch started; while :; do sleep 0.1; done")
        self.wait_for_file("started")
        launcher.send_signal(signal.SIGTERM)
        self.assertEqual(launcher.wait(timeout=60), 65)

    def test_it_waits_until_every_host_has_a_name(self):
        (self.folder / "hostfile").write_text("localhost slots=1\nno-such-host.invalid slots=1\n")
        launcher = self.launch("touch started")
        time.sleep(2)
        self.assertIsNone(launcher.poll())
        self.assertFalse((self.folder / "started").exists())
        launcher.kill()
        launcher.wait()

    def preflight(self, *before, **environment):
        """Returns the warnings of the preflight; `before` is put before the command."""
        return subprocess.run([*before, "bash", ENTRYPOINT, "true"], check=True, text=True, stderr=subprocess.PIPE,
                              env={**self.environment, **environment}).stderr

    def test_other_commands_get_a_preflight_and_take_its_place(self):
        result = subprocess.run(["bash", ENTRYPOINT, "bash", "-c", "exit 65"], check=False, text=True, stderr=subprocess.PIPE,
                                env={**self.environment, "NCCL_SOCKET_IFNAME": "=eth9"})
        self.assertEqual(result.returncode, 65)
        self.assertIn("NCCL_SOCKET_IFNAME==eth9 names no interface: there are", result.stderr)

    def test_an_interface_is_named_as_nccl_expects(self):
        every = "^" + ",".join(os.listdir("/sys/class/net"))
        for form, is_good in {"lo": True, "l": True, "eth9,lo": True, "=eth9,lo": True, "^docker0": True, "^docker0,eth9": True,
                              "^=l": True, "=l": False, "eth9": False, "=eth9,eth8": False, every: False}.items():
            with self.subTest(form):
                self.assertEqual("names no interface" not in self.preflight(NCCL_SOCKET_IFNAME=form), is_good)

    def test_locked_memory_matters_for_rdma_without_the_capability(self):
        if os.geteuid() != 0 or not capabilities() >> 14 & 1:
            self.skipTest("needs root with CAP_IPC_LOCK")
        (self.folder / "uverbs0").touch()
        limited, unable = ["prlimit", "--memlock=65536:65536"], ["setpriv", "--bounding-set", "-ipc_lock"]
        devices = {"GANSCALE_INFINIBAND": str(self.folder)}
        words = "locked memory is limited to 64 KiB"
        self.assertIn(words, self.preflight(*limited, *unable, **devices))
        self.assertNotIn(words, self.preflight(*limited, **devices), "root with IPC_LOCK, as on a DGX")
        self.assertNotIn(words, self.preflight(*limited, *unable, GANSCALE_INFINIBAND="/nowhere"))


def capabilities():
    return int(re.search(r"^CapEff:\t(\w+)$", pathlib.Path("/proc/self/status").read_text(), re.M)[1], 16)


class Collected(unittest.TestCase):
    """collect.sh, for the worker on a folder of wheels of our own; ldd is a script that lists what the program needs."""
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.site = self.folder / "lib" / "site-packages"
        self.out = self.folder / "image"
        (self.folder / "bin").mkdir()
        shutil.copy("/bin/true", self.folder / "bin" / "ganscale")
        self.libraries = self.out / "usr/local/lib/ganscale"

    def collect(self, *needed, incomplete=None):
        """Creates the libraries of the wheels, then lays out the image; `needed` is the output of ldd. The library with the name
        `incomplete` needs another one that is missing."""
        for name in ["torch/lib/libtorch_cpu.so", "torch/lib/libtorch_cuda.so", "torch/lib/libtorch_cuda_linalg.so",
                     "torch/lib/libcaffe2_nvrtc.so", "nvidia/cu13/lib/libcudart.so.13", "nvidia/cu13/lib/libcudart_static.a",
                     "nvidia/cu13/include/cuda.h", "nvidia/cu13/lib/libcusolverMg.so.12", "nvidia/cu13/lib/libnvrtc-builtins.so.13.0",
                     "nvidia/cudnn/lib/libcudnn_ops.so.9", "torch-2.11.0.dist-info/licenses/NOTICE", "nvidia/cusparselt/LICENSE.txt",
                     "nvidia_cuda_runtime-13.0.96.dist-info/licenses/License.txt", "nvidia_cuda_cupti-13.0.85.dist-info/licenses/License.txt",
                     "pyarrow-25.0.0.dist-info/licenses/LICENSE.txt", "numpy-2.0.0.dist-info/licenses/LICENSE"]:
            (self.site / name).parent.mkdir(parents=True, exist_ok=True)
            (self.site / name).write_text(name)
        libc = next(line.split()[2] for line in subprocess.run(["ldd", "/bin/true"], check=True, text=True,
                                                               stdout=subprocess.PIPE).stdout.splitlines() if "libc.so" in line)
        lines = ["linux-vdso.so.1 (0x0)", f"libc.so.6 => {libc} (0x0)", *needed]
        ldd = self.folder / "tools" / "ldd"
        ldd.parent.mkdir()
        ldd.write_text("#!/bin/sh\ncat <<END\n" + "".join(f"\t{line}\n" for line in lines) + "END\n"
                       f'[ "${{1##*/}}" != "{incomplete}" ] || echo "libmissing.so.1 => not found"\n')
        ldd.chmod(0o755)
        return subprocess.run([PROJECT / "docker/collect.sh", "worker", self.folder, self.out], check=False, text=True,
                              stderr=subprocess.PIPE, env={**os.environ, "PATH": f"{ldd.parent}:{os.environ['PATH']}"})

    def needs(self, name):
        return f"{pathlib.Path(name).name} => {self.site}/torch/lib/../../{name} (0x0)"

    def files(self):
        return {str(path.relative_to(self.libraries)) for path in self.libraries.rglob("*") if path.is_file()}

    def wheels(self):
        return [line.split()[0] for line in (self.out / "usr/local/share/ganscale/wheels.txt").read_text().splitlines()]

    def test_a_worker_for_cpus_gets_what_it_loads(self):
        result = self.collect(self.needs("torch/lib/libtorch_cpu.so"), self.needs("nvidia/cu13/lib/libcudart.so.13"))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(self.files(), {"torch/lib/libtorch_cpu.so", "nvidia/cu13/lib/libcudart.so.13"})
        self.assertEqual((self.out / "packages.txt").read_text(), "libc6\n")
        self.assertEqual((self.out / "etc/ld.so.conf.d/ganscale.conf").read_text(),
                         "/usr/local/lib/ganscale/nvidia/cu13/lib\n/usr/local/lib/ganscale/torch/lib\n")
        self.assertEqual(self.wheels(), ["torch", "nvidia-cuda-runtime", "nvidia-cuda-cupti", "pyarrow"])
        licenses = self.out / "usr/local/share/ganscale/licenses"
        self.assertEqual({str(path.relative_to(licenses)) for path in licenses.rglob("*") if path.is_file()},
                         {"ganscale/LICENSE", "torch/NOTICE", "nvidia-cuda-runtime/License.txt", "nvidia-cuda-cupti/License.txt", "pyarrow/LICENSE.txt"})
        self.assertTrue(os.access(self.out / "usr/local/bin/ganscale-entrypoint", os.X_OK))

    def test_a_worker_for_gpus_also_gets_what_is_loaded_by_name(self):
        result = self.collect(self.needs("torch/lib/libtorch_cuda.so"))
        self.assertEqual(result.returncode, 0)
        unlicensed = re.findall(r"lacks the license of the wheel (\S+)\n", result.stderr)
        self.assertIn("nvidia-nccl-cu13", unlicensed)
        self.assertNotIn("nvidia-cusparselt-cu13", unlicensed, "which has it beside its library")
        self.assertEqual(self.files(), {
            "torch/lib/libtorch_cuda.so", "torch/lib/libtorch_cuda_linalg.so", "torch/lib/libcaffe2_nvrtc.so",
            "nvidia/cu13/lib/libnvrtc-builtins.so.13.0", "nvidia/cudnn/lib/libcudnn_ops.so.9"})
        self.assertIn("nvidia-cudnn-cu13", self.wheels())
        self.assertIn("nvidia-nccl-cu13", self.wheels())
        self.assertNotIn("numpy", self.wheels())

    def test_a_missing_library_is_an_error(self):
        result = self.collect(self.needs("torch/lib/libtorch_cpu.so"), "libmpi.so.40 => not found")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("libmpi.so.40 => not found", result.stderr)

    def test_a_missing_library_of_a_part_that_is_loaded_by_name_is_an_error(self):
        result = self.collect(self.needs("torch/lib/libtorch_cuda.so"), incomplete="libtorch_cuda_linalg.so")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("libmissing.so.1 => not found", result.stderr)

    def test_an_operator_gets_the_licenses_of_its_libraries(self):
        terms = pathlib.Path("/usr/share/doc/libc6/copyright")
        if not terms.exists():
            self.skipTest(f"{terms} is missing")
        shutil.copy("/bin/echo", self.folder / "bin/ganscale-operator")  # it needs no other library
        subprocess.run([PROJECT / "docker/collect.sh", "operator", self.folder, self.out], check=True)
        self.assertEqual((self.out / terms.relative_to("/")).read_bytes(), terms.read_bytes())
        self.assertTrue((self.out / "usr/share/common-licenses/LGPL-2.1").is_file(), "what it refers to")
        self.assertTrue((self.out / "usr/local/share/ganscale/licenses/ganscale/LICENSE").is_file())


class BillOfMaterials(unittest.TestCase):
    def test_every_package_is_contained_once(self):
        text = subprocess.run(["sh", PROJECT / "docker/sbom.sh", "ganscale", "1.2.3"], check=True, text=True,
                              input="libc6 2.36-9\nlibstdc++6 12.2.0\nwheel:torch 2.11.0\n", stdout=subprocess.PIPE,
                              env={**os.environ, "SOURCE_DATE_EPOCH": "0"}).stdout
        self.assertIn("SPDXVersion: SPDX-2.3\n", text)
        self.assertIn("Created: 1970-01-01T00:00:00Z\n", text)
        self.assertEqual(re.findall(r"Relationship: SPDXRef-ganscale CONTAINS (.*)", text),
                         ["SPDXRef-libc6", "SPDXRef-libstdc--6", "SPDXRef-torch"])
        self.assertIn("purl pkg:pypi/torch@2.11.0\n", text)
        identities = re.findall(r"^SPDXID: (.*)$", text, re.M)
        self.assertEqual(len(identities), len(set(identities)))
        for identity in identities:
            self.assertRegex(identity, r"^SPDXRef-[A-Za-z0-9.-]+$")


class Files(unittest.TestCase):
    def test_what_compose_mounts_and_builds_is_there(self):
        services = yaml.safe_load((PROJECT / "compose.yaml").read_text())["services"]
        self.assertEqual(sorted(services), ["grafana", "prometheus", "train"])
        for service in services.values():
            self.assertRegex(service["image"], r":v?\d+\.\d+", "pinned")
            for volume in service["volumes"]:
                source = volume.split(":")[0]
                if source.startswith("./") and source != "./runs":
                    self.assertTrue((PROJECT / source).exists(), source)
        self.assertTrue((PROJECT / services["train"]["build"]["dockerfile"]).exists())

    def test_compose_considers_a_worker_with_metrics_healthy(self):
        service = yaml.safe_load((PROJECT / "compose.yaml").read_text())["services"]["train"]
        told = []

        class Worker(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.end_headers()
                self.wfile.write("".join(told).encode())

            def log_message(self, *words):
                pass

        with http.server.HTTPServer(("127.0.0.1", 0), Worker) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            self.assertIn("--set=telemetry.metrics_port=9400", service["command"])
            check = [word.replace("/9400", f"/{server.server_port}") for word in service["healthcheck"]["test"][1:]]

            def is_healthy():
                return subprocess.run(check, check=False, stderr=subprocess.DEVNULL).returncode == 0
            self.assertFalse(is_healthy(), "tells nothing yet")
            told.append('ganscale_world_size{run="compose",rank="0"} 2\n')
            self.assertTrue(is_healthy())
            server.shutdown()
        self.assertFalse(is_healthy(), "nobody answers")

    def test_compose_also_trains_as_root_which_may_own_the_runs(self):
        train = yaml.safe_load((PROJECT / "compose.yaml").read_text())["services"]["train"]
        self.assertIn("GANSCALE_USER", train["user"])
        self.assertEqual(train["command"][:2], ["mpirun", "--allow-run-as-root"])

    def test_prometheus_understands_its_configuration(self):
        if not shutil.which("promtool"):
            self.skipTest("promtool is missing (package prometheus)")
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(PROJECT / "docker/compose/prometheus.yml", folder)
            shutil.copytree(PROJECT / "helm/ganscale-operator/files/rules", f"{folder}/rules")
            subprocess.run(["promtool", "check", "config", f"{folder}/prometheus.yml"], check=True)

    def test_compose_has_the_alerts_of_trainings_but_not_of_the_operator_which_it_does_not_run(self):
        folder = PROJECT / "helm/ganscale-operator/files"
        patterns = yaml.safe_load((PROJECT / "docker/compose/prometheus.yml").read_text())["rule_files"]
        rules = "".join(path.read_text() for pattern in patterns for path in folder.glob(pattern))
        self.assertIn("alert: GanscaleStalled", rules)
        self.assertNotIn("alert: GanscaleNoLeader", rules)
        self.assertNotRegex(rules, "leader_election_|controller_runtime_|ganscale_training")

    def test_grafana_finds_the_dashboards(self):
        provider = yaml.safe_load((PROJECT / "docker/compose/grafana/dashboards/ganscale.yaml").read_text())["providers"][0]
        mounts = yaml.safe_load((PROJECT / "compose.yaml").read_text())["services"]["grafana"]["volumes"]
        [folder] = [mount.split(":")[0] for mount in mounts if mount.split(":")[1] == provider["options"]["path"]]
        for path in (PROJECT / folder).glob("*.json"):
            self.assertTrue(json.loads(path.read_text())["uid"].startswith("ganscale-"))

    def test_bases_are_pinned_and_images_do_not_run_as_root(self):
        bases = []
        for role in ["worker", "operator"]:
            text = (PROJECT / f"docker/{role}.Dockerfile").read_text()
            # In the line itself: Dependabot resolves no ARG. The first one, which buildah's --from replaces.
            bases.append(re.search(r"^FROM (.*)$", text, re.M)[1])
            self.assertRegex(text, r"\nUSER [1-9]\d*:[1-9]\d*\n", "by number, which a kubelet can judge")
        self.assertRegex(bases[0], r"^debian:bookworm-\d{8}-slim@sha256:[0-9a-f]{64} AS base$")
        self.assertEqual(bases[0], bases[1])
        services = yaml.safe_load((PROJECT / "compose.yaml").read_text())["services"]
        others = [service["image"] for service in services.values() if "build" not in service]
        self.assertEqual([image for image in others if not re.search(r":v?\d[\d.]*@sha256:[0-9a-f]{64}$", image)], [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
