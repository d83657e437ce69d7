"""Two hosts on one machine, network namespaces, and a wire between them that delays, loses or drops what it carries.

The kernels of many virtual machines lack netem, so the wire is a thread that passes frames between two TAP devices."""
import errno
import fcntl
import heapq
import itertools
import os
import random
import selectors
import shutil
import struct
import subprocess
import threading
import time
import unittest

TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
LONGEST_FRAME = 65536
SUBNET = "10.93.0.0/24"


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)


def require_namespaces():
    """Raises SkipTest where namespaces and TAP devices can't be made."""
    if os.geteuid() != 0:
        raise unittest.SkipTest("network namespaces need root")
    if shutil.which("ip") is None:
        raise unittest.SkipTest("network namespaces need the command ip: install iproute2")
    if not os.path.exists("/dev/net/tun"):
        raise unittest.SkipTest("TAP devices need /dev/net/tun")
    allowed = subprocess.run(["unshare", "--net", "--uts", "true"], check=False, capture_output=True, text=True)
    if allowed.returncode != 0:
        raise unittest.SkipTest(f"this machine allows no network namespaces: {allowed.stderr.strip()}")


def start_agent(folder, hosts):
    """Writes the program by which mpirun starts processes on these hosts, given by their addresses, and returns its path."""
    agent = folder / "agent"
    cases = "".join(f"{host.address}) shift; exec " + " ".join(f"'{word}'" for word in host.command("sh", "-c")) + ' "$*" ;;\n'
                    for host in hosts)
    agent.write_text(f'#!/bin/sh\ncase $1 in\n{cases}esac\n')
    agent.chmod(0o755)
    return agent


def parameters(agent):
    """Returns the parameters with which mpirun starts processes by an agent, and these exchange messages over the network."""
    return {"plm_rsh_agent": str(agent), "btl": "tcp,self", "oob_tcp_if_include": SUBNET, "btl_tcp_if_include": SUBNET}


def mpirun(agent, hosts):
    """Returns the command line of mpirun with a rank on each host, up to the program."""
    return ["mpirun", "--allow-run-as-root", "--host", ",".join(f"{host.address}:1" for host in hosts), "-n", str(len(hosts)),
            *(word for name, value in parameters(agent).items() for word in ("--mca", name, value))]


def mpirun_variables(agent):
    """Returns variables that say the same to an mpirun which another program starts."""
    return {f"OMPI_MCA_{name}": value for name, value in parameters(agent).items()}


class Host:
    """A network namespace with an address on a device that is made for it."""

    def __init__(self, number):
        self.name = f"gan-wire-{os.getpid()}-{number}"
        self.address = f"10.93.0.{number + 1}"
        self.device = f"gan{os.getpid()}-{number}"
        self.make_device()
        ip("netns", "add", self.name)
        ip("link", "set", self.device, "netns", self.name)
        ip("-n", self.name, "link", "set", "lo", "up")
        ip("-n", self.name, "addr", "add", f"{self.address}/24", "dev", self.device)
        ip("-n", self.name, "link", "set", self.device, "up")

    def command(self, *words):
        """Returns a command line that runs on this host, which has a name of its own."""
        return ["ip", "netns", "exec", self.name, "unshare", "--uts", "sh", "-c", f'hostname {self.name}; exec "$@"', "sh", *words]

    def close(self):
        ip("netns", "del", self.name)


class WiredHost(Host):
    """A host at an end of a wire."""

    def make_device(self):
        self.end = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        fcntl.ioctl(self.end, TUNSETIFF, struct.pack("16sH22x", self.device.encode(), IFF_TAP | IFF_NO_PI))

    def close(self):
        os.close(self.end)
        super().close()


class Wire:
    """Carries frames between two hosts until it is closed."""

    def __init__(self):
        require_namespaces()
        self.hosts = [WiredHost(0), WiredHost(1)]
        self.is_cut = False
        self.delay_seconds = 0.0
        self.loss = 0.0  # share of the frames
        self._random = random.Random(1)
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._carry)
        self._thread.start()

    def close(self):
        self._closing.set()
        self._thread.join()
        for host in self.hosts:
            host.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _carry(self):
        ends = [host.end for host in self.hosts]
        under_way = []  # (when it arrives, number, end, frame)
        numbers = itertools.count()
        with selectors.DefaultSelector() as selector:
            for end, other in (ends, reversed(ends)):
                selector.register(end, selectors.EVENT_READ, other)
            while not self._closing.is_set():
                wait = 0.05 if not under_way else max(0.0, min(0.05, under_way[0][0] - time.monotonic()))
                for key, _ in selector.select(wait):
                    frame = os.read(key.fd, LONGEST_FRAME)
                    if not self.is_cut and self._random.random() >= self.loss:
                        heapq.heappush(under_way, (time.monotonic() + self.delay_seconds, next(numbers), key.data, frame))
                while under_way and under_way[0][0] <= time.monotonic():
                    _, _, end, frame = heapq.heappop(under_way)
                    self._deliver(end, frame)

    @staticmethod
    def _deliver(end, frame):
        try:
            os.write(end, frame)
        except OSError as error:
            if error.errno not in (errno.EIO, errno.EAGAIN):  # the other end is down, or its queue is full
                raise
