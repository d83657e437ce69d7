#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/run_program.h"

namespace ganscale {
namespace {

// As if mpirun had started it.
TEST(MpiThreads, AreMissedWithAnError) {
  const auto result =
      run_program("OMPI_COMM_WORLD_SIZE=1 LD_PRELOAD=" PRELOADED " " PROGRAM " --version");
  EXPECT_EQ(result.exit_code, 78) << result.output;
  EXPECT_THAT(result.output,
              testing::HasSubstr("ganscale: error: this MPI does not support MPI_THREAD_MULTIPLE"));
}

}  // namespace
}  // namespace ganscale
