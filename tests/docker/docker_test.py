"""The parts of the images that need no image: the entry point under a real mpirun, the bill of materials, what compose.yaml names."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
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

    def test_it_waits_until_every_host_has_a_name(self):
        (self.folder / "hostfile").write_text("localhost slots=1\nno-such-host.invalid slots=1\n")
        launcher = self.launch("touch started")
        time.sleep(2)
        self.assertIsNone(launcher.poll())
        self.assertFalse((self.folder / "started").exists())
        launcher.kill()
        launcher.wait()

    def test_other_commands_get_a_preflight_and_take_its_place(self):
        result = subprocess.run(["bash", ENTRYPOINT, "bash", "-c", "exit 65"], check=False, text=True, stderr=subprocess.PIPE,
                                env={**self.environment, "NCCL_SOCKET_IFNAME": "=eth9"})
        self.assertEqual(result.returncode, 65)
        self.assertIn("NCCL_SOCKET_IFNAME==eth9 names no interface: there are", result.stderr)
        result = subprocess.run(["bash", ENTRYPOINT, "true"], check=True, text=True, stderr=subprocess.PIPE,
                                env={**self.environment, "NCCL_SOCKET_IFNAME": "lo"})
        self.assertNotIn("NCCL_SOCKET_IFNAME", result.stderr)


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

    def test_prometheus_understands_its_configuration(self):
        if not shutil.which("promtool"):
            self.skipTest("promtool is missing (package prometheus)")
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(PROJECT / "docker/compose/prometheus.yml", folder)
            shutil.copytree(PROJECT / "helm/ganscale-operator/files/rules", f"{folder}/rules")
            subprocess.run(["promtool", "check", "config", f"{folder}/prometheus.yml"], check=True)

    def test_grafana_finds_the_dashboards(self):
        provider = yaml.safe_load((PROJECT / "docker/compose/grafana/dashboards/ganscale.yaml").read_text())["providers"][0]
        mounts = yaml.safe_load((PROJECT / "compose.yaml").read_text())["services"]["grafana"]["volumes"]
        [folder] = [mount.split(":")[0] for mount in mounts if mount.split(":")[1] == provider["options"]["path"]]
        for path in (PROJECT / folder).glob("*.json"):
            self.assertTrue(json.loads(path.read_text())["uid"].startswith("ganscale-"))

    def test_bases_are_pinned_and_images_do_not_run_as_root(self):
        for role in ["worker", "operator"]:
            text = (PROJECT / f"docker/{role}.Dockerfile").read_text()
            self.assertRegex(text, r"ARG BASE=debian:bookworm-\d{8}-slim\n")
            self.assertRegex(text, r"\nUSER (mpiuser|65532:65532)\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
