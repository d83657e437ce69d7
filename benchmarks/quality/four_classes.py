"""What the study of one pair per label trains on and measures with: the four classes of CIFAR-10 that differ most, and their classifier."""
import json
import re
import subprocess
import sys
import tarfile
from pathlib import Path, PurePosixPath

from different_classes import class_sums, images_of, labels_of, most_different
from study import SHARED, WIDE, Study

CLASSES = 4
LEAST_ACCURACY = 80  # percent
SPLITS = 10  # of the test images, as evaluate.splits


def take_classes(source, classes, target):
    """Writes a tar file with the images of these classes, which are the names of their folders, from another one."""
    partial = target.with_suffix(".partial")
    with tarfile.open(source) as images, tarfile.open(partial, "w") as taken:
        for member in images:
            if member.isfile() and PurePosixPath(member.name).parent.name in classes:
                taken.addfile(member, images.extractfile(member))
    partial.rename(target)


def accuracy_and_score(text):
    """Returns what feature_net prints of the test images: the percentage that it gets right, and their score."""
    found = re.search(r"([\d.]+)% of the \d+ test images right, their score ([\d.]+) of", text)
    return float(found[1]), float(found[2])


class FourClasses(Study):
    """A study of the four classes that differ most. Knows the score of real images."""

    def prepare(self, arguments):
        self.source = Path(arguments.source or SHARED / "data/cifar10-jpeg")
        self.classes = self.chosen_classes(arguments.classes)
        for split in ("train", "test"):
            if not self.images(split).exists():
                take_classes(self.source / f"{split}.tar", self.classes, self.images(split))
        self.convert(self.images("train"), self.data)
        accuracy, self.real_score = self.classifier(arguments.classifier_epochs)
        if accuracy < LEAST_ACCURACY:
            sys.exit(f"the classifier gets fewer than {LEAST_ACCURACY}% right: remove {self.feature_net}, and start again with more "
                     "--classifier-epochs")

    def images(self, split):
        return self.folder / f"{split}.tar"

    def convert(self, source, target):
        if not list(target.glob("*.tfrecords")):
            self.run(1, "convert", "data", "convert", "--from", source, "--to", target, "--resolution", "32")

    def chosen_classes(self, wanted):
        file = self.folder / "classes.json"
        if not file.exists():
            file.write_text(json.dumps(sorted(wanted or self.most_different_classes())))
        classes = json.loads(file.read_text())
        print(f"classes: {', '.join(classes)}", flush=True)
        if wanted and sorted(wanted) != classes:
            sys.exit(f"{file} has other classes than --classes: choose another folder")
        return classes

    def most_different_classes(self):
        data = self.folder / "all-classes"
        self.convert(self.source / "train.tar", data)
        records, labels, names = (next(data.glob(pattern)) for pattern in ("*.tfrecords", "*.labels", "*.label-names.json"))
        sums = class_sums(images_of(records.read_bytes()), labels_of(labels.read_bytes()))
        chosen, share = most_different(sums, CLASSES)
        print(f"eta^2 of the four classes that differ most: {share:.4f}", flush=True)
        names = json.loads(names.read_text())
        return [names[label] for label in chosen]

    def classifier(self, epochs):
        """Trains it where that has not been done. Returns the percentage of the test images that it gets right, and their score."""
        report = self.folder / "classifier.txt"
        if not (report.exists() and self.feature_net.exists()):
            words = ["--data", self.images("train"), "--test", self.images("test"), "--out", self.feature_net, *WIDE,
                     "--epochs", str(epochs), "--mirror-and-shift", "--splits", str(SPLITS)]
            report.write_text(subprocess.run([self.programs / "feature_net", *words], check=True, stdout=subprocess.PIPE, text=True).stdout)
        print(f"classifier: {report.read_text()}", end="", flush=True)
        return accuracy_and_score(report.read_text())
