"""The live page of a run during its training: requested by a program, and viewed in a browser."""
import json
import os
import pathlib
import re
import signal
import ssl
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request

from browser import Browser, find_browser

PROJECT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(PROJECT / "tests/support"))
from programs import WORKER, WRONG_CONFIGURATION, wait_until  # noqa: E402
from write_images import write_png  # noqa: E402

WRONG_USE, WRONG_DATA = 64, 65
IMAGES = 8
TRAINING = [f"--set={key}" for key in
            ("training.batch=4", "training.tick_kimg=0.004", "training.samples_every_kimg=0", "training.grid_rows=1",
             "training.grid_columns=1", "training.threads=1", "model.channels=0.125", "checkpoint.every_kimg=0.02",
             "checkpoint.keep_last=2", "telemetry.metrics_port=-1", "telemetry.control_port=-1")]


def contents(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*")}


class ServedRun(unittest.TestCase):
    """A run of a conditional model. What is needed of it is made once."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.run_folder = self.folder / "run"
        for number in range(IMAGES):
            folder = self.folder / "photos" / ("cat", "dog")[number % 2]
            folder.mkdir(parents=True, exist_ok=True)
            write_png(folder / f"{number}.png")

    def start(self, *words, output=subprocess.PIPE):
        process = subprocess.Popen([WORKER, *map(str, words)], stdout=output, stderr=subprocess.STDOUT, text=True,
                                   env={**os.environ, "OMP_NUM_THREADS": "1"})
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def train(self, kimg):
        """Starts a training that prints into a file: it would wait for a reader of a pipe that is full."""
        with (self.folder / "output").open("w") as output:
            return self.start("train", "--data", self.folder / "photos", "--run", self.run_folder, *TRAINING,
                              f"--set=training.total_kimg={kimg}", output=output)

    def finished_run(self):
        self.assertEqual(self.train(0.02).wait(timeout=200), 0, (self.folder / "output").read_text())

    def serve(self, *options):
        """Serves the run; returns the process, the address before the query, and the token."""
        process = self.start("serve", self.run_folder, *options)
        line = process.stdout.readline()
        found = re.search(r"url=(https?://127\.0\.0\.1:\d+)/(?:\?token=(\w+))?", line)
        self.assertTrue(found, line)
        return process, *found.groups()

    def get(self, address, token=None, trusted=None):
        """Returns status, media type and body. trusted: file of the certificate that an https address needs."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        context = trusted and ssl.create_default_context(cafile=trusted)
        try:
            with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=200, context=context) as reply:
                return reply.status, reply.headers["Content-Type"], reply.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers["Content-Type"], error.read()


class Requests(ServedRun):
    def test_are_answered_by_the_newest_checkpoint_and_write_nothing(self):
        self.finished_run()
        before = contents(self.run_folder)
        process, address, token = self.serve()
        state = json.loads(self.get(f"{address}/state", token)[2])
        self.assertEqual((state["checkpoint"], state["running"]), ("kimg-000000.020", False))
        self.assertEqual([each["name"] for each in state["classes"]], ["cat", "dog"])
        status, media_type, image = self.get(f"{address}/image?seed=1&class=1&token={token}")
        self.assertEqual((status, media_type), (200, "image/png"))
        self.assertNotEqual(image, self.get(f"{address}/image?seed=2&class=1", token)[2])
        self.assertIn("<h1>run</h1>", json.loads(self.get(f"{address}/report", token)[2])["progress"])
        self.expect_refusals(address, token)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=200), 0)
        self.assertEqual(contents(self.run_folder), before)

    def expect_refusals(self, address, token):
        for path in ("", "state", "image?seed=1", "report", "image?token=wrong"):
            self.assertEqual(self.get(f"{address}/{path}")[0], 401, path)
            self.assertEqual(self.get(f"{address}/{path}", "wrong")[0], 401, path)
        status, _, body = self.get(f"{address}/image?seed=minus", token)
        self.assertEqual(status, 400)
        self.assertIn("seed: expected a whole number from 0 to 999999999: minus", json.loads(body)["error"])
        self.assertEqual(self.get(f"{address}/image?class=2", token)[0], 400)
        self.assertEqual(self.get(f"{address}/image?truncation=1", token)[0], 400)
        self.assertEqual(self.get(f"{address}/nowhere", token)[0], 404)


