"""A validating webhook that denies what a test chooses, as a policy engine would."""
import base64
import http.server
import json
import ssl
import threading


class DenyingWebhook:
    name = "policy.example.com"

    def __init__(self, cluster):
        self.cluster = cluster
        webhook = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_POST(self):
                review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                review["response"] = {"uid": review["request"]["uid"], "allowed": False, "status": {
                    "code": 403, "message": webhook.words}}
                text = json.dumps(review).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

        pki = cluster.folder / "pki"  # the API server's own certificate is one for 127.0.0.1
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pki / "apiserver.crt", pki / "apiserver.key")
        self.certificate = base64.b64encode((pki / "apiserver.crt").read_bytes()).decode()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def deny(self, group, version, resource, words):
        """Denies every new object of a kind, with these words."""
        self.words = words
        self.cluster.apply({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": self.name}, "webhooks": [{
                "name": self.name, "sideEffects": "None", "admissionReviewVersions": ["v1"], "failurePolicy": "Fail",
                "clientConfig": {"url": f"https://127.0.0.1:{self.server.server_address[1]}/", "caBundle": self.certificate},
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "default"}},
                "rules": [{"apiGroups": [group], "apiVersions": [version], "resources": [resource], "operations": ["CREATE"]}]}]})

    def allow(self):
        self.cluster.kubectl("delete", "validatingwebhookconfiguration", self.name, "--ignore-not-found")

    def close(self):
        self.allow()
        self.server.shutdown()
        self.server.server_close()
