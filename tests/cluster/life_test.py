"""The life of GanTrainings against a real API server, scheduler, MPI Operator and fake DGX nodes."""
import copy
import json
import unittest

from control_plane import wait_for
from operator_case import OperatorCase


class Life(OperatorCase):
    def training(self, name, **spec):
        """Creates a GanTraining that leaves its nodes to the next test, whatever this one ends with."""
        self.addCleanup(self.remove, "gt", name)
        return super().training(name, **spec)

    def test_is_made_into_a_job_of_eight_times_eight_gpus(self):
        name = self.training("faces", nodes=8)
        self.wait_running(name, 1)
        pods = self.pods(name)
        self.assertEqual(len({pod["spec"]["nodeName"] for pod in pods}), 8)
        for pod in pods:
            container = pod["spec"]["containers"][0]
            self.assertEqual(container["resources"]["limits"]["nvidia.com/gpu"], "8")
            self.assertEqual(container["resources"]["limits"]["rdma/rdma_shared_device_a"], "1")
            self.assertIn("IPC_LOCK", container["securityContext"]["capabilities"]["add"])
            self.assertEqual(pod["spec"]["nodeSelector"], {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB"})
            shm = [volume for volume in pod["spec"]["volumes"] if volume["name"] == "shm"][0]
            self.assertEqual(shm["emptyDir"], {"medium": "Memory", "sizeLimit": "256Gi"})
        launcher = self.pods(name, "launcher")[0]["spec"]["containers"][0]
        self.assertEqual(launcher["args"][:7], ["launch", "-np", "64", "--map-by", "ppr:8:node", "--bind-to", "none"])
        status = self.status(name)
        self.assertEqual((status["nodes"], status["gpus"], status["worldSize"]), (8, 64, 64))
        self.assertEqual(self.cluster.get("pdb", name)["spec"]["minAvailable"], 7)
        for kind in ("configmap/faces-settings", "secret/faces-control", "networkpolicy/faces"):
            self.cluster.kubectl("get", kind)
        columns = self.cluster.kubectl("get", "gt", name).splitlines()
        self.assertEqual(columns[0].split(), ["NAME", "MODEL", "NODES", "GPUS", "PHASE", "PROGRESS%", "KIMG", "S/KIMG", "IMG/S",
                                              "FID", "AGE"])
        self.assertEqual(columns[1].split()[:5], ["faces", "dcgan", "8", "64", "Running"])
        self.assertIn("Number of nodes", self.cluster.kubectl("explain", "gt.spec.nodes"))

        # 8 -> 4 -> 8: each a new attempt, the old one gone first.
        for attempt, nodes in ((2, 4), (3, 8)):
            self.cluster.kubectl("scale", f"gt/{name}", f"--replicas={nodes}")
            self.wait_running(name, attempt)
            self.assertEqual(self.jobs(name), [f"{name}-r{attempt}"])
            self.assertEqual(len(self.pods(name)), nodes)
        self.assertIn("Resize", {event["reason"] for event in self.events(name)})
        self.assertEqual(self.status(name)["restarts"], 0)

        self.end_launcher(name, 0)
        self.cluster.kubectl("wait", "--for=condition=Succeeded", f"gt/{name}", "--timeout=180s")
        wait_for("the workers are gone", lambda: not self.pods(name))
        self.remove("gt", name)

    def test_gives_its_nodes_back_while_suspended(self):
        name = self.training("pause", nodes=2)
        self.wait_running(name, 1)
        self.cluster.kubectl("patch", "gt", name, "--type=merge", "-p", '{"spec":{"suspend":true}}')
        self.wait_phase(name, "Suspended")
        self.cluster.kubectl("wait", "--for=condition=Suspended", f"gt/{name}", "--timeout=180s")
        wait_for("nothing is left", lambda: not self.jobs(name) and not self.pods(name))
        self.cluster.kubectl("patch", "gt", name, "--type=merge", "-p", '{"spec":{"suspend":false}}')
        self.wait_running(name, 2)
        self.cluster.kubectl("wait", "--for=condition=Ready", f"gt/{name}", "--timeout=180s")
        self.remove("gt", name)
        wait_for("its objects are collected", lambda: self.cluster.kubectl(
            "get", "cm,netpol,pdb,mpijob,pods", "-l", f"ganscale.dev/training={name}", "-o", "name") == "")

    def test_restarts_by_exit_code_and_fails_with_the_workers_own_words(self):
        name = self.training("codes")
        self.wait_running(name, 1)
        for attempt, code in ((1, 75), (2, 71), (3, 143)):
            self.end_launcher(name, code)
            self.wait_running(name, attempt + 1)
        self.assertEqual(self.status(name)["restarts"], 3)
        self.assertIn("PeerLost", {event["reason"] for event in self.events(name)})
        self.end_launcher(name, 65, "rank 3\nganscale: error: truncated record: faces-03.tfrecords: 17\nmpirun: ended")
        self.wait_phase(name, "Failed")
        failed = self.condition(name, "Failed")
        self.assertEqual((failed["status"], failed["reason"]), ("True", "BadData"))
        self.assertEqual(failed["message"], "exit code 65: truncated record: faces-03.tfrecords: 17")
        self.assertEqual(self.status(name)["attempt"]["number"], 4)
        # An edit starts it again.
        self.cluster.kubectl("patch", "gt", name, "--type=merge", "-p", '{"spec":{"image":"registry.example/ganscale:2"}}')
        self.wait_running(name, 5)
        self.remove("gt", name)

    def test_is_deleted_after_its_time_to_live(self):
        name = self.training("brief", ttlSecondsAfterFinished=2)
        self.wait_running(name, 1)
        self.end_launcher(name, 0)
        wait_for("the training goes", lambda: name not in [item["metadata"]["name"] for item in self.cluster.get("gt")["items"]])
        self.assertIn("Expired", {event["reason"] for event in self.events(name)})

    def test_ends_at_the_limit_of_restarts(self):
        name = self.training("limit", restartPolicy={"maxRestarts": 1, "backoffSeconds": 0})
        self.wait_running(name, 1)
        self.end_launcher(name, 75)
        self.wait_running(name, 2)
        self.end_launcher(name, 75)
        self.wait_phase(name, "Failed")
        self.assertEqual(self.condition(name, "Failed")["reason"], "RestartLimit")
        self.remove("gt", name)

    def test_restarts_the_whole_gang_when_a_worker_is_lost(self):
        name = self.training("gang", nodes=2)
        self.wait_running(name, 1)
        self.cluster.kubectl("delete", "pod", f"{name}-r1-worker-1")
        self.wait_running(name, 2)
        self.assertEqual(self.jobs(name), [f"{name}-r2"])
        # An evicted launcher counts as lost too, and its workers do not keep their GPUs.
        launcher = self.pods(name, "launcher")[0]["metadata"]["name"]
        self.cluster.kubectl("patch", "pod", launcher, "--subresource=status", "--type=merge", "-p",
                             json.dumps({"status": {"phase": "Failed", "reason": "Evicted", "containerStatuses": None}}))
        self.wait_running(name, 3)
        self.assertEqual({pod["metadata"]["name"] for pod in self.pods(name)}, {f"{name}-r3-worker-0", f"{name}-r3-worker-1"})
        self.remove("gt", name)

    def test_puts_back_what_a_user_edits(self):
        name = self.training("edits")
        self.wait_running(name, 1)
        self.cluster.kubectl("patch", "networkpolicy", name, "--type=merge", "-p", '{"spec":{"ingress":[]}}')
        self.cluster.kubectl("patch", "configmap", f"{name}-settings", "--type=merge", "-p", '{"data":{"config.yaml":"model: {}"}}')
        self.cluster.kubectl("delete", "pdb", name)
        wait_for("the NetworkPolicy is back", lambda: self.cluster.get("networkpolicy", name)["spec"].get("ingress"))
        wait_for("the ConfigMap is back", lambda: "batch" in self.cluster.get("cm", f"{name}-settings")["data"]["config.yaml"])
        wait_for("the budget is back", lambda: self.cluster.get("pdb", name))
        notes = wait_for("events tell", lambda: [event["note"] for event in self.events(name) if event["reason"] == "PutBack"])
        self.assertIn("was changed and has been restored", notes[0])
        self.assertEqual(self.status(name)["attempt"]["number"], 1)
        # A deleted MPIJob is a lost attempt.
        self.cluster.kubectl("delete", "mpijob", f"{name}-r1")
        self.wait_running(name, 2)
        self.remove("gt", name)

    def test_reports_a_fault_in_a_condition_and_continues_once_it_is_fixed(self):
        name = self.training("wrong", nodeProfile="dgx-z9", config={"training": {"batch": 64}})
        def told(reason, words):
            def condition():
                return self.condition(name, "Validated")
            wait_for(f"{reason} is told: {words}",
                     lambda: condition().get("reason") == reason and words in condition()["message"])
            self.assertEqual(condition()["status"], "False")
            self.assertEqual(self.status(name)["phase"], "Pending")
        told("UnknownProfile", "spec.nodeProfile: unknown: dgx-z9 (known: cpu, dgx-a100, dgx-h100, generic-gpu, puhti-v100, summit-v100)")
        def patch(spec):
            self.cluster.kubectl("patch", "gt", name, "--type=merge", "-p", json.dumps({"spec": spec}))
        patch({"nodeProfile": "dgx-a100", "config": {"training": {"bach": 64}}})
        told("BadConfig", "spec.config.training")
        patch({"config": {"training": {"bach": None}}, "storage": {"claimName": "nowhere"}})
        told("MissingClaim", "spec.storage.claimName: no such PersistentVolumeClaim: nowhere")
        patch({"storage": None, "config": None, "configFrom": {"name": "absent"}})
        told("MissingConfigMap", "spec.configFrom.name: no such ConfigMap: absent")
        self.assertEqual(self.jobs(name), [])
        own = {"name": "worker", "resources": {"limits": {"nvidia.com/gpu": "1"}}}
        patch({"configFrom": None, "config": {"training": {"batch": 64}},
               "podTemplate": {"worker": {"spec": {"containers": [own]}}}})
        told("BadSpec", 'spec.podTemplate.worker.spec.containers["worker"].resources.limits.nvidia.com/gpu: is in the node profile')
        patch({"podTemplate": {"worker": {"spec": {"containers": None, "hostNetwrok": True}}}})
        told("BadSpec", "spec.podTemplate.worker.spec.hostNetwrok: can't be set by a podTemplate, which may set: affinity")
        patch({"podTemplate": None})
        self.wait_running(name, 1)
        self.remove("gt", name)

    def test_merges_the_pod_template_into_its_pods(self):
        self.cluster.apply({"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia"}, "handler": "x"})
        self.cluster.kubectl("create", "serviceaccount", "trainings")
        gpu, reserved = ({"key": key, "operator": "Exists", "effect": "NoSchedule"} for key in ("nvidia.com/gpu", "reserved"))
        scratch = {"name": "scratch", "hostPath": {"path": "/raid", "type": ""}}
        own = {"name": "worker", "env": [{"name": "NCCL_SOCKET_IFNAME", "value": "net1"}],
               "resources": {"limits": {"rdma/rdma_shared_device_a": "1"}},
               "volumeMounts": [{"name": "scratch", "mountPath": "/scratch"}]}
        worker = {"metadata": {"annotations": {"k8s.v1.cni.cncf.io/networks": "rail-0"}, "labels": {"team": "vision"}},
                  "spec": {"hostNetwork": True, "runtimeClassName": "nvidia", "serviceAccountName": "trainings",
                           "imagePullSecrets": [{"name": "registry"}], "nodeSelector": {"kubernetes.io/os": "linux"},
                           "tolerations": [reserved], "volumes": [scratch],
                           "containers": [own, {"name": "dcgm", "image": "registry.example/dcgm"}]}}
        name = self.training("overlaid", nodes=2, imagePullSecrets=["mirror"],
                             node={"gpus": 8, "tolerations": [gpu], "environment": {"NCCL_SOCKET_IFNAME": "eth0", "NCCL_DEBUG": "WARN"}},
                             podTemplate={"worker": worker, "launcher": {"spec": {"hostNetwork": True}}})
        self.wait_running(name, 1)
        for pod in self.pods(name):
            self.assertEqual(pod["metadata"]["annotations"]["k8s.v1.cni.cncf.io/networks"], "rail-0")
            self.assertEqual(pod["metadata"]["labels"]["team"], "vision")
            spec = pod["spec"]
            self.assertEqual((spec["hostNetwork"], spec["dnsPolicy"], spec["runtimeClassName"], spec["serviceAccountName"]),
                             (True, "ClusterFirstWithHostNet", "nvidia", "trainings"))
            self.assertEqual(spec["imagePullSecrets"], [{"name": "mirror"}, {"name": "registry"}])
            self.assertEqual(spec["nodeSelector"], {"kubernetes.io/os": "linux"})
            self.assertEqual([each for each in spec["tolerations"] if each in (gpu, reserved)], [gpu, reserved])
            self.assertIn(scratch, spec["volumes"])
            [container, sidecar] = spec["containers"]
            self.assertEqual(container["resources"]["limits"], {"nvidia.com/gpu": "8", "rdma/rdma_shared_device_a": "1"})
            self.assertIn({"name": "scratch", "mountPath": "/scratch"}, container["volumeMounts"])
            variables = {each["name"]: each.get("value") for each in container["env"]}
            self.assertEqual((variables["NCCL_SOCKET_IFNAME"], variables["NCCL_DEBUG"]), ("net1", "WARN"))
            self.assertEqual(sidecar["image"], "registry.example/dcgm")
        [launcher] = self.pods(name, "launcher")
        self.assertIn({"name": "NCCL_SOCKET_IFNAME", "value": "net1"}, launcher["spec"]["containers"][0]["env"])
        self.assertNotIn("runtimeClassName", launcher["spec"])
        self.assertNotIn("PutBack", {event["reason"] for event in self.events(name)})
        # An edit takes effect with a new attempt.
        worker["metadata"]["annotations"] = {"k8s.v1.cni.cncf.io/networks": "rail-1"}
        self.cluster.patch("gt", name, {"spec": {"podTemplate": {"worker": {"metadata": worker["metadata"]}}}})
        self.wait_running(name, 2)
        self.assertIn("SpecChange", {event["reason"] for event in self.events(name)})
        self.remove("gt", name)

    def test_restarts_for_an_edit_of_the_configuration_and_reports_it(self):
        name = self.training("edited")
        self.wait_running(name, 1)
        self.cluster.kubectl("patch", "gt", name, "--type=merge", "-p", '{"spec":{"config":{"training":{"total_kimg":50}}}}')
        self.wait_running(name, 2)
        self.assertIn("total_kimg: 50", self.cluster.get("cm", f"{name}-settings")["data"]["config.yaml"])
        self.assertIn("ConfigChange", {event["reason"] for event in self.events(name)})
        self.remove("gt", name)

    def test_writes_nothing_when_nothing_changed(self):
        name = self.training("steady", nodes=2)
        self.wait_running(name, 1)
        wait_for("it is quiet", lambda: self._writes_stay(2))
        reconciles = self.operator.total("controller_runtime_reconcile_total")
        requests = self.operator.total("rest_client_requests_total")
        for i in range(5):  # a label is nothing that matters: it makes five more reconciles
            self.cluster.kubectl("label", "gt", name, f"looked={i}", "--overwrite")
        wait_for("five more reconciles", lambda: self.operator.total("controller_runtime_reconcile_total") >= reconciles + 5)
        self.assertTrue(self._writes_stay(1))
        # Only the election sends requests.
        self.assertLess(self.operator.total("rest_client_requests_total") - requests, 5 * 5)
        self.remove("gt", name)

    def _writes_stay(self, seconds):
        import time
        def writes():
            return sum(self.operator.total("rest_client_requests_total", f'method="{method}"') for method in ("PATCH", "POST", "DELETE"))
        before = writes()
        time.sleep(seconds)
        return writes() == before

    def test_waits_in_its_queue_and_goes_back_into_it_when_it_is_preempted(self):
        """Does to the MPIJob what Kueue does: holds it back, chooses nodes, lets it go, takes the nodes again."""
        self.cluster.apply({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                            "metadata": {"name": "urgent"}, "value": 1000})
        gpu = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
        name = self.training("queued", nodes=2, queueName="research", priorityClassName="urgent",
                             node={"gpus": 8, "tolerations": [gpu], "nodeSelector": {"flavor": "reserved"}})
        job = wait_for("its MPIJob", lambda: self.jobs(name) and self.cluster.get("mpijobs", f"{name}-r1"))
        self.assertEqual(job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"], "research")
        self.assertEqual(job["spec"]["runPolicy"]["schedulingPolicy"],
                         {"minAvailable": 2, "queue": "research", "priorityClass": "urgent"})
        self.cluster.patch("mpijobs", f"{name}-r1", {"spec": {"runPolicy": {"suspend": True}}})
        wait_for("it is queued", lambda: self.status(name).get("reason") == "Queued")
        wait_for("no pod waits meanwhile", lambda: not self.pods(name))

        for node in ("dgx-0", "dgx-1"):
            self.addCleanup(self.cluster.kubectl, "label", "node", node, "flavor-")
            self.cluster.kubectl("label", "node", node, "flavor=reserved")
            self.addCleanup(self.cluster.kubectl, "taint", "node", node, "flavor-", check=False)  # it may be gone
            self.cluster.kubectl("taint", "node", node, "flavor=reserved:NoSchedule")
        reserved = {"key": "flavor", "operator": "Exists", "effect": "NoSchedule"}
        template = {"template": {"spec": {"tolerations": [gpu, reserved]}}}
        self.cluster.patch("mpijobs", f"{name}-r1", {"spec": {
            "runPolicy": {"suspend": False}, "mpiReplicaSpecs": {"Worker": template, "Launcher": template}}})
        self.wait_running(name, 1)
        self.assertEqual([pod["spec"]["priority"] for pod in self.pods(name)], [1000, 1000])
        self.assertEqual({pod["spec"]["nodeName"] for pod in self.pods(name)}, {"dgx-0", "dgx-1"})
        self.assertNotIn("PutBack", {event["reason"] for event in self.events(name)})

        self.cluster.patch("mpijobs", f"{name}-r1", {"spec": {"runPolicy": {"suspend": True}}})
        wait_for("a new attempt takes its place", lambda: self.jobs(name) == [f"{name}-r2"])
        self.assertIn("Preempted", {event["reason"] for event in self.events(name)})
        self.assertEqual(self.status(name)["restarts"], 0)
        for node in ("dgx-0", "dgx-1"):
            self.cluster.kubectl("taint", "node", node, "flavor-")
        self.wait_running(name, 2)
        self.remove("gt", name)

    def test_deletes_its_run_folder_if_configured(self):
        self.cluster.apply({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "runs"}, "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteMany"], "hostPath": {"path": "/nowhere"},
            "storageClassName": "none"}})
        self.cluster.apply({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "runs"}, "spec": {
            "accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}, "storageClassName": "none"}})
        for name in ("keep", "purge", "stuck", "refused"):
            self.training(name, storage={"claimName": "runs", "path": "/runs"}, deletePolicy="Keep" if name == "keep" else "Purge")
            self.wait_running(name, 1)
        self.remove("gt", "keep")
        self.check_a_failed_purge_holds_nothing_up()
        self.check_a_forbidden_purge_holds_nothing_up()
        self.cluster.delete("gt", "purge")
        job = wait_for("the Job that deletes", lambda: self.cluster.get("jobs", "purge-purge"))
        container = job["spec"]["template"]["spec"]["containers"][0]
        self.assertEqual(container["command"], ["/bin/rm", "-rf", "/runs/purge"])
        self.assertEqual(self.jobs("purge"), [])  # nobody writes any more
        pod = wait_for("its pod runs", lambda: [item for item in self.cluster.get("pods", selector="job-name=purge-purge")["items"]
                                                if item["status"].get("phase") == "Running"])[0]["metadata"]["name"]
        self.assertIn("deletionTimestamp", self.get("purge")["metadata"])
        self.cluster.patch("pods", pod, {"metadata": {"annotations": {"test.ganscale.dev/exit-code": "0"}}})
        wait_for("the training goes", lambda: "purge" not in [item["metadata"]["name"] for item in self.cluster.get("gt")["items"]])
        self.assertEqual(job["metadata"]["finalizers"], ["foregroundDeletion"])
        names = [item["metadata"]["name"] for item in self.cluster.get("jobs")["items"]]
        self.assertNotIn("keep-purge", names)
        wait_for("its Job goes with its pod", lambda: "purge-purge" not in [
            item["metadata"]["name"] for item in self.cluster.get("jobs")["items"]])
        self.assertEqual(self.cluster.get("pods", selector="job-name=purge-purge")["items"], [])

    def check_a_failed_purge_holds_nothing_up(self):
        self.cluster.delete("gt", "stuck")
        wait_for("the Job that deletes", lambda: self.cluster.get("jobs", "stuck-purge")["status"].get("startTime"))
        # As for a pod that never gets its image; but without waiting an hour.
        self.cluster.patch("jobs", "stuck-purge", {"spec": {"activeDeadlineSeconds": 1}})
        self.check_the_folder_stays("stuck", "Job was active longer than specified deadline")

    def check_a_forbidden_purge_holds_nothing_up(self):
        self.addCleanup(self.remove, "resourcequota", "no-jobs")
        self.cluster.apply({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "no-jobs"},
                            "spec": {"hard": {"count/jobs.batch": "0"}}})
        wait_for("no Job is allowed", lambda: self.cluster.kubectl(
            "create", "job", "probe", "--image=x", "--dry-run=server", check=False).returncode != 0)
        self.cluster.delete("gt", "refused")
        self.check_the_folder_stays("refused", "exceeded quota: no-jobs")
        self.cluster.kubectl("delete", "resourcequota", "no-jobs")

    def check_the_folder_stays(self, name, why):
        wait_for("the training goes", lambda: name not in [item["metadata"]["name"] for item in self.cluster.get("gt")["items"]])
        [note] = wait_for("an event tells", lambda: [event["note"] for event in self.events(name) if event["reason"] == "PurgeFailed"])
        self.assertIn(f"the run folder was not deleted: /runs/{name} on the claim runs: ", note)
        self.assertIn(why, note)

    def test_keeps_fields_of_a_newer_version(self):
        name = self.training("newer")
        self.wait_running(name, 1)
        self.cluster.kubectl("patch", "gt", name, "--subresource=status", "--type=merge", "-p", '{"status":{"newerField":{"a":1}}}')
        self.cluster.kubectl("scale", f"gt/{name}", "--replicas=2")
        self.wait_running(name, 2)
        self.assertEqual(self.status(name)["newerField"], {"a": 1})
        self.remove("gt", name)


class Admission(OperatorCase):
    """What the API server does by itself, by the CustomResourceDefinition."""
    with_operator = False
    good = {"apiVersion": "ganscale.dev/v1alpha1", "kind": "GanTraining", "metadata": {"name": "good"},
            "spec": {"image": "x", "nodes": 2, "nodeProfile": "dgx-a100", "config": {"training": {"batch": 64}}}}

    def without(self, **changes):
        value = copy.deepcopy(self.good)
        value["metadata"]["name"] = changes.pop("name", "good")
        value["spec"].update(changes)
        value["spec"] = {key: item for key, item in value["spec"].items() if item is not None}
        return value

    def overlaid(self, pod="worker", metadata=None, **spec):
        return self.without(podTemplate={pod: {"metadata": metadata or {}, "spec": spec}})

    def test_refuses_a_pod_template_that_changes_what_is_the_operators(self):
        def own(pod="worker", **fields):
            return self.overlaid(pod, containers=[{"name": pod, **fields}])
        for value, words in [
                (own(image="x"), "of the containers worker and launcher it may set env, resources"),
                (own("launcher", command=["true"]), "of the containers worker and launcher it may set env, resources"),
                (own(ports=[{"containerPort": 1}]), "of the containers worker and launcher it may set env, resources"),
                (own(securityContext={"privileged": True}), "of the containers worker and launcher it may set env, resources"),
                (own(env=[{"name": "GANSCALE_RESTARTS", "value": "1"}]), "a variable is the operator's"),
                (own("launcher", env=[{"name": "K_MPI_JOB_ROLE", "value": "1"}]), "a variable is the operator's"),
                (own(volumeMounts=[{"name": "a", "mountPath": "/etc/ganscale/run"}]), "a mountPath is the operator's"),
                (own(volumeMounts=[{"name": "a", "mountPath": "/dev/shm"}]), "a mountPath is the operator's"),
                (self.overlaid(volumes=[{"name": "storage", "emptyDir": {}}]), "a volume is the operator's"),
                (self.overlaid(volumes=[{"name": "a"}, {"name": "a"}]), "Duplicate value"),
                (self.overlaid(metadata={"labels": {"ganscale.dev/role": "boss"}}), "a label is the operator's"),
                (self.overlaid(metadata={"labels": {"app.kubernetes.io/name": "x"}}), "a label is the operator's"),
                (self.overlaid(restartPolicy="Always"), "can't set restartPolicy"),
                (self.overlaid(schedulerName="volcano"), "schedulerName are fields of spec"),
                (self.overlaid(hostNetwork=True), "hostNetwork must be as in worker"),
                (self.overlaid("launcher", containers=[{"name": "a"}]), "a sidecar would keep the launcher from ending")]:
            with self.subTest(words, podTemplate=value["spec"]["podTemplate"]):
                self.assertIn(words, self.refused(value))
        self.cluster.apply(self.overlaid(
            metadata={"labels": {"team": "a"}, "annotations": {"b": "c"}}, volumes=[{"name": "a", "emptyDir": {}}],
            containers=[{"name": "worker", "env": [{"name": "A", "value": "1"}],
                         "volumeMounts": [{"name": "a", "mountPath": "/a"}]}, {"name": "side", "image": "x", "command": ["y"]}]))
        self.cluster.kubectl("delete", "gt", "good")

    def test_refuses_with_a_readable_reason(self):
        cases = [
            (self.without(config={"training": {"batch": 60}}), "must be divisible by the number of ranks"),
            (self.without(gpusPerNode=3), "must be divisible by the number of ranks"),
            (self.without(node={"gpus": 1}), "give either spec.nodeProfile"),
            (self.without(nodeProfile=None), "give either spec.nodeProfile"),
            (self.without(name="a" * 41), "metadata.name must have at most 40 characters"),
            (self.without(name="8faces"), "metadata.name must begin with a letter"),
            (self.without(nodes=0), "spec.nodes: Invalid value: 0: spec.nodes in body should be greater than or equal to 1"),
            (self.without(image=None), "spec.image: Required value"),
            (self.without(deletePolicy="Burn"), 'Unsupported value: "Burn": supported values: "Keep", "Purge"'),
            (self.without(configFrom={"name": "x"}), "give either spec.config or spec.configFrom"),
            (self.without(data={"claimName": "x", "path": "relative"}), "spec.data.path"),
            (self.without(data={"claimName": "a\u202eb"}), "spec.data.claimName: Invalid value"),
            (self.without(storage={"claimName": "../secrets"}), "spec.storage.claimName: Invalid value"),
            (self.without(config=None, configFrom={"name": "a/b"}), "spec.configFrom.name: Invalid value"),
            (self.without(restartPolicy={"backoffSeconds": 2**40}), "spec.restartPolicy.backoffSeconds: Invalid value"),
            (self.without(nodeProfile=None, node={"memory": "much"}), "spec.node.memory: Invalid value"),
        ]
        for value, words in cases:
            with self.subTest(words):
                self.assertIn(words, self.refused(value))

    def test_refuses_edits_that_a_running_training_depends_on(self):
        running = self.without(name="running", storage={"claimName": "runs"})
        self.cluster.apply(running)
        self.cluster.kubectl("patch", "gt", "running", "--subresource=status", "--type=merge", "-p", '{"status":{"phase":"Running","kimg":12.5}}')
        moved = copy.deepcopy(running)
        moved["spec"]["storage"]["claimName"] = "elsewhere"
        self.assertIn("spec.storage can't change while the training runs", self.refused(moved))
        remodelled = copy.deepcopy(running)
        remodelled["spec"]["config"]["model"] = {"name": "conditional_dcgan"}
        self.assertIn("spec.config.model can't change once the training has progress", self.refused(remodelled))
        result = self.cluster.kubectl("scale", "gt/running", "--replicas=3", check=False)
        self.assertIn("must be divisible by the number of ranks", result.stderr)

    def test_takes_a_height_and_a_width(self):
        def wide(resolution, nodes=2):
            model = {"name": "dcgan", "resolution": resolution}
            return self.without(name="wide", nodes=nodes, config={"model": model, "training": {"batch": 64}})
        for resolution in (0, [64], [64, 64, 64], [64, "wide"], [0, 64]):
            with self.subTest(resolution=resolution):
                self.assertIn("spec.config.model.resolution", self.refused(wide(resolution)))
        self.cluster.apply(wide([32, 64]))
        self.assertEqual(self.get("wide")["spec"]["config"]["model"]["resolution"], [32, 64])
        self.cluster.patch("gt", "wide", subresource="status", value={"status": {"kimg": 12.5}})
        self.cluster.apply(wide([32, 64], nodes=1))  # the rule takes the same model
        self.assertIn("spec.config.model can't change once the training has progress", self.refused(wide([64, 32])))

    def test_shows_what_people_look_for(self):
        self.cluster.apply(self.without(name="shown"))
        self.cluster.patch("gt", "shown", subresource="status", value={"status": {
            "observedGeneration": 1, "model": "stylegan2", "gpus": 16, "phase": "Running", "reason": "Running", "kimg": 4210.4, "secondsPerKimg": 2.31,
            "progressPercent": 16.8, "imagesPerSecond": 432.9, "fid": 7.9, "restarts": 2, "nodes": 2, "selector": "a=b", "lastCheckpoint": {"name": "kimg-004200"},
            "conditions": [{"type": "Succeeded", "status": "True"}]}})
        head, row = self.cluster.kubectl("get", "gantrainings", "shown", "-o", "wide").splitlines()
        self.assertEqual(head.split(), ["NAME", "MODEL", "NODES", "GPUS", "PHASE", "PROGRESS%", "KIMG", "S/KIMG", "IMG/S", "FID", "AGE",
                                        "REASON", "RESTARTS", "CHECKPOINT"])
        self.assertEqual(row.split()[:10],
                         ["shown", "stylegan2", "2", "16", "Running", "16.8", "4210.4", "2.31", "432.9", "7.9"])
        self.assertEqual(row.split()[11:], ["Running", "2", "kimg-004200"])
        for group in ("all", "ganscale"):
            self.assertIn("gantraining.ganscale.dev/shown", self.cluster.kubectl("get", group, "-o", "name"))
        self.cluster.kubectl("wait", "--for=condition=Succeeded", "gt/shown", "--timeout=5s")
        scale = json.loads(self.cluster.kubectl("get", "gt", "shown", "--subresource=scale", "-o", "json"))
        self.assertEqual((scale["spec"]["replicas"], scale["status"]["replicas"], scale["status"]["selector"]), (2, 2, "a=b"))

    def test_explains_every_field(self):
        wait_for("the API server has the schema", lambda: self.cluster.kubectl("explain", "gt"))
        words = self.cluster.kubectl("explain", "gt.spec.deletePolicy")
        self.assertIn("Keep: the run folder outlives the GanTraining.", words)
        self.assertIn("ENUM:\n    Keep\n    Purge\n", words)
        crd = json.loads(self.cluster.kubectl("get", "crd", "gantrainings.ganscale.dev", "-o", "json"))
        schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
        def bare(node, path):
            """Paths of fields without a description."""
            inner = [path] if path and "description" not in node else []
            for key, child in node.get("properties", {}).items():
                inner += bare(child, f"{path}.{key}" if path else key)
            return inner
        self.assertEqual(bare(schema["properties"]["spec"], "spec") + bare(schema["properties"]["status"], "status"), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
