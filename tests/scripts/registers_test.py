"""What benchmarks/kernels/registers.py reads from the compiler."""
import pathlib
import sys
import unittest

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(PROJECT / "benchmarks/kernels"))
import registers  # noqa: E402

TOLD = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'void ganscale::kernels::(anonymous namespace)::fill<ganscale::kernels::(anonymous \
namespace)::FormOf<__nv_bfloat16, float, 8, true> >(ganscale::kernels::StyledGradientArrays)' for 'sm_90'
ptxas info    : Function properties for void ganscale::kernels::fill
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 96 registers, used 1 barriers, 9216 bytes smem, 392 bytes cmem[0]
ptxas info    : Compile time = 45.839 ms
ptxas info    : Compiling entry function 'void ganscale::kernels::fill<float, (ganscale::kernels::Order)1>(float*)' for 'sm_80'
ptxas info    : Function properties for void ganscale::kernels::fill<float, (ganscale::kernels::Order)1>(float*)
    24 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 255 registers, used 0 barriers, 24 bytes cumulative stack size, 392 bytes cmem[0]
""".replace("\\\n", "")


def kernel(count, shared_bytes=0, name="fill", architecture="sm_80"):
    return registers.Kernel(name, architecture, count, shared_bytes, stack_bytes=0, spill_bytes=0)


class KernelsOf(unittest.TestCase):
    def test_reads_registers_memory_and_spills(self):
        styled, other = registers.kernels_of(TOLD)
        self.assertEqual(styled, kernel(96, 9216, "fill<FormOf<__nv_bfloat16, float, 8, true>>(StyledGradientArrays)", "sm_90"))
        self.assertEqual(other, registers.Kernel("fill<float, (Order)1>(float*)", "sm_80", 255, 0, 24, 20))


class ResidentThreads(unittest.TestCase):
    # 65,536 registers in four parts, of which a warp takes multiples of 256; NVIDIA's occupancy calculator says the same.
    def test_follow_from_registers(self):
        of_registers = {32: 2048, 33: 1536, 40: 1536, 64: 1024, 80: 768, 81: 512, 128: 512, 129: 256}
        for count, threads in of_registers.items():
            self.assertEqual(registers.resident_threads(kernel(count)), threads, count)

    def test_follow_from_shared_memory(self):
        self.assertEqual(registers.resident_threads(kernel(32, shared_bytes=40 * 1024)), 4 * 256)
        self.assertEqual(registers.resident_threads(kernel(32, shared_bytes=40 * 1024, architecture="sm_90")), 5 * 256)


class Table(unittest.TestCase):
    def test_names_a_row_whose_kernel_is_gone(self):
        with self.assertRaisesRegex(ValueError, "0 kernels of upfirdn2d are called by_staged_strip<1, 1, 8, __nv_bfloat16, float>"):
            registers.table({"upfirdn2d": []})


if __name__ == "__main__":
    unittest.main()
