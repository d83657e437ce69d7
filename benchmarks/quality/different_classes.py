"""Which classes of a labeled dataset differ most, by eta^2 as `ganscale data variability` computes it.

Of a channel, that is the share of the variance of all pixels that lies between the means of the classes; of several, the largest counts.
"""
import itertools
import struct
from collections import Counter
from typing import NamedTuple

CHANNELS = 3
CHANNEL_BYTES = 32 * 32
IMAGE_BYTES = CHANNELS * CHANNEL_BYTES
FRAME_BYTES = 8 + 4 + 4  # of a TFRecord: length, checksum; checksum of the message after it


class Sums(NamedTuple):
    """Of a class's pixels in a channel."""
    pixels: int
    total: int
    squares: int


def images_of(content):
    """Yields the images in a TFRecord file of `ganscale data convert`, which are all of the same size: [3, 32, 32] bytes each."""
    length, = struct.unpack("<Q", content[:8])
    # A list with one element of IMAGE_BYTES, whose length is a varint of two bytes.
    start = content.index(bytes([0x0a, IMAGE_BYTES & 0x7f | 0x80, IMAGE_BYTES >> 7])) + 3
    for record in range(0, len(content), length + FRAME_BYTES):
        yield content[record + start:record + start + IMAGE_BYTES]


def labels_of(content):
    """Returns the labels in a NumPy file of one-hot float32 rows, as `ganscale data convert` writes it."""
    header_bytes, = struct.unpack("<H", content[8:10])
    names = content[10:10 + header_bytes].decode()
    columns = int(names.partition("'shape': (")[2].partition(")")[0].split(",")[1])
    rows = struct.iter_unpack(f"<{columns}f", content[10 + header_bytes:])
    return [row.index(1) for row in rows]


def sums_of(histogram):
    """histogram: the number of pixels by value."""
    return Sums(sum(histogram.values()), sum(value * count for value, count in histogram.items()),
                sum(value * value * count for value, count in histogram.items()))


def class_sums(images, labels):
    """Returns {label: the sums of each channel}."""
    histograms = {label: [Counter() for _ in range(CHANNELS)] for label in sorted(set(labels))}
    for image, label in zip(images, labels):
        for channel, histogram in enumerate(histograms[label]):
            histogram.update(image[channel * CHANNEL_BYTES:(channel + 1) * CHANNEL_BYTES])
    return {label: [sums_of(histogram) for histogram in some] for label, some in histograms.items()}


def eta_squared(classes):
    """Returns the share of a channel's variance that the class explains. classes: the sums of each."""
    pixels, total, squares = (sum(values) for values in zip(*classes))
    of_all = total * total / pixels
    between = sum(one.total * one.total / one.pixels for one in classes) - of_all
    return between / (squares - of_all)


def most_different(sums, count):
    """Returns the labels of so many classes that have the largest eta^2 of all choices, and that.

    sums: {label: the sums of each channel}.
    """
    def largest(labels):
        return max(eta_squared(channel) for channel in zip(*(sums[label] for label in labels)))
    chosen = max(itertools.combinations(sums, count), key=largest)
    return list(chosen), largest(chosen)
