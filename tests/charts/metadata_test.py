"""What the charts say about themselves, and that everything has one version."""
import base64
import subprocess
import unittest

from charts import CHARTS, PROJECT, VERSION, objects, yaml

METADATA = {path.parent.name: yaml.safe_load(path.read_text()) for path in sorted(CHARTS.glob("*/Chart.yaml"))}


class Metadata(unittest.TestCase):
    def test_everything_has_the_version_of_the_build(self):
        subprocess.run(["/usr/bin/python3", PROJECT / "scripts/set-version.py", "--check"], check=True)
        for name, chart in METADATA.items():
            self.assertEqual((chart["version"], chart["appVersion"]), (VERSION, VERSION), name)

    def test_a_chart_says_who_makes_it_and_under_which_license(self):
        for name, chart in METADATA.items():
            with self.subTest(name):
                self.assertTrue(chart["maintainers"][0]["name"])
                self.assertGreater(len(chart["keywords"]), 3)
                self.assertEqual(chart["annotations"]["artifacthub.io/license"], "Apache-2.0")

    def test_the_icon_is_the_project_s(self):
        icon = (PROJECT / "docs/images/icon.svg").read_bytes().strip()
        for chart in METADATA.values():
            kind, data = chart["icon"].split(",")
            self.assertEqual((kind, base64.b64decode(data)), ("data:image/svg+xml;base64", icon))

    def test_artifact_hub_lists_every_definition(self):
        told = yaml.safe_load(METADATA["ganscale-operator"]["annotations"]["artifacthub.io/crds"])
        made = [crd for path in sorted((PROJECT / "operator-manifests/crd").glob("*.yaml")) for crd in objects(path.read_text())]
        self.assertEqual([(each["kind"], each["version"], each["name"]) for each in told],
                         [(crd["spec"]["names"]["kind"], crd["spec"]["versions"][0]["name"], crd["metadata"]["name"]) for crd in made])


if __name__ == "__main__":
    unittest.main(verbosity=2)
