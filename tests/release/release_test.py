"""The release: its workflow by actionlint, the forms for issues, and its scripts with programs that only note how they are called,
except for tar and Helm, which packs but pushes nothing."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(PROJECT / "tests" / "charts")]
from charts import VERSION, Helm, build_tools, yaml  # noqa: E402

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "ganscale"
DIGEST = "sha256:" + "1" * 64
CHART_DIGEST = "sha256:" + "2" * 64
NOTE = r"""#!/bin/sh
echo "$(basename "$0") $*" >> "$NOTES"
case "$(basename "$0") $1" in
  "docker inspect") echo "${4%:*}@DIGEST" ;;
  "syft scan") touch "${4#spdx-json=}" ;;
esac
""".replace("DIGEST", DIGEST)
HELM = r"""#!/bin/sh
[ "$1" = push ] || exec "HELM" "$@"
echo "helm $*" >> "$NOTES"
name=$(basename "$2" .tgz)
printf 'Pushed: %s/%s:%s\nDigest: DIGEST\n' "${3#oci://}" "${name%-*}" "${name##*-}" >&2
""".replace("DIGEST", CHART_DIGEST)


def find_go():
    found = shutil.which("go") or next(map(str, CACHE.glob("go-*/bin/go")), None)
    if not found:
        raise unittest.SkipTest("Go is missing")
    return found


class Workflow(unittest.TestCase):
    def test_actionlint_finds_nothing(self):
        """With shellcheck for the commands, where that is installed."""
        files = sorted((PROJECT / ".github/workflows").glob("*.yml"))
        result = subprocess.run([find_go(), "tool", "actionlint", *files], cwd=PROJECT / "tests/release/tools", text=True, check=False,
                                capture_output=True)
        # Go prints on stderr what it downloads.
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)

    def test_every_script_that_it_runs_is_there(self):
        jobs = yaml.safe_load((PROJECT / ".github/workflows/release.yml").read_text())["jobs"]
        words = [word for job in jobs.values() for step in job["steps"] for word in step.get("run", "").split()]
        scripts = [word for word in words if word.startswith(("scripts/", ".ci/"))]
        self.assertGreater(len(scripts), 5)
        for script in scripts:
            self.assertTrue(os.access(PROJECT / script, os.X_OK), script)

    def test_tests_run_as_root_with_a_cache_of_root_s(self):
        """The tests that build images and start real pods are skipped otherwise."""
        steps = yaml.safe_load((PROJECT / ".github/workflows/release.yml").read_text())["jobs"]["test"]["steps"]
        tests = [step["run"] for step in steps if step.get("run", "").endswith((".ci/run", "make check-long"))]
        self.assertEqual(len(tests), 2)
        for test in tests:
            self.assertTrue(test.startswith('sudo -E env HOME=/root "PATH=$PATH" '), test)

    def test_the_registry_of_an_owner_with_capitals_has_none(self):
        step = yaml.safe_load((PROJECT / ".github/workflows/release.yml").read_text())["jobs"]["publish"]["steps"][0]
        with tempfile.NamedTemporaryFile("r") as file:
            subprocess.run(["bash", "-euc", step["run"]], check=True, env={"REGISTRY": "ghcr.io/SomeTeam", "GITHUB_ENV": file.name})
            self.assertEqual(file.read(), "REGISTRY=ghcr.io/someteam\n")

    def test_jobs_in_containers_know_their_commit(self):
        """Git refuses to read a checkout of another user's."""
        jobs = yaml.safe_load((PROJECT / ".github/workflows/release.yml").read_text())["jobs"]
        commits = {name: job.get("env", {}).get("GANSCALE_COMMIT") for name, job in jobs.items() if "container" in job}
        self.assertEqual(commits, dict.fromkeys(["package", "wheel"], "${{ github.sha }}"))

    def test_files_have_the_names_of_their_downloads_before_these_are_listed(self):
        publish = yaml.safe_load((PROJECT / ".github/workflows/release.yml").read_text())["jobs"]["publish"]
        scripts = [pathlib.Path(step["run"].split()[0]).stem for step in publish["steps"] if step.get("run", "").startswith("scripts/")]
        self.assertLess(scripts.index("rename"), min(scripts.index("sbom"), scripts.index("sign")))

    def test_actions_and_bases_are_named_by_digest(self):
        """A tag can be moved to something else."""
        jobs = yaml.safe_load((PROJECT / ".github/workflows/release.yml").read_text())["jobs"]
        actions = [step["uses"] for job in jobs.values() for step in job["steps"] if "uses" in step]
        self.assertGreater(len(actions), 5)
        systems = [*jobs["package"]["strategy"]["matrix"]["system"], jobs["wheel"]["container"]]
        for name, pattern in [*((action, "@[0-9a-f]{40}$") for action in actions),
                              *((system, "@sha256:[0-9a-f]{64}$") for system in systems)]:
            self.assertRegex(name, pattern)

    def test_provenance_is_attested_for_everything_listed(self):
        publish = yaml.safe_load((PROJECT / ".github/workflows/release.yml").read_text())["jobs"]["publish"]
        [attest] = [step for step in publish["steps"] if "attest-build-provenance" in step.get("uses", "")]
        self.assertEqual(attest["with"], {"subject-checksums": "dist/subjects.txt"})
        self.assertEqual((publish["permissions"]["attestations"], publish["permissions"]["id-token"]), ("write", "write"))


