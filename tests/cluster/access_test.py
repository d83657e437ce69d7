"""What the operator may do, and that it continues when its token is replaced."""
import json
import re
import ssl
import unittest
import urllib.error
import urllib.request

from control_plane import PROJECT, wait_for
from operator_case import FOUR_OF_EACH, MANIFESTS, Operator, OperatorCase

ACCOUNT = "system:serviceaccount:ganscale-system:ganscale-operator"


def documented():
    """Returns the columns of the table of permissions in docs/operator.md: [{(resource, name): {verb, ...}}, ...]."""
    columns = [{}, {}, {}]
    page = (PROJECT / "docs/operator.md").read_text()
    for row in re.findall(r"^\| `([\w./]+)`(?: named `([\w-]+)`)? \|([^|]*)\|([^|]*)\|([^|]*)\|$", page, re.M):
        for column, verbs in zip(columns, row[2:]):
            if verbs.strip():
                column[row[:2]] = set(verbs.replace(" ", "").split(","))
    return columns


def joined(*columns):
    return {key: set().union(*(column.get(key, set()) for column in columns)) for column in columns for key in column}


class NarrowOperator(Operator):
    account = "narrow"


class Access(OperatorCase):
    with_operator = False
    nodes = FOUR_OF_EACH

    def may(self, verb, what, *words):
        answer = self.cluster.kubectl("auth", "can-i", verb, what, f"--as={ACCOUNT}", *words, check=False)
        return answer.stdout.strip() == "yes"

    def test_is_the_least(self):
        for verb in ("get", "list", "watch"):
            self.assertFalse(self.may(verb, "secrets", "--all-namespaces"), verb)
            self.assertFalse(self.may(verb, "secrets", "-n", "default"), verb)
        self.assertTrue(self.may("create", "secrets", "-n", "default"))  # training-namespace.yaml is applied there
        self.assertFalse(self.may("create", "secrets", "-n", "kube-system"))
        self.assertFalse(self.may("delete", "scalingsweeps", "-n", "kube-system"))  # one that expired, where trainings run
        for verb, what in (("create", "pods"), ("create", "pods/exec"), ("delete", "pods"), ("update", "scalingsweeps"),
                           ("update", "gantrainings"), ("create", "clusterroles"), ("impersonate", "users")):
            self.assertFalse(self.may(verb, what), f"{verb} {what}")
        roles = json.loads(self.cluster.kubectl("get", "clusterroles,roles", "-A", "-o", "json"))["items"]
        ours = [role for role in roles if role["metadata"]["name"].startswith("ganscale")]
        self.assertGreaterEqual(len(ours), 5)
        for role in ours:
            self.assertNotIn("*", json.dumps(role["rules"]), role["metadata"]["name"])

    def rights(self, name_space, account=ACCOUNT):
        """Returns {(resource, name): {verb, ...}} of `kubectl auth can-i --list`."""
        text = self.cluster.kubectl("auth", "can-i", "--list", "--no-headers", f"--as={account}", "-n", name_space)
        found = {}
        for resource, names, verbs in re.findall(r"^(\S+) +\[\] +\[(.*?)\] +\[(.*?)\]$", text, re.M):
            for name in names.split() or [""]:
                found.setdefault((resource, name), set()).update(verbs.split())
        return found

    def test_is_what_the_docs_say(self):
        everywhere, with_trainings, its_own = documented()
        self.assertGreater(len(everywhere), 10)
        anybody = self.rights("kube-system", "system:serviceaccount:kube-system:nobody")
        self.cluster.kubectl("create", "namespace", "apart")
        for name_space, here in [("apart", {}), ("default", with_trainings), ("ganscale-system", its_own)]:
            with self.subTest(name_space):
                self.assertEqual(self.rights(name_space), joined(anybody, everywhere, here))

    def test_no_training_and_no_job_can_be_made_elsewhere(self):
        for verb, what in [("create", "jobs.batch"), ("create", "mpijobs.kubeflow.org"), ("patch", "configmaps"),
                           ("delete", "poddisruptionbudgets.policy"), ("patch", "networkpolicies.networking.k8s.io")]:
            self.assertTrue(self.may(verb, what, "-n", "default"), what)
            self.assertFalse(self.may(verb, what, "-n", "kube-system"), what)

    def test_some_namespaces_need_no_right_elsewhere(self):
        """The account `narrow` has both roles in the namespace `narrow`, and is asked for nothing else."""
        self.cluster.kubectl("create", "namespace", "narrow")
        for role in ["ganscale-operator", "ganscale-operator-training-namespace"]:
            self.cluster.kubectl("create", "rolebinding", role, "-n", "narrow", f"--clusterrole={role}",
                                 "--serviceaccount=ganscale-system:narrow")
        self.cluster.kubectl("create", "serviceaccount", "narrow", "-n", "ganscale-system")
        self.cluster.kubectl("create", "rolebinding", "narrow", "-n", "ganscale-system", "--role=ganscale-operator",
                             "--serviceaccount=ganscale-system:narrow")
        operator = NarrowOperator(self.cluster, "narrow", options=["--watch-namespaces=narrow"]).start().wait_ready()
        spec = {"image": "x", "nodeProfile": "cpu", "config": {"training": {"batch": 8}}}
        for name_space in ["narrow", "default"]:
            self.cluster.apply({"apiVersion": "ganscale.dev/v1alpha1", "kind": "GanTraining",
                                "metadata": {"name": "small", "namespace": name_space}, "spec": spec})
        wait_for("its MPIJob is there", lambda: self.cluster.get("mpijobs", namespace="narrow")["items"])
        self.assertEqual(self.get("small")["status"], {"observedGeneration": -1}, "nobody looks after it, which kstatus can tell")
        self.assertNotIn("is forbidden", self.cluster.log("narrow"))
        operator.stop()
        self.cluster.kubectl("delete", "gt", "small", "-n", "default")

    def test_the_policy_keeps_pods_off_the_node(self):
        self.cluster.kubectl("apply", "-f", MANIFESTS / "policy/pod-template.yaml")
        self.addCleanup(self.cluster.kubectl, "delete", "-f", MANIFESTS / "policy/pod-template.yaml")

        def overlaid(spec, kind="GanTraining"):
            full = {"image": "x", "nodeProfile": "cpu", "config": {"training": {"batch": 8}}, "podTemplate": {"worker": {"spec": spec}}}
            if kind == "ScalingSweep":
                full = {"mode": "Strong", "points": [{"nodes": 1}], "template": full}
            return {"apiVersion": "ganscale.dev/v1alpha1", "kind": kind, "metadata": {"name": "guarded"}, "spec": full}
        token = {"name": "t", "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}}
        forbidden = [({"volumes": [{"name": "disk", "hostPath": {"path": "/"}}]}, "hostPath"),
                     ({"hostNetwork": True}, "hostNetwork"), ({"volumes": [token]}, "projected service account tokens")]
        wait_for("the policy is in force", lambda: self.cluster.kubectl(
            "apply", "--dry-run=server", "-f", "-", stdin=json.dumps(overlaid(forbidden[0][0])), check=False).returncode)
        for spec, words in forbidden:
            for kind in ["GanTraining", "ScalingSweep"]:
                with self.subTest(words, kind=kind):
                    self.assertRegex(self.refused(overlaid(spec, kind)), f"podTemplate: .*{words}")
        harmless = {"volumes": [{"name": "own", "emptyDir": {}}, {"name": "all", "projected": {"sources": []}}], "hostNetwork": False}
        for kind in ["GanTraining", "ScalingSweep"]:
            self.cluster.kubectl("apply", "--dry-run=server", "-f", "-", stdin=json.dumps(overlaid(harmless, kind)))

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

        # In a namespace without rights, it says so.
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
