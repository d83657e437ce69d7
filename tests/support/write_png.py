"""An image for tests that need one and do not look at it."""
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