class Start(ServedRun):
    def expect_refused(self, code, words, *options):
        process = self.start("serve", *options)
        output, _ = process.communicate(timeout=200)
        self.assertEqual(process.returncode, code, output)
        self.assertIn(words, output)

    def test_of_a_run_that_is_not_there_is_refused(self):
        self.expect_refused(WRONG_DATA, "not the folder of a run, it has no config.yaml", self.run_folder)
        self.assertFalse(self.run_folder.exists())

    def test_with_wrong_options_is_refused(self):
        self.run_folder.mkdir()
        (self.run_folder / "config.yaml").write_text("model: {name: dcgan}\n")
        token = self.folder / "token"
        token.write_text("\n")
        self.expect_refused(WRONG_USE, "--port", self.run_folder, "--port", 65536)
        self.expect_refused(WRONG_CONFIGURATION, "--address: not an IPv4 address", self.run_folder, "--address", "nowhere")
        self.expect_refused(WRONG_CONFIGURATION, "--token-file: unreadable or empty", self.run_folder, "--token-file", token)

    def test_on_all_interfaces_prints_an_address_that_opens(self):
        self.run_folder.mkdir()
        (self.run_folder / "config.yaml").write_text("model: {name: dcgan}\n")
        process = self.start("serve", self.run_folder, "--address", "0.0.0.0")
        line = process.stdout.readline()
        self.assertIn("Serving the run on all interfaces", line)
        found = re.search(r"url=(http://localhost:\d+)/\?token=(\w+)", line)
        self.assertTrue(found, line)
        address, token = found.groups()
        self.assertEqual(self.get(f"{address}/state", token)[0], 200)

    def test_with_a_certificate_speaks_https(self):
        self.run_folder.mkdir()
        (self.run_folder / "config.yaml").write_text("model: {name: dcgan}\n")
        certificate, key = self.folder / "tls.crt", self.folder / "tls.key"
        self.expect_refused(WRONG_USE, "--tls-certificate requires --tls-key", self.run_folder, "--tls-certificate", certificate)
        self.expect_refused(WRONG_CONFIGURATION, f"can't use the certificate (No such file or directory): {certificate}",
                            self.run_folder, "--tls-certificate", certificate, "--tls-key", key)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
                        "/CN=here", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
                       check=True, stderr=subprocess.DEVNULL)
        _, address, token = self.serve("--tls-certificate", certificate, "--tls-key", key)
        self.assertTrue(address.startswith("https://"))
        self.assertEqual(self.get(f"{address}/state", token, certificate)[0], 200)
        self.assertEqual(self.get(f"{address.replace('https', 'http')}/state", token)[0], 400)

    def test_with_a_token_file_does_not_print_the_token(self):
        self.run_folder.mkdir()
        (self.run_folder / "config.yaml").write_text("model: {name: dcgan}\n")
        (self.folder / "token").write_text("s3cret\n")
        process, address, token = self.serve("--token-file", self.folder / "token")
        self.assertIsNone(token)
        self.assertEqual(self.get(f"{address}/state", "s3cret")[0], 200)
        status, _, body = self.get(f"{address}/image", "s3cret")
        self.assertEqual(status, 503)
        self.assertIn("this run has no checkpoint yet", json.loads(body)["error"])
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=200)
        self.assertEqual(process.returncode, 0)
        self.assertNotIn("s3cret", output)


