"""One image of each kind that docs/data.md lists is converted and compared with what Pillow reads; what is not read is refused with
the file and the reason."""
import io
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

from tracking_python import PROJECT, use_tracking_python

use_tracking_python()
sys.path.insert(0, str(PROJECT / "tests/support"))
import numpy as np  # noqa: E402
from PIL import Image  # noqa: E402
from programs import WORKER  # noqa: E402

SIDE = 32
ACROSS, DOWN = np.meshgrid(np.arange(SIDE), np.arange(SIDE))
RGB = np.stack([ACROSS * 8, DOWN * 8, (ACROSS + DOWN) * 4], axis=2).astype(np.uint8)
SMOOTH = Image.fromarray(RGB)
GRAY = SMOOTH.convert("L")
CLEAR = Image.merge("RGBA", [*SMOOTH.split(), Image.fromarray((ACROSS * 8).astype(np.uint8))])
DEEP_GRAY = ((ACROSS * 31 + DOWN * 17) * 40).astype(np.uint16)


def png_of_16_bits(pixels):
    """Returns a PNG of [H, W, 3] with 16 bits per channel, which Pillow does not write."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    rows = b"".join(b"\0" + row.astype(">u2").tobytes() for row in pixels)
    header = struct.pack(">IIBBBBB", SIDE, SIDE, 16, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def encoded(image, form, **options):
    file = io.BytesIO()
    image.save(file, form, **options)
    return file.getvalue()


def upside_down():
    """EXIF that asks for a rotation, which neither side applies."""
    exif = Image.Exif()
    exif[0x0112] = 3
    return exif


# The content of each file, and by how much of 255 its pixels may differ from Pillow's: an inverse transform of JPEG or WebP, a blend
# or the lower byte of 16 bits may be rounded in another way.
KINDS = {
    "rgb.png": (encoded(SMOOTH, "PNG"), 0), "gray.png": (encoded(GRAY, "PNG"), 0),
    "palette.png": (encoded(SMOOTH.quantize(16), "PNG"), 0), "bilevel.png": (encoded(GRAY.convert("1"), "PNG"), 0),
    "alpha.png": (encoded(CLEAR, "PNG"), 1), "gray_alpha.png": (encoded(CLEAR.convert("LA"), "PNG"), 1),
    "gray16.png": (encoded(Image.fromarray(DEEP_GRAY), "PNG"), 1), "rgb16.png": (png_of_16_bits(RGB.astype(np.uint16) * 257 + 100), 1),
    "rgb.jpg": (encoded(SMOOTH, "JPEG"), 2), "gray.jpeg": (encoded(GRAY, "JPEG"), 1),
    "cmyk.jpg": (encoded(SMOOTH.convert("CMYK"), "JPEG"), 2), "progressive.jfif": (encoded(SMOOTH, "JPEG", progressive=True), 2),
    "turned.jpg": (encoded(SMOOTH, "JPEG", exif=upside_down()), 2),
    "lossy.webp": (encoded(SMOOTH, "WEBP"), 2), "lossless.webp": (encoded(SMOOTH, "WEBP", lossless=True), 0),
    "alpha.webp": (encoded(CLEAR, "WEBP", lossless=True, exact=True), 1),
    "still.gif": (encoded(SMOOTH.quantize(64), "GIF"), 0),
    "animated.gif": (encoded(SMOOTH.quantize(64), "GIF", save_all=True, append_images=[GRAY.quantize(8)]), 0),
    "rgb.bmp": (encoded(SMOOTH, "BMP"), 0), "palette.dib": (encoded(SMOOTH.quantize(16), "BMP"), 0),
    "bilevel.bmp": (encoded(GRAY.convert("1"), "BMP"), 0),
    "rgb.tif": (encoded(SMOOTH, "TIFF"), 0), "lzw.tiff": (encoded(SMOOTH, "TIFF", compression="tiff_lzw"), 0),
    "gray.tif": (encoded(GRAY, "TIFF"), 0), "palette.tif": (encoded(SMOOTH.quantize(16), "TIFF"), 0),
    "cmyk.tif": (encoded(SMOOTH.convert("CMYK"), "TIFF"), 1), "gray16.tif": (encoded(Image.fromarray(DEEP_GRAY), "TIFF"), 1),
    "pages.tif": (encoded(SMOOTH, "TIFF", save_all=True, append_images=[GRAY]), 0),
    "png_in_disguise.jpg": (encoded(SMOOTH, "PNG"), 0)}

# What is refused, and the reason that must be given.
REFUSED = {
    "float.tif": (encoded(Image.fromarray(DEEP_GRAY.astype(np.float32)), "TIFF"), "TIFF is not supported: its samples are not unsigned integers"),
    "truncated.png": (encoded(SMOOTH, "PNG")[:-40], "PNG is damaged: ends too early"),
    "truncated.jpg": (encoded(SMOOTH, "JPEG")[:-200], "JPEG is damaged: Premature end of JPEG file"),
    "truncated.gif": (encoded(SMOOTH.quantize(64), "GIF")[:-200], "GIF is damaged"),
    "truncated.webp": (encoded(SMOOTH, "WEBP")[:-40], "WebP is damaged: ends too early"),
    "truncated.bmp": (encoded(SMOOTH, "BMP")[:-40], "BMP is damaged: ends too early"),
    "truncated.tif": (encoded(SMOOTH, "TIFF")[:-400], "TIFF is damaged"),
    "wide.png": (encoded(Image.new("L", (16385, 1)), "PNG"), "PNG is too large: 16385x1"),
    "empty.png": (b"", "file is empty"),
    "text.jpg": (b"no image at all", "not an image in a known format")}
# Skipped, and counted by extension.
OTHERS = ["photo.avif", "photo.heic", "photo.jxl"]


def read_by_pillow(content):
    """Returns the first frame as [H, W, 3], transparent pixels over white, 16 bits as 8."""
    image = Image.open(io.BytesIO(content))
    if image.mode.startswith("I"):
        image = Image.fromarray((np.asarray(image).astype(np.float64) * 255 / 65535).round().astype(np.uint8))
    if image.mode in ("LA", "RGBA"):
        white = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(white, image.convert("RGBA"))
    return np.asarray(image.convert("RGB")).astype(np.int64)


def records_of(folder):
    """Yields the pixels of each record of TFRecord files, [H, W, 3]."""
    size_bytes = 3 * SIDE * SIDE
    field = b"\x0a\x80\x18"  # of a message of protobuf: bytes of this length
    for shard in sorted(folder.glob("*.tfrecords")):
        content, at = shard.read_bytes(), 0
        while at < len(content):
            length, = struct.unpack_from("<Q", content, at)
            message = content[at + 12:at + 12 + length]
            begin = message.index(field, message.index(b"data")) + len(field)
            yield np.frombuffer(message[begin:begin + size_bytes], np.uint8).reshape(3, SIDE, SIDE).transpose(1, 2, 0)
            at += 16 + length


class ImageFormats(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "images").mkdir()

    def convert(self, files, *options):
        for name, content in files.items():
            (self.folder / "images" / name).write_bytes(content)
        result = subprocess.run([WORKER, "data", "convert", "--from", self.folder / "images", "--to", self.folder / "out",
                                 f"--resolution={SIDE}", "--fit=refuse", "--channels=rgb", "--shards=1", *options],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=200)
        return result.returncode, result.stdout

    def test_each_kind_has_the_pixels_that_pillow_reads(self):
        code, output = self.convert({name: content for name, (content, _) in KINDS.items()})
        self.assertEqual(code, 0, output)
        self.assertIn(f"images={len(KINDS)}  refused=0", output)
        self.assertIn("Took only the first of several frames or pages  images=2", output)
        records = list(records_of(self.folder / "out"))
        self.assertEqual(len(records), len(KINDS))
        for name, pixels in zip(sorted(KINDS), records):
            content, tolerance = KINDS[name]
            with self.subTest(name):
                self.assertLessEqual(np.abs(pixels.astype(np.int64) - read_by_pillow(content)).max(), tolerance)

    def test_what_is_not_read_is_named_with_the_reason(self):
        files = {name: content for name, (content, _) in REFUSED.items()}
        code, output = self.convert({**files, **dict.fromkeys(OTHERS, b"x"), "good.png": encoded(SMOOTH, "PNG")},
                                    f"--most-refused={len(REFUSED)}")
        self.assertEqual(code, 0, output)
        self.assertIn(f"images=1  refused={len(REFUSED)}", output)
        for name, (_, reason) in REFUSED.items():
            with self.subTest(name):
                line = next((line for line in output.splitlines() if f"/{name}" in line), "")
                self.assertIn(reason, line)
        self.assertIn("Left out images in formats that are not read  files=1 .avif, 1 .heic, 1 .jxl", output)


if __name__ == "__main__":
    unittest.main(verbosity=2)
