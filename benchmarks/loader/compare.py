#!/usr/bin/env python3
"""Compares our prefetcher with PyTorch's DataLoader on the same files, side by side.

    benchmarks/loader/compare.py --build build/release

For each resolution it makes a stylegan2-ada zip (PNGs without compression, as its dataset tool writes
them) and a TFRecord file of the same images: color emoji of the font Noto Color Emoji on noisy
gradients, or only the gradients where the font is missing. Both readers get two threads or worker
processes, shuffle, decode, and deliver uint8 batches with labels. Rounds alternate, ours and theirs;
the medians are compared. A probe of the pixels must agree, or the run fails. Exit code 1 where ours is
less than twice as fast.

Needs: the built programs `ganscale` and `bench_loader`; Python with torch, numpy and Pillow.
"""

import argparse
import io
import json
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import numpy
import torch
from PIL import Image, ImageDraw, ImageFont

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "timing"))
import timing  # noqa: E402

RATIO_NEEDED = 2
EMOJI_FONT = "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf"
EMOJI_BITMAP_SIZE = 109  # the one size that the font has
LABEL_COUNT = 10


# The PyTorch side: datasets as users write them for a DataLoader.


class ZipDataset(torch.utils.data.Dataset):
    """As ImageFolderDataset of stylegan2-ada-pytorch reads a zip, with Pillow."""

    def __init__(self, path):
        self.path = path
        self.file = None  # each worker opens its own
        with zipfile.ZipFile(path) as file:
            self.names = sorted(name for name in file.namelist() if name.endswith(".png"))
            labels = dict(json.loads(file.read("dataset.json"))["labels"])
        self.labels = [labels[name] for name in self.names]

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        if self.file is None:
            self.file = zipfile.ZipFile(self.path)
        with self.file.open(self.names[index]) as entry:
            pixels = numpy.array(Image.open(entry))
        return numpy.ascontiguousarray(pixels.transpose(2, 0, 1)), self.labels[index]


class TfrecordDataset(torch.utils.data.Dataset):
    """Reads raw images from tf.train.Example records by offset, without verifying checksums."""

    def __init__(self, path, labels_path):
        self.path = path
        self.file = None
        self.labels = labels_of(numpy.load(labels_path))
        self.offsets = []
        with open(path, "rb") as file:
            while header := file.read(12):  # length, checksum of the length
                length = struct.unpack("<Q", header[:8])[0]
                self.offsets.append((file.tell(), length))
                file.seek(length + 4, io.SEEK_CUR)

    def __len__(self):
        return len(self.offsets)

    def __getitem__(self, index):
        if self.file is None:
            self.file = open(self.path, "rb")
        offset, length = self.offsets[index]
        self.file.seek(offset)
        features = features_of(self.file.read(length))
        shape = varints(features["shape"])
        pixels = numpy.frombuffer(features["data"], numpy.uint8).reshape(shape)
        return pixels.copy(), int(self.labels[index])


def labels_of(array):
    return array.argmax(axis=1) if array.ndim == 2 else array


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def varints(data):
    values, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


def fields_of(message):
    """Yields the number and the bytes of each length-delimited protobuf field."""
    at = 0
    while at < len(message):
        key, at = varint(message, at)
        length, at = varint(message, at)
        yield key >> 3, message[at : at + length]
        at += length


def features_of(example):
    """The first value of each feature of a tf.train.Example: name to bytes or packed integers."""
    features = {}
    for _, all_features in fields_of(memoryview(example)):
        for _, entry in fields_of(all_features):
            pair = dict(fields_of(entry))
            (_, values), = fields_of(pair[2])  # bytes_list or int64_list
            (_, value), = fields_of(values)
            features[bytes(pair[1]).decode()] = value
    return features


def collate(samples):
    """PyTorch's default collate function for two arrays, without its type checks."""
    images = torch.stack([torch.from_numpy(image) for image, _ in samples])
    return images, torch.tensor([label for _, label in samples])


