"""Every command block of the documentation is marked, and those marked check name only programs, options, files and
configuration keys that exist."""
import functools
import pathlib
import re
import shlex
import subprocess
import sys
import unittest

from blocks import DOCUMENTS, MODES, PROJECT, blocks

sys.path[:0] = [str(PROJECT / "tests" / folder) for folder in ("cluster", "support")]
from build_tools import build_tools  # noqa: E402
from programs import OPERATOR, WORKER  # noqa: E402

TOOLS = build_tools("helm", "kubectl")
OUR_PROGRAMS = {"ganscale": WORKER, "ganscale-operator": OPERATOR,
                "feature_net": str(pathlib.Path(WORKER).parent / "feature_net")}
OTHERS = {"cd", "cmake", "curl", "docker", "export", "ffmpeg", "kill", "python3", "sed"}  # only the files that they are given are looked for
IN_THE_TREE = ("benchmarks/", "configs/", "docker/", "docs/", "helm/", "operator-manifests/", "scripts/")
BUILT = "build/release/bin/"  # a benchmark that is a program
VARIABLES = {"REGISTRY": "registry.example"}  # that the documentation tells its readers to set


class Mistake(Exception):
    """What a command names and does not exist."""


def simple_commands(text):
    """Returns the words of each command of a line: what pipes, && and ; join is apart, comments are gone."""
    text = text.replace("\\\n", " ")
    for name, value in VARIABLES.items():
        text = text.replace(f"${name}", value)
    lexer = shlex.shlex(text, posix=True, punctuation_chars="|&;")
    lexer.whitespace_split = True
    found = [[]]
    for word in lexer:
        if set(word) <= set("|&;"):
            found.append([])
        else:
            found[-1].append(word)
    return found


