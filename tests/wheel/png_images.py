"""Reads the PNGs that `ganscale generate` writes."""
import struct
import zlib

import torch


def read_png(path):
    """Returns the image of a file with 8 bits a channel, [3, H, W] uint8."""
    data, compressed, at = path.read_bytes(), b"", 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        content = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", content[:10])
            assert (depth, color) == (8, 2), (depth, color)
        if kind == b"IDAT":
            compressed += content
        at += length + 12
    rows = unfiltered(zlib.decompress(compressed), height, 3 * width)
    return torch.tensor(list(b"".join(rows)), dtype=torch.uint8).view(height, width, 3).permute(2, 0, 1)


def unfiltered(data, height, row_bytes):
    """Undoes the filter of each row (PNG specification, section 9)."""
    above, rows = bytes(row_bytes), []
    for y in range(height):
        kind, *row = data[y * (row_bytes + 1):(y + 1) * (row_bytes + 1)]
        for x in range(row_bytes):
            left, corner = (row[x - 3], above[x - 3]) if x >= 3 else (0, 0)
            predicted = {0: 0, 1: left, 2: above[x], 3: (left + above[x]) // 2, 4: paeth(left, above[x], corner)}[kind]
            row[x] = (row[x] + predicted) & 0xFF
        above = bytes(row)
        rows.append(above)
    return rows


def paeth(left, up, corner):
    estimate = left + up - corner
    return min((left, up, corner), key=lambda value: abs(estimate - value))