class TheirLoader:
    def __init__(self, dataset, batch):
        self.loader = torch.utils.data.DataLoader(
            dataset, batch_size=batch, shuffle=True, drop_last=True, num_workers=2,
            persistent_workers=True, collate_fn=collate)
        self.images = len(dataset) // batch * batch

    def epoch(self):
        """Reads one epoch and returns the sum of each image's middle byte."""
        probe = 0
        for images, _ in self.loader:
            probe += int(images.flatten(1)[:, images[0].numel() // 2].sum(dtype=torch.int64))
        return probe

    def measure(self, epochs):
        start = time.monotonic()
        for _ in range(epochs):
            self.epoch()
        return self.images * epochs / (time.monotonic() - start)


# The files.


def emoji_font():
    return ImageFont.truetype(EMOJI_FONT, EMOJI_BITMAP_SIZE) if Path(EMOJI_FONT).exists() else None


def draw_image(number, resolution, font, random):
    """A noisy gradient with an emoji on it."""
    side = numpy.linspace(0, 1, resolution)
    weights = random.uniform(-1, 1, (2, 3))
    pixels = 128 + 90 * (side[:, None, None] * weights[0] + side[None, :, None] * weights[1])
    pixels += random.normal(0, 4, pixels.shape)
    image = Image.fromarray(pixels.clip(0, 255).astype(numpy.uint8))
    if font is not None:
        emoji = Image.new("RGBA", (136, 136))
        code_point = 0x1F300 + number % 0x2D0
        ImageDraw.Draw(emoji).text((0, 4), chr(code_point), font=font, embedded_color=True)
        emoji = emoji.resize((resolution, resolution), Image.Resampling.LANCZOS)
        image.paste(emoji, (0, 0), emoji)
    return image


def write_zip(path, resolution, count, compress_level):
    font, random = emoji_font(), numpy.random.default_rng(resolution)
    labels = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as file:
        for number in range(count):
            png = io.BytesIO()
            draw_image(number, resolution, font, random).save(
                png, format="png", compress_level=compress_level)
            name = f"{number // 1000:05d}/img{number:08d}.png"
            labels.append([name, int(random.integers(LABEL_COUNT))])
            file.writestr(name, png.getvalue())
        file.writestr("dataset.json", json.dumps({"labels": labels}))


def write_tfrecords(programs, zip_path, folder, resolution):
    """Converts the zip into a folder; returns the records file and the labels file."""
    subprocess.run([programs / "ganscale", "data", "convert", "--from", zip_path, "--to", folder,
                    "--resolution", str(resolution)], check=True, stdout=subprocess.DEVNULL)
    records, = folder.glob("*.tfrecords")
    labels, = folder.glob("*.labels")
    return records, labels


# The comparison.


def measure_ours(programs, path, resolution, epochs):
    out = subprocess.run([programs / "bench_loader", path, "--resolution", str(resolution), "--epochs",
                          str(epochs)], check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(out)


def compare(name, path, dataset, arguments, resolution):
    """Prints a row of the table and returns how many times as fast ours is."""
    theirs = TheirLoader(dataset, batch=64)
    probe = theirs.epoch()  # warms up: workers, page cache
    ours_rates, theirs_rates = [], []
    for _ in range(arguments.rounds):
        result = measure_ours(arguments.build / "bin", path, resolution, arguments.epochs * 4)
        if result["probe"] != probe:
            sys.exit(f"{name}: the readers saw different images: {result['probe']}, {probe}")
        ours_rates.append(result["images_per_second"])
        theirs_rates.append(theirs.measure(arguments.epochs))
    ours, other = statistics.median(ours_rates), statistics.median(theirs_rates)
    spread = [f"{min(rates):.0f}-{max(rates):.0f}" for rates in (ours_rates, theirs_rates)]
    print(f"| {name} | {resolution} | {ours:.0f} ({spread[0]}) | {other:.0f} ({spread[1]}) "
          f"| {ours / other:.1f} |", flush=True)
    return ours / other


def compare_at(resolution, arguments, folder):
    """Makes the files of a resolution in a folder. Returns {what was compared: how many times as fast ours is}."""
    count = {32: 8192, 64: 4096, 128: 2048}.get(resolution, 1024)
    stored, compressed = folder / "stored.zip", folder / "compressed.zip"
    write_zip(stored, resolution, count, compress_level=0)
    write_zip(compressed, resolution, count, compress_level=6)
    records, labels = write_tfrecords(arguments.build / "bin", stored, folder / "tfrecords", resolution)
    cases = {"TFRecord": (records.parent, TfrecordDataset(records, labels)),
             "zip of stylegan2-ada": (stored, ZipDataset(stored)),
             "zip, PNGs compressed": (compressed, ZipDataset(compressed))}
    return {f"{name}, {resolution}": compare(name, path, dataset, arguments, resolution)
            for name, (path, dataset) in cases.items()}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("--resolutions", type=int, nargs="+", default=[32, 128, 256])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=1, help="of theirs a round; ours read four times "
                        "as many, being shorter")
    arguments = parser.parse_args()
    print("| files | resolution | ganscale, images/s | DataLoader, images/s | ratio |")
    print("|---|---|---|---|---|")
    ratios = {}
    for resolution in arguments.resolutions:
        with tempfile.TemporaryDirectory() as folder:
            ratios.update(compare_at(resolution, arguments, Path(folder)))
    return timing.judge_lowest(ratios, RATIO_NEEDED)


if __name__ == "__main__":
    sys.exit(main())
