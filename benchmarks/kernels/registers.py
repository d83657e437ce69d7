#!/usr/bin/env python3
"""Prints what the CUDA kernels of a StyleGAN2 step take of a multiprocessor: the table of docs/performance.md.

    benchmarks/kernels/registers.py [--build build/cuda] [--jobs 2]

Compiles every kernel.cu as that build does, and reads what ptxas says. A cell has the registers of a thread and how many threads
a multiprocessor holds, of 2,048, in blocks of 256. Needs no GPU. Exit code 1 where any kernel, also one that the table leaves
out, spills or has a stack; 77 where there is no such build.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass

PROJECT = pathlib.Path(__file__).resolve().parents[2]
CANNOT = 77

THREADS_OF_BLOCK = 256
MOST_THREADS = 2048
SHARED_BYTES = {"sm_80": 164 * 1024, "sm_90": 228 * 1024}  # of a multiprocessor; a block takes 1 KiB more than it asks for
REGISTERS_OF_PART = 16384  # a multiprocessor has four parts; a warp takes multiples of 256 registers

STORED = {"bf16": "__nv_bfloat16", "float": "float"}  # the type in memory
VECTOR = {"bf16": 8, "float": 4}  # elements of 16 bytes
# Of each row what it is called, the folder of the kernel, and how its name begins: for both types, or for some.
ROWS = [
    ("upfirdn2d, size kept, channels last", "upfirdn2d", "by_staged_strip<1, 1, {vector}, {stored}, float>"),
    ("upfirdn2d, doubled, channels last", "upfirdn2d", "by_staged_strip<2, 1, {vector}, {stored}, float>"),
    ("upfirdn2d, halved, channels last", "upfirdn2d", "by_staged_strip<1, 2, {vector}, {stored}, float>"),
    ("upfirdn2d, size kept, planes", "upfirdn2d", "by_strip<1, 1, {stored}, float>"),
    ("upfirdn2d, doubled, planes", "upfirdn2d", "by_strip<2, 1, {stored}, float>"),
    ("upfirdn2d, halved, planes", "upfirdn2d", "by_strip<1, 2, {stored}, float>"),
    ("bias_act of leaky ReLU", "bias_act", "fill<{stored}, float, (Activation)2, (BiasActOrder)0, (Beside)0>"),
    ("the same with an addend", "bias_act", "fill<{stored}, float, (Activation)2, (BiasActOrder)0, (Beside)1>"),
    ("its derivative", "bias_act", "fill<{stored}, float, (Activation)2, (BiasActOrder)1, (Beside)0>"),
    ("its derivative with sums", "bias_act", "fill<{stored}, float, (Activation)2, (BiasActOrder)1, (Beside)2>"),
    ("the same from the input", "bias_act", "fill<{stored}, float, (Activation)2, (BiasActOrder)2, (Beside)2>"),
    ("scale_channels", "modulated_conv", "scale<{stored}, float>"),
    ("dot_channels", "modulated_conv", "dot<{stored}, float>"),
    ("row_sums", "row_sums", "fill<{stored}, float>"),
    ("styled_activation, channels last", "styled_activation",
     "fill<FormOf<{stored}, float, {vector}, true>>(StyledActivationArrays"),
    ("its gradients", "styled_activation", "fill<FormOf<{stored}, float, {vector}, true>>(StyledGradientArrays"),
    ("its second gradients", "styled_activation",
     "fill<FormOf<{stored}, float, {vector}, true>>(StyledSecondGradientArrays"),
    ("sums of its blocks", "styled_activation", {"float": "add_rows<float>"}),
    ("output_skip", "output_skip", "fill<{stored}, float>(OutputSkipArrays"),
    ("its gradients", "output_skip", "fill<{stored}, float>(OutputSkipGradientArrays"),
    ("color_products: colors", "color_products", "fill<ColorForm<{stored}, float, {vector}, 3>>(ColorsArrays"),
    ("color_products: features", "color_products", "fill<ColorForm<{stored}, float, {vector}, 3>>(FeaturesArrays"),
    ("color_products: gradients of weights", "color_products",
     "fill<ColorForm<{stored}, float, {vector}, 3>>(ColorWeightsArrays"),
    ("minibatch_stddev", "minibatch_stddev", "fill<{stored}, float>"),
    ("scaled_copies, to and from bf16", "scaled_copies", {"bf16": "copy<float, __nv_bfloat16>",
                                                          "float": "copy<__nv_bfloat16, float>"}),
    ("grouped_products", "grouped_products", {"float": "multiply<float>"}),
    ("weight_energies", "weight_energies", {"float": "fill<float>"}),
    ("multi_tensor_adam", "multi_tensor_adam", {"float": "update<float>"}),
    ("nonfinite", "nonfinite", {"float": "look_through<float>"}),
]


@dataclass(frozen=True)
class Kernel:
    name: str  # demangled, without namespaces
    architecture: str
    registers: int
    shared_bytes: int
    stack_bytes: int
    spill_bytes: int


COMPILED = re.compile(r"Compiling entry function '(.*)' for '(\w+)'\n"
                      r".*\n\s*(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads\n"
                      r".*Used (\d+) registers(.*)")


def kernels_of(output):
    """Returns the kernels that ptxas reports, in its demangled output."""
    kernels = []
    for name, architecture, stack, stores, loads, registers, rest in COMPILED.findall(output):
        shared = re.search(r"(\d+) bytes smem", rest)
        without_namespaces = re.sub(r"(\w+|\(anonymous namespace\))::", "", name).removeprefix("void ")
        kernels.append(Kernel(without_namespaces.replace("> >", ">>"), architecture, int(registers),
                              int(shared[1]) if shared else 0, int(stack), int(stores) + int(loads)))
    return kernels


def resident_threads(kernel):
    """Returns how many threads of a kernel a multiprocessor holds."""
    warps_of_part = REGISTERS_OF_PART // (-(-kernel.registers * 32 // 256) * 256)
    blocks = min(MOST_THREADS // THREADS_OF_BLOCK, 4 * warps_of_part * 32 // THREADS_OF_BLOCK,
                 SHARED_BYTES[kernel.architecture] // (kernel.shared_bytes + 1024))
    return blocks * THREADS_OF_BLOCK


def kernel_of(row, architecture, stored, kernels):
    """Returns the kernel of a row for this architecture and type, or nothing where the row has none. Throws: ValueError unless
    exactly one is called so."""
    _, folder, pattern = row
    if isinstance(pattern, dict):
        name = pattern.get(stored)
    else:
        name = pattern.format(stored=STORED[stored], vector=VECTOR[stored])
    if name is None:
        return None
    found = [one for one in kernels[folder] if one.architecture == architecture and one.name.startswith(name)]
    if len(found) != 1:
        raise ValueError(f"{len(found)} kernels of {folder} are called {name}")
    return found[0]


def table(kernels):
    """Returns the table as Markdown, of {folder: its kernels}. Throws: ValueError for a row without a kernel."""
    columns = [(architecture, stored) for architecture in SHARED_BYTES for stored in STORED]
    lines = ["| kernel | " + " | ".join(f"{architecture}, {stored}" for architecture, stored in columns) + " | shared bytes |",
             "|---|" + "---|" * (len(columns) + 1)]
    for row in ROWS:
        found = [kernel_of(row, *column, kernels) for column in columns]
        cells = [f"{one.registers}, {resident_threads(one)}" if one else "" for one in found]
        lines.append(f"| {row[0]} | {' | '.join(cells)} | {max(one.shared_bytes for one in found if one)} |")
    return "\n".join(lines)


def compile_commands(build):
    """Returns {folder: the command that compiles its kernel.cu in this build, without an output}."""
    ninja = subprocess.run(["ninja", "-C", build, "-t", "commands", "ganscale"], stdout=subprocess.PIPE, text=True, check=True)
    commands = {}
    for line in ninja.stdout.splitlines():
        words = shlex.split(line)
        source = next((word for word in words if word.endswith("/kernel.cu")), None)
        if source and "-MD" in words:
            flags = words[:words.index("-MD")]
            commands[pathlib.Path(source).parent.name] = [*flags, "-Xptxas", "-v", "-x", "cu", "-c", source]
    return commands


def compile_kernels(build, command):
    with tempfile.TemporaryDirectory() as folder:
        told = subprocess.run([*command, "-o", f"{folder}/kernel.o"], cwd=build, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
    if told.returncode != 0:
        raise ValueError(f"{shlex.join(command)} failed:\n{told.stdout}")
    demangled = subprocess.run(["c++filt"], input=told.stdout, stdout=subprocess.PIPE, text=True, check=True)
    return kernels_of(demangled.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=PROJECT / "build/cuda", help="a configured build with GANSCALE_CUDA")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="files compiled at a time")
    arguments = parser.parse_args()
    if not (arguments.build / "build.ninja").exists():
        print(f"not compiled: {arguments.build} is no build; scripts/build.sh cuda ganscale makes it")
        return CANNOT
    commands = compile_commands(arguments.build)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        compiled = pool.map(lambda command: compile_kernels(arguments.build, command), commands.values())
        kernels = dict(zip(commands, compiled))
    print(table(kernels))
    count = sum(len(some) for some in kernels.values())
    wrong = [(folder, one) for folder, some in kernels.items() for one in some if one.stack_bytes or one.spill_bytes]
    for folder, one in wrong:
        print(f"{folder}: {one.name} for {one.architecture}: {one.stack_bytes} bytes of stack, {one.spill_bytes} of spills")
    print(f"{count} kernels, {len(wrong)} of them with a stack or spills")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
