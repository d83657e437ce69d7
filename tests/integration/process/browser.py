"""A Chromium without a window, driven over the pipe of its DevTools protocol."""
import fcntl
import json
import os
import select
import shutil
import subprocess
import time

NAMES = ["chromium", "chromium-browser", "google-chrome"]
# --no-sandbox: containers run their tests as root.
OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-software-rasterizer", "--disable-dev-shm-usage",
           "--remote-debugging-pipe", "--no-first-run"]


def find_browser():
    """Returns the path of a browser, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def pipe_out_of_the_way():
    """A pipe whose descriptors are none of those that a shell redirects."""
    ends = os.pipe()
    moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
    for end in ends:
        os.close(end)
    return moved


PATIENCE_SECONDS = 100


class Browser:
    """Shows one page at a time."""

    def __init__(self, profile):
        to_browser, self.commands = pipe_out_of_the_way()
        self.replies, from_browser = pipe_out_of_the_way()
        # The browser reads from descriptor 3 and writes to 4.
        shell = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        self.process = subprocess.Popen(
            ["bash", "-c", shell, "browser", find_browser(), *OPTIONS, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=[to_browser, from_browser], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.number = 0
        self.pending = b""
        self.console = []  # errors and warnings of the page
        self.is_loaded = False
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.commands)
        os.close(self.replies)

    def read_message(self):
        while b"\0" not in self.pending:
            if not select.select([self.replies], [], [], PATIENCE_SECONDS)[0]:
                raise TimeoutError(f"the browser has not answered for {PATIENCE_SECONDS} s")
            part = os.read(self.replies, 1 << 16)
            if not part:
                raise ConnectionError("the browser has ended")
            self.pending += part
        message, self.pending = self.pending.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        """Calls a method of the protocol and returns its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            reply = self.read_message()
            if reply.get("id") == self.number:
                if "error" in reply:
                    raise RuntimeError(f"{method}: {reply['error']}")
                return reply["result"]
            self.note(reply)

    def note(self, event):
        """Keeps what a page has to complain of, and whether it is loaded."""
        if event.get("method") == "Page.loadEventFired":
            self.is_loaded = True
        elif event.get("method") == "Runtime.exceptionThrown":
            self.console.append(event["params"]["exceptionDetails"])
        elif event.get("method") == "Log.entryAdded" and event["params"]["entry"]["level"] in ("error", "warning"):
            self.console.append(event["params"]["entry"])

    def open(self, address):
        """Opens a page and waits until its script has run."""
        self.is_loaded = False
        self.call("Page.navigate", url=address)
        while not self.is_loaded:
            self.note(self.read_message())

    def evaluate(self, script):
        """Returns the value of an expression of the page."""
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait_for(self, script, seconds=200):
        """Waits until an expression of the page is true, and returns its value."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if value := self.evaluate(script):
                return value
            time.sleep(0.05)
        raise TimeoutError(f"never true: {script}; on the page: {self.evaluate('document.body.innerText')}")
