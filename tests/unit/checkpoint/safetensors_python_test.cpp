#include <ATen/Functions.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>

#include "checkpoint/safetensors.h"
#include "support/temporary_folder.h"

namespace ganscale::checkpoint {
namespace {

/// The tensors of safetensors_python_test.py.
NamedTensors expected() {
  NamedTensors tensors;
  const std::map<std::string, at::ScalarType> dtypes{
      {"float64", at::kDouble},    {"float32", at::kFloat}, {"float16", at::kHalf},
      {"bfloat16", at::kBFloat16}, {"int64", at::kLong},    {"int32", at::kInt},
      {"int16", at::kShort},       {"int8", at::kChar},     {"uint8", at::kByte},
      {"bool", at::kBool}};
  for (const auto& [name, dtype] : dtypes) {
    tensors.emplace("torch." + name, at::arange(6).view({2, 3}).to(dtype));
  }
  tensors.emplace("scalar", at::scalar_tensor(0.1, at::kDouble));
  tensors.emplace("empty", at::zeros({0, 4}));
  tensors.emplace("größe", at::tensor({1.5F}));
  return tensors;
}

TEST(SafetensorsPython, ReadsOurFilesAndWritesOnesThatWeRead) {
  const TemporaryFolder folder;
  const auto ours = folder / "ours.safetensors";
  const auto theirs = folder / "theirs.safetensors";
  write_safetensors(ours, expected(), {{"made by", "ganscale"}});
  const auto command = "python3 " SCRIPT " " + ours.string() + " " + theirs.string();
  const int status = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) {
    GTEST_SKIP() << "python3 on the PATH has no torch, numpy or safetensors";
  }
  ASSERT_EQ(WEXITSTATUS(status), 0);

  const auto read = read_safetensors(theirs);
  EXPECT_EQ(read.metadata, (Metadata{{"a", "1"}, {"b", "2"}}));
  ASSERT_EQ(read.tensors.size(), expected().size());
  for (const auto& [name, tensor] : expected()) {
    EXPECT_EQ(read.tensors.at(name).scalar_type(), tensor.scalar_type()) << name;
    EXPECT_TRUE(read.tensors.at(name).equal(tensor)) << name;
  }
}

}  // namespace
}  // namespace ganscale::checkpoint
