"""A proxy before the API server that answers with errors, late or not at all, and drops connections, when a test says so."""
import http.client
import http.server
import random
import socket
import ssl
import threading
import time


class FaultProxy:
    def __init__(self, cluster):
        self.cluster = cluster
        self.context = ssl.create_default_context(cafile=str(cluster.folder / "pki" / "apiserver.crt"))
        self.error, self.share, self.until = 500, 0.0, 0.0
        self.hanging, self.closed = "", threading.Event()
        self.delay, self.lagging, self.caught_up = 0.0, "", threading.Event()
        self.clients = set()
        self.random = random.Random(1)
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def handle_any(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                return self.answer_error() if proxy.meets_fault(self.path) else self.forward(body)

            def answer_error(self):
                text = b'{"kind":"Status","status":"Failure","reason":"Injected","code":%d}' % proxy.error
                self.send_response(proxy.error)
                self.send_header("Content-Length", str(len(text)))
                if proxy.error == 429:
                    self.send_header("Retry-After", "1")
                self.end_headers()
                self.wfile.write(text)

            def forward(self, body):
                server = http.client.HTTPSConnection("127.0.0.1", proxy.cluster.ports["api"], context=proxy.context)
                proxy.clients.add(self.connection)
                try:
                    headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
                    server.request(self.command, self.path, body or None, headers)
                    answer = server.getresponse()
                    proxy.relay(answer, self)
                except (OSError, http.client.HTTPException):
                    self.close_connection = True
                finally:
                    proxy.clients.discard(self.connection)
                    server.close()

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def fail(self, error, share, seconds):
        """Answers a share of the requests with an error for a while."""
        self.error, self.share, self.until = error, share, time.monotonic() + seconds

    def meets_fault(self, path):
        """Returns whether a request is to be answered with an error; one that is to hang comes to no answer before the end."""
        if self.hanging and self.hanging in path:
            self.closed.wait()
            return True
        time.sleep(self.delay)
        return time.monotonic() < self.until and self.random.random() < self.share

    def hang(self, words):
        """Answers no request any more whose path holds these words, as a load balancer that lost a connection."""
        self.hanging = words

    def slow_down(self, seconds):
        """Lets each request wait that long, as an API server that is overloaded."""
        self.delay = seconds

    def lag(self, words):
        """Holds back the events of watches whose path has these words, until catch_up()."""
        self.caught_up.clear()
        self.lagging = words

    def catch_up(self):
        self.lagging = ""
        self.caught_up.set()

    def relay(self, answer, handler):
        """Passes an answer on part by part, as it comes."""
        handler.send_response(answer.status)
        handler.send_header("Content-Type", answer.getheader("Content-Type") or "application/json")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        while part := answer.read1(65536):
            if self.lagging and self.lagging in handler.path and "watch=1" in handler.path:
                self.caught_up.wait()
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            handler.wfile.flush()
        handler.wfile.write(b"0\r\n\r\n")

    def drop(self):
        """Cuts every connection, watches above all."""
        for client in list(self.clients):
            try:
                client.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.closed.set()
        self.catch_up()
        self.server.shutdown()
        self.server.server_close()