class Forms(unittest.TestCase):
    def test_every_form_has_the_fields_that_the_site_requires(self):
        for path in sorted((PROJECT / ".github/ISSUE_TEMPLATE").glob("*.yml")):
            if path.stem == "config":
                continue
            form = yaml.safe_load(path.read_text())
            with self.subTest(path.stem):
                self.assertTrue(form["name"] and form["description"])
                self.assertLessEqual(set(form), {"name", "description", "labels", "body"})
                identities = [field["id"] for field in form["body"]]
                self.assertEqual(len(set(identities)), len(identities))
                for field in form["body"]:
                    self.assertIn(field["type"], {"textarea", "input"})
                    self.assertTrue(field["attributes"]["label"])


class Scripts(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.out, self.notes, bin_folder = self.folder / "dist", self.folder / "notes", self.folder / "bin"
        bin_folder.mkdir()
        self.out.mkdir()
        for program in ["docker", "syft", "cosign"]:
            (bin_folder / program).write_text(NOTE)
            (bin_folder / program).chmod(0o755)
        (bin_folder / "helm").write_text(HELM.replace("HELM", str(build_tools("helm") / "helm")))
        (bin_folder / "helm").chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}", "NOTES": str(self.notes)}

    def release(self, name, *words, project=PROJECT, fails=False):
        result = subprocess.run([project / f"scripts/release/{name}.sh", *words], env=self.environment, text=True, check=False,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(result.returncode != 0, fails, result.stderr)
        return result.stderr if fails else result.stdout

    def noted(self, program):
        return [line for line in self.notes.read_text().splitlines() if line.startswith(program)]

    def test_images_for_cpus_and_gpus_are_pushed_and_listed_by_digest(self):
        self.release("images", self.out, "registry.example/team")
        names = [f"ganscale:{VERSION}", f"ganscale:{VERSION}-cuda", f"ganscale-operator:{VERSION}"]
        self.assertEqual((self.out / "images.txt").read_text().split(), [f"registry.example/team/{name}@{DIGEST}" for name in names])
        self.assertEqual([line.split()[2] for line in self.noted("docker push")], [f"registry.example/team/{name}" for name in names])
        built = ["cuda" if "--build-arg PRESET=cuda" in line else "" for line in self.noted("docker build")]
        self.assertEqual(built, ["", "cuda", ""])

    def published(self, team="registry.example/team"):
        """Makes a release of images and charts, and returns the references of both."""
        self.release("images", self.out, team)
        self.release("charts", self.out, "https://registry.example/ganscale", f"oci://{team}/charts")
        return [(self.out / name).read_text().split() for name in ["images.txt", "charts.txt"]]

    def test_what_is_pushed_is_described_and_signed_by_its_digest(self):
        (self.out / "ganscale_1~debian12.deb").write_bytes(self.small_package())
        (self.out / "ganscale-documentation.tar.gz").touch()
        with zipfile.ZipFile(self.out / "ganscale.whl", "w") as wheel:
            wheel.writestr("ganscale/__init__.py", "")
        images, charts = self.published()
        self.assertEqual(charts, [f"registry.example/team/charts/ganscale-{chart}:{VERSION}@{CHART_DIGEST}"
                                  for chart in ["operator", "training"]])
        for script in ["rename", "sbom", "sign"]:
            self.release(script, self.out)
        self.assertEqual([line.split()[-1] for line in self.noted("cosign sign ")], images + charts)
        self.assertEqual([line.split()[-1] for line in self.noted("cosign attest")], images)
        signed = {pathlib.Path(line.split()[-1]).name for line in self.noted("cosign sign-blob")}
        packages = {f"ganscale-{chart}-{VERSION}.tgz" for chart in ["operator", "training"]}
        package, documentation = "ganscale_1.debian12.deb", "ganscale-documentation.tar.gz"
        self.assertEqual(signed, {package, "ganscale.whl", documentation, "SHA256SUMS", *packages})
        subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=self.out, check=True)
        for name in [f"ganscale-{VERSION}", f"ganscale-{VERSION}-cuda", f"ganscale-operator-{VERSION}", package, "ganscale.whl"]:
            self.assertTrue((self.out / f"{name}.spdx.json").exists(), name)
        subjects = dict(reversed(line.split("  ")) for line in (self.out / "subjects.txt").read_text().splitlines())
        for reference in images + charts:
            name, digest = reference.split("@sha256:")
            self.assertEqual(subjects[name], digest)
        self.assertLessEqual(packages | {package, f"{package}.spdx.json", "ganscale.whl", "ganscale.whl.spdx.json", documentation},
                             set(subjects))

    def test_published_charts_run_the_images_of_the_release(self):
        for team in ["registry.example/team", "registry.example:5000/team"]:
            self.published(team)
            images = {}
            for chart, settings in [("operator", []), ("training", ["--set=config=demo-emoji32"])]:
                text = Helm(build_tools("helm") / "helm")("template", "x", self.out / f"ganscale-{chart}-{VERSION}.tgz", *settings)
                images[chart] = sorted(set(re.findall(r"image: (registry\S+)", text)))
            self.assertEqual(images, {"operator": [f"{team}/ganscale-operator@{DIGEST}", f"{team}/ganscale:{VERSION}@{DIGEST}"],
                                      "training": [f"{team}/ganscale@{DIGEST}"]})

    def small_package(self):
        tree = self.folder / "tree"
        (tree / "DEBIAN").mkdir(parents=True)
        (tree / "DEBIAN/control").write_text("Package: ganscale\nVersion: 1\nArchitecture: all\nMaintainer: x\nDescription: x\n")
        subprocess.run(["dpkg-deb", "--build", tree, self.folder / "small.deb"], check=True, stdout=subprocess.DEVNULL)
        return (self.folder / "small.deb").read_bytes()

    def test_a_chart_that_is_published_says_where_it_comes_from(self):
        url = "https://registry.example/ganscale"
        self.release("images", self.out, "registry.example/team")
        self.release("charts", self.out, url)
        helm = Helm(build_tools("helm") / "helm")
        for chart in ["operator", "training"]:
            said = yaml.safe_load(helm("show", "chart", self.out / f"ganscale-{chart}-{VERSION}.tgz"))
            self.assertEqual((said["home"], said["sources"]), (url, [url]))
        rules = yaml.safe_load(helm("show", "values", self.out / f"ganscale-operator-{VERSION}.tgz"))["monitoring"]["rules"]
        self.assertEqual(rules["runbookUrl"], f"{url}/blob/v{VERSION}/docs/runbooks")

    def test_a_tag_that_is_not_the_version_is_refused(self):
        self.assertIn(f"the tag is v9.9.9, and CMakeLists.txt has version {VERSION}", self.release("check", "v9.9.9", fails=True))

    def copy(self):
        """Returns a copy of the project without what is compiled."""
        return shutil.copytree(PROJECT, self.folder / "project", symlinks=True,
                               ignore=shutil.ignore_patterns(".git", "build", "runs", "tests", "worker"))

    def test_a_new_version_reaches_the_tags_of_images(self):
        copy = self.copy()
        lists = copy / "CMakeLists.txt"
        lists.write_text(lists.read_text().replace(f"ganscale VERSION {VERSION}", "ganscale VERSION 9.9.9"))
        subprocess.run(["/usr/bin/python3", copy / "scripts/set-version.py"], check=True)
        for name in ["docs/kubernetes.md", "docs/tutorial-cluster.md", "helm/ganscale-training/README.md"]:
            with self.subTest(name):
                self.assertEqual(set(re.findall(r"image\.tag=(\S+)", (copy / name).read_text())), {"9.9.9-cuda"})
        subprocess.run(["/usr/bin/python3", copy / "scripts/chart-readme.py", "--check"], check=True)

    def test_a_release_needs_its_section_in_the_changelog(self):
        copy = self.copy()
        (copy / "CHANGELOG.md").write_text("# Changelog\n\n## [Unreleased]\n- b\n")
        self.assertIn(f"no section [{VERSION}]", self.release("check", f"v{VERSION}", project=copy, fails=True))
        (copy / "CHANGELOG.md").write_text(f"# Changelog\n\n## [Unreleased]\n- b\n\n## [{VERSION}] - 2030-01-01\n- a\n\n## [0.0.1]\n- z\n")
        self.assertEqual(self.release("check", f"v{VERSION}", project=copy), "- a\n")
        chart = copy / "helm/ganscale-operator/Chart.yaml"
        chart.write_text(chart.read_text().replace(f"appVersion: {VERSION}", "appVersion: 9.9.9"))
        self.assertIn("run scripts/set-version.py", self.release("check", f"v{VERSION}", project=copy, fails=True))


if __name__ == "__main__":
    unittest.main(verbosity=2)
