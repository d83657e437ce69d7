"""What the operator may do, and that it goes on when its token is replaced."""
import json
import ssl
import unittest
import urllib.error
import urllib.request

from control_plane import wait_for
from operator_case import Operator, OperatorCase

ACCOUNT = "system:serviceaccount:ganscale-system:ganscale-operator"


class Access(OperatorCase):
    with_operator = False
    nodes = {"dgx_nodes": 4, "cpu_nodes": 1}

    def may(self, verb, what, *words):
        answer = self.cluster.kubectl("auth", "can-i", verb, what, f"--as={ACCOUNT}", *words, check=False)
        return answer.stdout.strip() == "yes"

    def test_is_the_least(self):
        for verb in ("get", "list", "watch"):
            self.assertFalse(self.may(verb, "secrets", "--all-namespaces"), verb)
            self.assertFalse(self.may(verb, "secrets", "-n", "default"), verb)
        self.assertTrue(self.may("create", "secrets", "-n", "default"))  # training-namespace.yaml is applied there
        self.assertFalse(self.may("create", "secrets", "-n", "kube-system"))
        for verb, what in (("create", "pods"), ("create", "pods/exec"), ("delete", "pods"), ("delete", "scalingsweeps"),
                           ("update", "gantrainings"), ("create", "clusterroles"), ("impersonate", "users")):
            self.assertFalse(self.may(verb, what), f"{verb} {what}")
        roles = json.loads(self.cluster.kubectl("get", "clusterroles,roles", "-A", "-o", "json"))["items"]
        ours = [role for role in roles if role["metadata"]["name"].startswith("ganscale")]
        self.assertGreaterEqual(len(ours), 5)
        for role in ours:
            self.assertNotIn("*", json.dumps(role["rules"]), role["metadata"]["name"])

    def is_refused(self, token):
        request = urllib.request.Request(f"{self.cluster.url}/apis/ganscale.dev/v1alpha1/gantrainings",
                                         headers={"Authorization": f"Bearer {token}"})
        context = ssl.create_default_context(cafile=str(self.cluster.folder / "pki" / "apiserver.crt"))
        try:
            with urllib.request.urlopen(request, timeout=5, context=context):
                return False
        except urllib.error.HTTPError as error:
            return error.code == 401

    def test_survives_the_end_of_a_token(self):
        # A token that is bound to a Secret ends with it.
        self.cluster.kubectl("create", "secret", "generic", "passport", "-n", "ganscale-system")
        operator = Operator(self.cluster)
        old = self.cluster.kubectl("create", "token", "ganscale-operator", "-n", "ganscale-system",
                                   "--bound-object-kind=Secret", "--bound-object-name=passport").strip()
        new = operator.token_file.read_text()
        operator.token_file.write_text(old)
        operator.start().wait_ready()
        self.training("before")
        self.wait_running("before", 1)
        self.cluster.kubectl("delete", "secret", "passport", "-n", "ganscale-system")
        operator.token_file.write_text(new)
        wait_for("the old token has ended", lambda: self.is_refused(old))
        self.training("after")
        self.wait_running("after", 1)
        self.cluster.kubectl("scale", "gt/before", "--replicas=2")
        self.wait_running("before", 2)
        self.assertIsNone(operator.process.poll(), "it was not the same process")

        # In a namespace where nobody let it in, it says so.
        self.cluster.kubectl("create", "namespace", "closed")
        self.cluster.apply({"apiVersion": "ganscale.dev/v1alpha1", "kind": "GanTraining",
                            "metadata": {"name": "outside", "namespace": "closed"},
                            "spec": {"image": "x", "nodeProfile": "cpu"}})
        def told():
            items = self.cluster.get("events", namespace="closed")["items"]
            return [item for item in items if item["reason"] == "AccessDenied"]
        self.assertIn("apply rbac/training-namespace.yaml there", wait_for("an event tells", told)[0]["note"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
