"""The figures of networks in docs/images: well-formed, described, and with the layers that the networks have."""
import pathlib
import re
import subprocess
import sys
import unittest
import xml.etree.ElementTree

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(PROJECT / "tests" / "support"))
from programs import WORKER  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"
# By figure: the preset and resolution that it shows, and of its generator and discriminator which lines of --print-layout it has, and
# how: texts that follow one another. `size` is of what a convolution makes, `first` and `second` are its channels.
FIGURES = {
    "biggan": ("biggan", 128, [
        (r"^blocks\.\d\.0\.conv_sc ", "{twice} × {twice}, {second} channels|block, {first} → {second}"),
        (r"^blocks\.\d\.0\.conv_sc ", "{size} × {size}, {second} channels|block, {first} → {second}")]),
    "r3gan": ("r3gan-ffhq256", 256, 2 * [
        (r"\.Layers\.1\.LinearLayer1\.", "{size} × {size}, {first} channels|2 blocks, 3 × 3 convolutions in {groups} groups")]),
    "stylegan2": ("config-f", 256, [
        (r"^synthesis\.b\d+\.conv1 ", "{size} × {size}, {second} channels|"),
        (r"^b\d+\.skip ", "{twice} × {twice} → {size} × {size}|residual block, {first} → {second} channels")]),
    "stylegan3": ("stylegan3-t", 256, [
        (r"^synthesis\.(?P<name>L\d|L1[0-3])_(?P<made>\d+)_\d+ ", "{name}|{first} → {second}|{made}|")])}


def figure(name):
    return xml.etree.ElementTree.parse(PROJECT / f"docs/images/{name}-networks.svg").getroot()


def layout(preset, resolution):
    """Returns the lines of --print-layout for the generator, and those for the discriminator."""
    printed = subprocess.run([WORKER, "train", "--set", f"model.preset={preset}", "--set", f"model.resolution={resolution}",
                              "--labels", "1000", "--print-layout", "--device", "H200"], check=True, text=True, stdout=subprocess.PIPE)
    return [part.splitlines() for part in printed.stdout.partition("\ngenerator")[2].split("\ndiscriminator")]


def texts(line, match, template):
    first, second, size = map(int, re.search(r" (\d+) -> (\d+) .* (\d+)x\d+ ", line).groups())
    return template.format(first=first, second=second, size=size, twice=2 * size, groups=second // 16, **match.groupdict())


class Images(unittest.TestCase):
    def test_are_shown_somewhere(self):
        files = ("*.md", "docs/**/*.md", "benchmarks/**/*.md", "tests/charts/*.py")  # the last has the charts' icon
        shown = "".join(file.read_text() for pattern in files for file in PROJECT.glob(pattern))
        self.assertEqual([image.name for image in (PROJECT / "docs/images").iterdir() if f"images/{image.name}" not in shown], [])


class Figures(unittest.TestCase):
    def test_are_described(self):
        for name in FIGURES:
            for element in ("title", "desc"):
                self.assertTrue(figure(name).findtext(SVG + element), name)

    def test_have_the_layers_of_the_networks(self):
        for name, (preset, resolution, networks) in FIGURES.items():
            shown = "|".join(element.text for element in figure(name).iter(SVG + "text"))
            for lines, (pattern, template) in zip(layout(preset, resolution), networks, strict=False):
                expected = [texts(line, match, template) for line in lines if (match := re.search(pattern, line))]
                self.assertGreater(len(expected), 4, name)
                for part in expected:
                    with self.subTest(name):
                        self.assertIn(part, shown)


if __name__ == "__main__":
    unittest.main()