@unittest.skipUnless(find_browser(), "no chromium, chromium-browser or google-chrome in PATH")
class Page(ServedRun):
    # What the page shows: the bytes of the image as numbers, whatever its address is.
    IMAGE = """(() => {
      const image = document.querySelector("#image");
      const canvas = Object.assign(document.createElement("canvas"), {width: image.naturalWidth, height: image.naturalHeight});
      canvas.getContext("2d").drawImage(image, 0, 0);
      return image.hidden ? null : canvas.toDataURL();
    })()"""

    def move(self, slider, value):
        self.browser.evaluate(f"""(() => {{
          const slider = document.querySelector("[name={slider}]");
          slider.value = {value};
          slider.dispatchEvent(new Event("input", {{bubbles: true}}));
        }})()""")

    def expect_another_image(self, slider, value):
        before = self.browser.evaluate(self.IMAGE)
        self.move(slider, value)
        self.browser.wait_for(f"{self.IMAGE} !== {json.dumps(before)}")

    def text(self, selector):
        return self.browser.evaluate(f"document.querySelector({json.dumps(selector)}).textContent")

    def open(self, first_script=""):
        """first_script: runs before the page's own."""
        _, address, token = self.serve()
        self.browser = Browser(self.folder / "profile")
        self.addCleanup(self.browser.close)
        self.browser.call("Page.addScriptToEvaluateOnNewDocument", source=first_script)
        self.browser.open(f"{address}/?token={token}")
        self.browser.wait_for(self.IMAGE)

    def test_has_sliders_that_choose_the_image(self):
        self.finished_run()
        self.open()
        self.assertIn("Training is not running", self.text("#running"))
        self.expect_another_image("seed", 7)
        self.expect_another_image("class", 1)
        self.assertEqual(self.text("[name=class] + output"), "1 dog")
        self.expect_another_image("t", 0.5)
        self.expect_another_image("walk_to", 9)
        self.assertTrue(self.browser.evaluate("document.querySelector('[name=truncation]').closest('label').hidden"))
        self.assertEqual(self.text("#problem"), "")
        self.assertEqual(self.browser.console, [])

    # Replies to the path that `failing` names, in place of the server.
    FAILURES = """
      const answer = window.fetch;
      window.fetch = async (path, options) => path.split("?")[0] !== window.failing ? answer(path, options)
          : new Response(JSON.stringify({error: "out of order"}), {status: window.failing === "state" ? 200 : 503});
    """

    def let_fail(self, path):
        self.browser.evaluate(f"window.failing = {json.dumps(path)}")

    def wait_for_text(self, selector, text):
        self.browser.wait_for(f"document.querySelector({json.dumps(selector)}).textContent === {json.dumps(text)}")

    def test_tells_a_problem_until_it_is_over(self):
        self.finished_run()
        self.open(self.FAILURES)
        before = json.dumps(self.browser.evaluate(self.IMAGE))
        for path in ("state", "image"):
            self.let_fail(path)
            self.move("seed", 7)
            self.wait_for_text("#problem", "out of order")
            self.let_fail(None)
            self.wait_for_text("#problem", "")
        self.browser.wait_for(f"{self.IMAGE} !== {before}")

    def test_has_images_without_a_report(self):
        self.finished_run()
        self.open(self.FAILURES + "window.failing = 'report'")
        self.wait_for_text("#running", "out of order")

    def test_follows_a_run_that_trains(self):
        training = self.train(1000)
        wait_until(lambda: list(self.run_folder.glob("checkpoints/kimg-*/manifest.json")) or training.poll() is not None)
        self.open()
        self.assertIn("Training is running", self.text("#running"))
        self.move("seed", 7)
        for part in ("checkpoint", "progress"):
            before = json.dumps(self.text(f"#{part}"))
            self.browser.wait_for(f"document.querySelector('#{part}').textContent !== {before}")
        self.assertEqual(self.browser.evaluate("document.querySelector('[name=seed]').value"), "7")
        training.send_signal(signal.SIGTERM)
        self.browser.wait_for("document.querySelector('#running').textContent.includes('Training is not running')")
        self.assertEqual(self.browser.console, [])


if __name__ == "__main__":
    unittest.main()