@functools.cache
def output(*command):
    """Returns what a command prints. Raises Mistake if it fails."""
    result = subprocess.run(command, cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if result.returncode != 0:
        raise Mistake(f"{' '.join(command)}: exit code {result.returncode}: {result.stderr[-1000:]}")
    return result.stdout


def check_options(words, manual):
    """Raises Mistake for an option that a program's help does not have."""
    known = set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", manual))
    for word in words:
        option = word.partition("=")[0]
        if re.match(r"--?[a-zA-Z]", option) and option not in known:
            raise Mistake(f"there is no option {option}")


def check_ours(words):
    program, rest = OUR_PROGRAMS[words[0]], words[1:]
    verbs, manual = [], output(program, "--help")
    while "\nSubcommands:" in manual:
        if not re.search(rf"^  {re.escape(rest[0])} ", manual.partition("\nSubcommands:")[2], re.M):
            raise Mistake(f"{' '.join([words[0], *verbs])} has no verb {rest[0]}")
        verbs.append(rest.pop(0))
        manual = output(program, *verbs, "--help")
    if verbs == ["launch"]:
        started = next(i for i, word in enumerate(rest) if word in ("train", "evaluate", "bench", "preflight"))
        rest, command = rest[:started], rest[started:]
        check_ours([words[0], *command])
    check_options(rest, manual)
    if verbs == ["train"]:
        output(program, "train", *rest, "--print-config")


def check_mpirun(words):
    ours = next((i for i, word in enumerate(words) if word in OUR_PROGRAMS or word.startswith(BUILT)), None)
    if ours is None:
        raise Mistake("mpirun starts no program of ours")
    check(words[ours:])


def check_helm(words):
    check_options(words[2:], output(str(TOOLS / "helm"), words[1], "--help"))
    if words[1] == "install":
        rendered = output(str(TOOLS / "helm"), "template", *words[2:])
        if re.search(r"^  nodeProfile: (?!cpu$)", rendered, re.M) and not re.search(r"^  image: .*-cuda$", rendered, re.M):
            raise Mistake("the nodes have GPUs, and the image is one for CPUs: image.tag=VERSION-cuda")


def check_kubectl(words):
    ours, inside = words[1:], []
    if "--" in ours:
        ours, inside = ours[:ours.index("--")], ours[ours.index("--") + 1:]
    if ours[0] == "-n":
        ours = ours[2:]
    check_options(ours[1:], output(str(TOOLS / "kubectl"), ours[0], "--help") + output(str(TOOLS / "kubectl"), "options"))
    if ours[0] == "kustomize":
        output(str(TOOLS / "kubectl"), *ours)
    if inside:
        check(inside)


def check_make(words):
    output("make", "--dry-run", *words[1:])


CHECKS = {**dict.fromkeys(OUR_PROGRAMS, check_ours), "mpirun": check_mpirun, "helm": check_helm, "kubectl": check_kubectl,
          "make": check_make}


def check(words):
    """Raises Mistake for a command that can't be right."""
    while words and re.match(r"[A-Z_]+=", words[0]):  # variables of the environment
        words = words[1:]
    for word in words:
        if word.startswith(IN_THE_TREE) and not (PROJECT / word).exists():
            raise Mistake(f"there is no {word}")
    if words[0] in CHECKS:
        CHECKS[words[0]](words)
    elif words[0] not in OTHERS and not words[0].startswith((*IN_THE_TREE, BUILT)):
        raise Mistake(f"nobody knows the program {words[0]}")


class Documentation(unittest.TestCase):
    def test_every_command_block_is_marked(self):
        for path in DOCUMENTS:
            for block in blocks(path):
                with self.subTest(str(block)):
                    self.assertIn(block.info, [f"console {mode}" for mode in MODES])

    def test_what_is_marked_check_exists(self):
        for path in DOCUMENTS:
            for block in blocks(path):
                for command in block.commands() if block.mode == "check" else []:
                    with self.subTest(str(block), command=command):
                        for words in simple_commands(command):
                            check(words)

    def test_each_field_of_a_tick_line_is_explained(self):
        fields = re.findall(r'"(?:\{\} )?(\w+) (?:" \+|\{:\.0f\})', (PROJECT / "worker/report/log/tick_line.cpp").read_text())
        self.assertLessEqual({"waits", "gpumem"}, set(fields))
        monitoring = (PROJECT / "docs/operations.md").read_text().partition("\n## Monitoring and control\n")[2].partition("\n## ")[0]
        for field in fields:
            with self.subTest(field):
                self.assertRegex(monitoring, rf"\| .*`.*\b{field}\b.*` .*\|")

    def test_the_tutorial_of_one_machine_starts_only_what_its_first_step_brings(self):
        installed = {*(PROJECT / "scripts/apt-packages.txt").read_text().split(), *OUR_PROGRAMS, "make", "export"}
        for block in blocks(PROJECT / "docs/tutorial-one-machine.md"):
            for command in block.commands():
                for words in simple_commands(command):
                    with self.subTest(str(block), command=command):
                        self.assertIn(words[0], installed)


class Mistakes(unittest.TestCase):
    def test_are_found(self):
        for command, words in [
                ("gnascale train", "nobody knows the program gnascale"),
                ("ganscale trane", "ganscale has no verb trane"),
                ("ganscale data inspect x --shet y", "there is no option --shet"),
                ("ganscale train --config configs/runs/faces.yaml", "there is no configs/runs/faces.yaml"),
                ("mpirun -n 2 ganscale train --set training.total_king=1", "total_king"),
                ("make dmeo", "dmeo"),
                ("OMP_NUM_THREADS=1 ganscale trane", "ganscale has no verb trane"),
                ("curl -s example.org && scripts/convert.py", "there is no scripts/convert.py"),
                ("helm install x helm/ganscale-training --set config=mnist-dcgan", "image.repository is empty"),
                ("helm install x helm/ganscale-training --set config=mnist-dcgan --set image.repository=x", "image is one for CPUs"),
                ("helm instal x helm/ganscale-training", "instal"),
                ("sed 's/a/b/' README.md | kubectl aply -f -", "aply"),
                ("kubectl -n research exec shell -- ganscale data --all", "ganscale data has no verb --all"),
                ("kubectl get pods --wach", "there is no option --wach")]:
            with self.subTest(command), self.assertRaisesRegex(Mistake, re.escape(words)):
                for each in simple_commands(command):
                    check(each)


if __name__ == "__main__":
    unittest.main(verbosity=2)
