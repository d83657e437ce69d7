"""Hosts on one machine, network namespaces, at a switch whose links can be throttled by tc."""
import os
import shutil
import subprocess
import unittest

from wire import Host, ip, require_namespaces


def require_throttling():
    """Raises SkipTest where links can't be throttled."""
    require_namespaces()
    if shutil.which("tc") is None:
        raise unittest.SkipTest("throttled links need the command tc: install iproute2")


class SwitchedHost(Host):
    """A host with a link to a switch, which is a bridge in a namespace of its own."""

    def __init__(self, number, switch):
        self.switch = switch
        super().__init__(number)

    def make_device(self):
        ip("link", "add", self.device, "type", "veth", "peer", "name", f"{self.device}p", "netns", self.switch)
        ip("-n", self.switch, "link", "set", f"{self.device}p", "master", "bridge", "up")

    def throttle(self, megabits):
        """Limits what the link carries in both directions."""
        for namespace, device in ((self.name, self.device), (self.switch, f"{self.device}p")):
            subprocess.run(["tc", "-n", namespace, "qdisc", "replace", "dev", device, "root", "tbf", "rate", f"{megabits}mbit",
                            "burst", "64kb", "latency", "100ms"], check=True, capture_output=True, text=True)


class Switch:
    """Joins so many hosts until it is closed."""

    def __init__(self, host_count):
        require_throttling()
        self.name = f"gan-wire-{os.getpid()}-switch"
        ip("netns", "add", self.name)
        ip("-n", self.name, "link", "add", "bridge", "type", "bridge")
        ip("-n", self.name, "link", "set", "bridge", "up")
        self.hosts = [SwitchedHost(number, self.name) for number in range(host_count)]

    def close(self):
        for host in self.hosts:
            host.close()
        ip("netns", "del", self.name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
