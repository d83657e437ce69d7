"""Images for tests that need some and do not look at them."""
import random
import struct
import zlib


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
