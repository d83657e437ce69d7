"""What the scripts of `ganscale completion` offer, in each shell itself."""
import functools
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from programs import OPERATOR, WORKER  # noqa: E402

# zsh completes in an interactive shell alone: one in a pseudo-terminal, whose matches are printed instead of inserted.
ZSH_ASK = r"""
zmodload zsh/zpty
zpty shell zsh -f -i
expect() { zpty -r shell REPLY "*$1*" }
zpty -w shell 'PS1= ; stty -echo; autoload -Uz compinit; compinit -u -d {folder}/dump; source {folder}/script'
zpty -w shell 'compadd() {{ builtin compadd -A found "$@"; builtin compadd "$@"; print -l -- $found >> {folder}/found }}'
# Before the line editor has the terminal, the kernel would take ^U.
zpty -w shell 'bindkey "^I" complete-word; zle-line-init() {{ print READY''_NOW }}; zle -N zle-line-init'
expect READY_NOW
zpty -w -n shell '{line}'$'\t'
repeat 100; do grep -q '[^[:space:]]' {folder}/found && break; sleep 0.1; done
zpty -w -n shell $'\C-u'
zpty -w shell 'print DONE''_NOW'
expect DONE_NOW
"""


@functools.cache
def completion(program, shell):
    """Returns the script of a program for a shell, which takes the worker most of a second."""
    return subprocess.run([program, "completion", shell], check=True, stdout=subprocess.PIPE, text=True).stdout


class Completion(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def script(self, shell, program=WORKER):
        if not shutil.which(shell):
            self.skipTest(f"{shell} is missing")
        path = self.folder / "script"
        path.write_text(completion(program, shell))
        return path

    def output(self, *command):
        result = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                                timeout=60)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout.split("\n")[:-1]

    def in_bash(self, line, program=WORKER):
        script = self.script("bash", program)
        name, words = pathlib.Path(program).name, line.split(" ")
        return self.output("bash", "--norc", "-c", f"source {script}; COMP_WORDS=({' '.join(words)} {'' if words[-1] else chr(39) * 2}); "
                           f"COMP_CWORD={len(words) - 1}; _{name.replace('-', '_')}; printf '%s\\n' \"${{COMPREPLY[@]}}\"")

    def in_fish(self, line, program=WORKER):
        script = self.script("fish", program)
        return [match.split("\t")[0] for match in
                self.output("fish", "--no-config", "-c", f"source {script}; complete -C '{line}'")]

    def in_zsh(self, line, program=WORKER):
        self.script("zsh", program)
        found = self.folder / "found"
        found.write_text("")
        subprocess.run(["zsh", "-f", "-c", ZSH_ASK.replace("{{", "{").replace("}}", "}").replace("{folder}", str(self.folder))
                        .replace("{line}", line)], check=True, timeout=60, stdout=subprocess.DEVNULL)
        return list(dict.fromkeys(found.read_text().split()))

    def test_every_shell_completes_verbs_options_and_values(self):
        for ask in [self.in_bash, self.in_fish, self.in_zsh]:
            for line, expected in [("ganscale tr", ["train"]), ("ganscale data co", ["convert"]),
                                   ("ganscale data convert --res", ["--resolution"]),
                                   ("ganscale train --log-format j", ["json"]), ("ganscale completion f", ["fish"]),
                                   ("ganscale launch tr", ["train"]), ("ganscale launch train --log-format j", ["json"])]:
                with self.subTest(ask.__name__, line=line):
                    self.assertEqual(ask(line), expected)

    def test_every_verb_of_the_help_is_offered(self):
        helped = subprocess.run([WORKER, "--help"], check=True, stdout=subprocess.PIPE, text=True).stdout
        verbs = [line.split()[0] for line in helped.split("Subcommands:\n")[1].split("\n\n")[0].splitlines()]
        self.assertGreater(len(verbs), 8)
        for ask in [self.in_bash, self.in_fish]:
            with self.subTest(ask.__name__):
                self.assertLessEqual(set(verbs), set(ask("ganscale ")))

    def test_a_path_is_completed_by_files(self):
        (self.folder / "faces.yaml").write_text("")
        self.assertEqual(self.in_fish("ganscale train --config fac"), ["faces.yaml"])
        self.assertEqual(self.in_bash("ganscale train --config fac"), [""], "readline's own completion follows")

    def test_the_operator_is_completed_too(self):
        for ask in [self.in_bash, self.in_fish, self.in_zsh]:
            with self.subTest(ask.__name__):
                self.assertEqual(ask("ganscale-operator rend", OPERATOR), ["render"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
