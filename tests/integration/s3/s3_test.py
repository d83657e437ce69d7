"""Datasets in a real S3 server are the same ones as in the file system, also while requests fail, and what can't be read is
refused with the reason."""
import hashlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
from programs import WORKER, WRONG_CONFIGURATION, free_port, newest_digests, wait_until  # noqa: E402
from s3_server import CREDENTIALS, FaultyProxy, S3Server  # noqa: E402
from thorough import thorough  # noqa: E402
from write_images import EXTENT, WRITERS, write_folder, write_tfrecord  # noqa: E402

WRONG_DATA = 65
OPTIONS = ["training.batch=8", "training.tick_kimg=0.04", "training.samples_every_kimg=0", "training.threads=1", "training.grid_rows=1",
           "training.grid_columns=1", "training.total_kimg=0.4", "checkpoint.every_kimg=0.08", "model.channels=0.125", "telemetry.metrics_port=-1",
           "telemetry.control_port=-1"]


def run(*words, **environment):
    """Returns exit code and output of the program."""
    environment = {**os.environ, **CREDENTIALS, "OMP_NUM_THREADS": "1", **environment}
    result = subprocess.run([WORKER, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=300,
                            env={name: value for name, value in environment.items() if value is not None})
    return result.returncode, result.stdout


def write_shards(folder):
    """Writes two tar shards; returns the pattern of their names."""
    for number, image_class in enumerate("ab"):
        with tarfile.open(folder / f"train-{number:03}.tar", "w") as archive:
            archive.add(write_folder(folder) / image_class, arcname=image_class)
    return folder / "train-{000..001}.tar"


def write_samples(folder):
    """Writes two tar shards as WebDataset does; returns the pattern of their names."""
    images = sorted(write_folder(folder / "images").rglob("*.png"))
    for number in range(2):
        with tarfile.open(folder / f"samples-{number:03}.tar", "w") as archive:
            for place, image in enumerate(images[number::2]):
                archive.add(image, arcname=f"{place:06}.png")
                content = str(place % 3).encode()
                header = tarfile.TarInfo(f"{place:06}.cls")
                header.size = len(content)
                archive.addfile(header, io.BytesIO(content))
    return folder / "samples-{000..001}.tar"


def write_packed(folder):
    """Writes a gzipped TFRecord file in two members, as some tools do."""
    records, = write_tfrecord(folder).glob("*.tfrecords")
    content = records.read_bytes()
    packed = folder / "packed.tfrecords.gz"
    for part in content[:1000], content[1000:]:
        with packed.open("ab") as file:
            subprocess.run(["gzip", "--stdout"], input=part, stdout=file, check=True)
    return packed


def write_cifar(folder):
    for number in range(1, 6):
        (folder / f"data_batch_{number}.bin").write_bytes(b"".join(bytes([label]) + bytes([label * 9]) * 3072 for label in range(10)))
    (folder / "batches.meta.txt").write_text("".join(f"name{label}\n" for label in range(10)))
    return folder


def write_parquet(folder):
    import pyarrow
    from pyarrow import parquet
    files = sorted(write_folder(folder).rglob("*.png"))
    images = pyarrow.array([{"bytes": file.read_bytes(), "path": file.name} for file in files],
                           pyarrow.struct([("bytes", pyarrow.binary()), ("path", pyarrow.string())]))
    table = pyarrow.table({"image": images, "label": pyarrow.array([number % 2 for number in range(len(files))])})
    parquet.write_table(table, folder / "data.parquet", row_group_size=10)
    return folder / "data.parquet"


class Crowd:
    """Counts how many requests there are at most at once, each of which waits for half a second."""

    def __init__(self):
        self.lock, self.here, self.most = threading.Lock(), 0, 0

    def enter(self, number):
        with self.lock:
            self.here += number
            self.most = max(self.most, self.here)

    def wait(self):
        self.enter(1)
        time.sleep(0.5)
        self.enter(-1)
        return 0


class S3(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.bucket = self.folder / "served/images"
        self.bucket.mkdir(parents=True)
        self.environment = {"XDG_CACHE_HOME": str(self.folder / "cache")}
        self.connect(self.enterContext(S3Server(self.folder / "served")))

    def connect(self, server):
        self.server = server
        self.environment["AWS_ENDPOINT_URL"] = f"http://127.0.0.1:{server.port}"

    def write(self, name, writer):
        """Writes a dataset into the bucket; returns its path in the file system and in S3."""
        (self.bucket / name).mkdir()
        local = writer(self.bucket / name)
        return local, f"s3://images/{local.relative_to(self.bucket)}"

    def digests(self, dataset, name):
        """Returns the digests of all files of the dataset once converted."""
        folder = self.folder / name / "converted"
        code, output = run("data", "convert", "--from", dataset, "--to", folder, "--resolution", EXTENT, **self.environment)
        self.assertEqual(code, 0, output)
        return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(folder.iterdir()) if file.suffix != ".index"}

    def words(self, dataset, name, *options):
        return ["train", "--data", dataset, "--run", self.folder / name, *(f"--set={option}" for option in [*OPTIONS, *options])]

    def train(self, dataset, name, *options):
        """Returns the digests of what a training ends with, and its output."""
        code, output = run(*self.words(dataset, name, *options), **self.environment)
        self.assertEqual(code, 0, output)
        return newest_digests(self.folder / name), output

    def test_holds_the_same_datasets_as_the_file_system(self):
        writers = {**WRITERS, "shards": write_shards, "packed": write_packed, "cifar": write_cifar, "parquet": write_parquet}
        for name in thorough(writers, ["folder", "zip", "tfrecord", "shards", "parquet"]):
            writer = writers[name]
            with self.subTest(name):
                local, remote = self.write(name, writer)
                self.assertEqual(self.digests(remote, f"{name}-remote"), self.digests(local, f"{name}-local"))

    def test_trains_to_the_same_result_while_requests_fail(self):
        local, remote = self.write("zip", WRITERS["zip"])
        expected, _ = self.train(local, "local")
        proxy = self.enterContext(FaultyProxy(self.server.port, busy=0.1, cut=0.1, late=0.02))
        self.connect(proxy)
        result, _ = self.train(remote, "remote")
        self.assertEqual(result, expected)
        self.assertEqual({fault for fault, count in proxy.counts.items() if count > 0}, {"busy", "cut", "late"})

    def test_reads_the_index_that_was_uploaded_with_a_file_or_else_caches_one(self):
        local, remote = self.write("records", write_tfrecord)
        index, = local.glob("*.index")
        os.utime(index, (0, 0))  # the times of objects are those of their uploads
        records, = local.glob("*.tfrecords")
        for uploaded in "whole", "damaged", "none":
            if uploaded == "damaged":
                index.write_bytes(index.read_bytes()[:-1] + b"?")
            elif uploaded == "none":
                index.unlink()
            for is_first in True, False:
                with self.subTest(uploaded=uploaded, is_first=is_first), FaultyProxy(self.server.port) as proxy:
                    environment = {**self.environment, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{proxy.port}",
                                   "XDG_CACHE_HOME": str(self.folder / f"cache-{uploaded}")}
                    code, output = run("data", "inspect", remote, "--sample", 1, **environment)
                    self.assertEqual(code, 0, output)
                    read_whole = proxy.sent_bytes > records.stat().st_size
                    self.assertEqual(read_whole, uploaded != "whole" and is_first)
        self.assertFalse(pathlib.Path("s3:").exists())

    def test_lists_tar_shards_once_until_they_change(self):
        local, remote = self.write("samples", write_samples)
        shards = sorted(local.parent.glob("*.tar"))
        expected = self.digests(local, "local")
        for attempt, reads_whole in ("first", True), ("again", False), ("changed", True), ("changed-again", False):
            if attempt == "changed":  # by a shard of the same size: the other one
                shards[1].write_bytes(shards[0].read_bytes())
                os.utime(shards[1], (0, 0))
                expected = self.digests(local, "local-changed")
            with self.subTest(attempt), FaultyProxy(self.server.port) as proxy:
                self.environment["AWS_ENDPOINT_URL"] = f"http://127.0.0.1:{proxy.port}"
                code, output = run("data", "inspect", remote, "--sample", 1, **self.environment)
                self.assertEqual(code, 0, output)
                self.assertEqual(proxy.sent_bytes > shards[1].stat().st_size, reads_whole)
            self.connect(self.server)
            self.assertEqual(self.digests(remote, f"remote-{attempt}"), expected)

    def test_that_becomes_unreadable_ends_the_training_which_resumes_to_the_same_result(self):
        local, remote = self.write("tar", WRITERS["tar"])
        length = "training.total_kimg=0.8"  # it still reads once the first statistics have been written
        expected, _ = self.train(remote, "undisturbed", length)
        whole = local.read_bytes()
        stats = self.folder / "run/stats.jsonl"
        with subprocess.Popen([WORKER, *self.words(remote, "run", length)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={**os.environ, **CREDENTIALS, **self.environment}) as training:
            wait_until(lambda: training.poll() is not None or (stats.exists() and stats.stat().st_size > 0))
            local.write_bytes(whole[:len(whole) // 2])
            output, _ = training.communicate(timeout=200)
        self.assertEqual(training.returncode, WRONG_DATA, output)
        self.assertRegex(output, r"(?m)^ganscale: error: .*s3://images/tar/images\.tar, record \d+")
        local.write_bytes(whole)
        self.assertEqual(self.train(remote, "run", length)[0], expected)

    def test_needs_no_permission_but_to_read_the_object(self):
        local, data = self.write("zip", WRITERS["zip"])
        objects = {f"/images/{local.relative_to(self.bucket)}"}
        proxy = self.enterContext(FaultyProxy(self.server.port, denies=lambda method, path: path.split("?")[0] not in objects))
        self.connect(proxy)
        code, output = run("data", "inspect", data, **self.environment)
        self.assertEqual(code, 0, output)

    def test_is_read_by_as_many_requests_at_once_as_there_are_threads(self):
        _, data = self.write("zip", WRITERS["zip"])
        crowd = Crowd()
        self.connect(self.enterContext(FaultyProxy(self.server.port, delay=crowd.wait)))
        code, output = run("data", "verify", data, "--threads", 40, **self.environment)
        self.assertEqual(code, 0, output)
        self.assertGreater(crowd.most, 35)

    def test_may_be_named_with_slashes_at_the_end(self):
        for name in "folder", "cifar":
            with self.subTest(name):
                local, remote = self.write(name, {**WRITERS, "cifar": write_cifar}[name])
                self.assertEqual(self.digests(f"{remote}//", f"{name}-remote"), self.digests(local, f"{name}-local"))

    def test_that_may_not_be_read_does_not_count_as_damaged(self):
        _, data = self.write("folder", WRITERS["folder"])
        self.connect(self.enterContext(FaultyProxy(self.server.port, denies=lambda method, path: path.split("?")[0].endswith("/063.png"))))
        converted = self.folder / "converted"
        for words in (["convert", "--from", data, "--to", converted, "--resolution", EXTENT], ["verify", data], ["inspect", data]):
            with self.subTest(words[0]):
                code, output = run("data", *words, **self.environment)
                self.assertEqual(code, WRONG_DATA, output)
                self.assertRegex(output, r"(?m)^ganscale: error: cannot read from S3 .*/063\.png; check that the bucket exists")
        self.assertEqual(list(converted.iterdir()), [])

    def test_leaves_hidden_shards_out(self):
        local, _ = self.write("shards", write_shards)
        shutil.rmtree(local.parent / "images")
        expected = self.digests(local, "local")
        (local.parent / "._train-000.tar").write_bytes(b"of macOS")
        self.assertEqual(self.digests("s3://images/shards", "remote"), expected)

    def test_that_cannot_be_read_is_refused_with_the_reason(self):
        _, data = self.write("zip", WRITERS["zip"])
        skewed, expired, archived = (self.enterContext(FaultyProxy(self.server.port, **{fault: 1}))
                                     for fault in ("skewed", "expired", "archived"))
        for case, path, environment, code, words in (
                ("no such object", "s3://images/other.zip", {}, WRONG_DATA, "dataset not found: s3://images/other.zip"),
                ("no such bucket", "s3://other/other.zip", {}, WRONG_DATA, "dataset not found: s3://other/other.zip"),
                ("no bucket", "s3://", {}, WRONG_CONFIGURATION, "path has no bucket, as in s3://BUCKET/KEY: s3://"),
                ("credentials in the path", "s3://key:secret@images/other.zip", {}, WRONG_CONFIGURATION, "path has credentials in it"),
                ("wrong secret", data, {"AWS_SECRET_ACCESS_KEY": "wrong"}, WRONG_DATA, "check AWS_SECRET_ACCESS_KEY"),
                ("no credentials", data, {"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None}, WRONG_DATA, "AWS_ACCESS_KEY_ID"),
                ("no URL", data, {"AWS_ENDPOINT_URL": "127.0.0.1:9000"}, WRONG_CONFIGURATION, "AWS_ENDPOINT_URL is not http://HOST"),
                ("no server", data, {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{free_port()}"}, WRONG_DATA, "Could not connect to server"),
                ("clock", data, {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{skewed.port}"}, WRONG_DATA, "set this machine's clock"),
                ("expired token", data, {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{expired.port}"}, WRONG_DATA, "renew the credentials"),
                ("archive", data, {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{archived.port}"}, WRONG_DATA, "restore the object")):
            with self.subTest(case):
                result, output = run("data", "inspect", path, **{**self.environment, **environment})
                self.assertEqual(result, code, output)
                self.assertEqual(len(output.splitlines()), 1, output)
                self.assertIn(words, output)

    def test_is_not_written_to(self):
        data, _ = self.write("zip", WRITERS["zip"])
        for words, name in ((["data", "convert", "--from", data, "--to", "s3://images/new", "--resolution", EXTENT], "converted dataset"),
                            (["train", "--data", data, "--run", "s3://images/run"], "run folder")):
            with self.subTest(name):
                code, output = run(*words, **self.environment)
                self.assertEqual(code, WRONG_CONFIGURATION, output)
                self.assertRegex(output.splitlines()[-1], f"error: the .*{name} must be in the file system: s3://images/")
        self.assertFalse(pathlib.Path("s3:").exists())

    def test_is_read_over_tls_by_its_own_authority(self):
        certificate, key = self.folder / "certificate.pem", self.folder / "key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=s3",
                        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate], check=True, capture_output=True)
        _, data = self.write("zip", WRITERS["zip"])
        server = self.enterContext(S3Server(self.folder / "served", "--cert", certificate, "--key", key))
        environment = {**self.environment, "AWS_ENDPOINT_URL": f"https://127.0.0.1:{server.port}"}
        code, output = run("data", "inspect", data, AWS_CA_BUNDLE=str(certificate), **environment)
        self.assertEqual(code, 0, output)
        code, output = run("data", "inspect", data, **environment)
        self.assertEqual(code, WRONG_DATA, output)
        self.assertIn("certificate", output)


if __name__ == "__main__":
    unittest.main(verbosity=2)
