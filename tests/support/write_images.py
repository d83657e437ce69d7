"""Images, and datasets of them in each format, for tests that need some and do not look at them."""
import random
import struct
import subprocess
import tarfile
import zipfile
import zlib

from programs import WORKER

IMAGES, EXTENT = 64, 32


def write_png(path, size=32):
    """Writes an image of random colors."""
    rows = b"".join(b"\0" + random.randbytes(3 * size) for _ in range(size))
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def write_idx(folder, images, size=32, labels=0):
    """Writes an IDX dataset of gray noise, the same each time; image i has the label i % labels."""
    folder.mkdir(parents=True)
    pixels = random.Random(1).randbytes(images * size * size)
    (folder / "train-images-idx3-ubyte").write_bytes(struct.pack(">4I", 0x803, images, size, size) + pixels)
    if labels:
        (folder / "train-labels-idx1-ubyte").write_bytes(struct.pack(">2I", 0x801, images) + bytes(i % labels for i in range(images)))


def write_folder(folder):
    images = folder / "images"
    for number in range(IMAGES):
        (images / "ab"[number % 2]).mkdir(parents=True, exist_ok=True)
        write_png(images / "ab"[number % 2] / f"{number:03}.png")
    return images


def write_zip(folder):
    with zipfile.ZipFile(folder / "images.zip", "w") as archive:
        images = write_folder(folder)
        for image in sorted(images.rglob("*.png")):
            archive.write(image, image.relative_to(images))
    return folder / "images.zip"


def write_tar(folder):
    with tarfile.open(folder / "images.tar", "w") as archive:
        archive.add(write_folder(folder), arcname=".")
    return folder / "images.tar"


def write_tfrecord(folder):
    subprocess.run([WORKER, "data", "convert", "--from", write_folder(folder), "--to", folder / "records", "--resolution", str(EXTENT)],
                   check=True, capture_output=True)
    return folder / "records"


def write_gray(folder):
    write_idx(folder / "idx", IMAGES, EXTENT)
    return folder / "idx"


# Each takes an empty folder, writes a dataset of the same few images into it, and returns its path.
WRITERS = {"folder": write_folder, "zip": write_zip, "tar": write_tar, "tfrecord": write_tfrecord, "idx": write_gray}
