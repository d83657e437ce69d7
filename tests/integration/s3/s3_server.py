"""A real S3 server, Versity's gateway over a folder, and a proxy before it that makes some requests fail."""
import collections
import contextlib
import http.client
import http.server
import os
import pathlib
import random
import socket
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "support"), str(HERE.parents[1] / "cluster")]
from build_tools import build_tools  # noqa: E402
from programs import free_port, wait_until  # noqa: E402

KEY, SECRET = "a-key", "its-secret-key"
# For a client that must not look for credentials elsewhere.
CREDENTIALS = {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_EC2_METADATA_DISABLED": "true"}


def answers(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


class S3Server:
    """Serves the subfolders of a folder as buckets. options: more of versitygw's."""

    def __init__(self, folder, *options):
        self.port = free_port()
        program = build_tools("--s3") / "versitygw"
        self.log = open(folder.parent / f"versitygw-{self.port}.log", "w")
        self.process = subprocess.Popen(
            [program, "--port", f"127.0.0.1:{self.port}", *options, "posix", "--nometa", folder],
            stdout=self.log, stderr=subprocess.STDOUT, env={**os.environ, "ROOT_ACCESS_KEY": KEY, "ROOT_SECRET_KEY": SECRET})
        wait_until(lambda: answers(self.port) or self.process.poll() is not None, 60)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.log.close()


class FaultyProxy:
    """Passes requests on to a server. `faults` maps each fault to how likely it is: one of REFUSALS, "cut" ends the connection in
    the middle of the answer, "late" waits for a second. `counts` has how many there were, and `sent_bytes` those of all answers.
    `delay` returns the seconds that a request waits. `denies` returns whether a request is one that the credentials do not permit."""

    REFUSALS = {"busy": (503, "SlowDown"), "skewed": (403, "RequestTimeTooSkewed"), "expired": (400, "ExpiredToken"),
                "archived": (403, "InvalidObjectState"), "denied": (403, "AccessDenied")}
    MESSAGES = {"archived": "The operation is not valid for the object's storage class"}

    def __init__(self, port, seed=1, delay=lambda: 0, denies=lambda method, path: False, **faults):
        self.server_port, self.delay, self.faults, self.counts, self.sent_bytes = port, delay, faults, collections.Counter(), 0
        self.denies = denies
        self.random, self.lock = random.Random(seed), threading.Lock()
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 1 << 16  # head and body in one segment: the client delays its ACK of a first one

            def do_GET(self):
                proxy.answer(self)

            do_HEAD = do_GET

            def log_message(self, *_):
                pass

        self.listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.listener.daemon_threads = True
        self.listener.socket.listen(128)  # connections that come at once
        self.port = self.listener.server_port
        threading.Thread(target=self.listener.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.shutdown()
        self.listener.server_close()

    def choose(self):
        with self.lock:
            draw = self.random.random()
            for fault, likelihood in self.faults.items():
                draw -= likelihood
                if draw < 0:
                    self.counts[fault] += 1
                    return fault
        return None

    def answer(self, request):
        time.sleep(self.delay())
        fault = "denied" if self.denies(request.command, request.path) else self.choose()
        if fault in self.REFUSALS:
            status, code = self.REFUSALS[fault]
            message = self.MESSAGES.get(fault, "injected")
            body = f"<Error><Code>{code}</Code><Message>{message}</Message></Error>".encode() if request.command == "GET" else b""
            self.send(request, status, [("Content-Length", str(len(body)))], body)
            return
        if fault == "late":
            time.sleep(1)
        server = http.client.HTTPConnection("127.0.0.1", self.server_port)
        server.putrequest(request.command, request.path, skip_host=True, skip_accept_encoding=True)
        for name, value in request.headers.items():
            server.putheader(name, value)  # Host, too, which is signed
        server.endheaders()
        response = server.getresponse()
        body = response.read()
        server.close()
        if fault == "cut":
            body = body[:len(body) // 2]
            request.close_connection = True
        self.send(request, response.status, response.getheaders(), body)

    def send(self, request, status, headers, body):
        request.send_response_only(status)
        for name, value in headers:
            if name.lower() not in ("connection", "transfer-encoding"):
                request.send_header(name, value)
        request.end_headers()
        with contextlib.suppress(OSError):
            request.wfile.write(body)
            request.wfile.flush()
        with self.lock:
            self.sent_bytes += len(body)
