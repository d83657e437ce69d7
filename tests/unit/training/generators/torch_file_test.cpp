#include "training/generators/torch_file.h"

#include <ATen/Functions.h>

#include <optional>

#include "support/expect_error.h"
#include "support/run_program.h"
#include "support/temporary_folder.h"

namespace ganscale::training {
namespace {

/// Files that torch.save() in Python wrote, once for all cases.
class TorchFileTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_.emplace();
    written_ = run_program("python3 " SCRIPT " " + folder_->path().string());
  }
  static void TearDownTestSuite() { folder_.reset(); }

  void SetUp() override {
    if (written_.exit_code == 77) GTEST_SKIP() << "python3 on the PATH has no torch";
    ASSERT_EQ(written_.exit_code, 0) << written_.output;
  }

  static TorchFile read(const std::string& name) { return read_torch_file(*folder_ / name); }

  inline static std::optional<TemporaryFolder> folder_;
  inline static ProgramResult written_;
};

TEST_F(TorchFileTest, HasEachDtype) {
  const std::map<std::string, at::ScalarType> dtypes{
      {"float64", at::kDouble},    {"float32", at::kFloat}, {"float16", at::kHalf},
      {"bfloat16", at::kBFloat16}, {"int64", at::kLong},    {"int32", at::kInt},
      {"int16", at::kShort},       {"int8", at::kChar},     {"uint8", at::kByte},
      {"bool", at::kBool}};
  const TorchFile file = read("dtypes.pt");
  EXPECT_EQ(file.tensors.size(), dtypes.size());
  for (const auto& [name, dtype] : dtypes) {
    const at::Tensor& tensor = file.tensors.at("torch." + name);
    EXPECT_EQ(tensor.scalar_type(), dtype) << name;
    EXPECT_TRUE(tensor.equal(at::arange(6).view({2, 3}).to(dtype))) << name;
  }
}

TEST_F(TorchFileTest, HasViewsOfSharedStorages) {
  const TorchFile file = read("views.pt");
  const at::Tensor numbers = at::arange(12, at::kFloat).view({3, 4});
  const NamedTensors expected{{"whole", numbers},
                              {"transposed", numbers.t()},
                              {"part", at::tensor({4.F, 6.F, 8.F, 10.F}).view({2, 2})},
                              {"expanded", at::ones({3, 4})},
                              {"scalar", at::scalar_tensor(0.1, at::kDouble)},
                              {"empty", at::zeros({0, 4})},
                              {"parameter", numbers.select(0, 2)}};
  ASSERT_EQ(file.tensors.size(), expected.size());
  for (const auto& [name, tensor] : expected)
    EXPECT_TRUE(file.tensors.at(name).equal(tensor)) << name;
  EXPECT_TRUE(file.tensors.at("whole").is_alias_of(file.tensors.at("part")));
}

TEST_F(TorchFileTest, NamesTensorsOfNetworksByTheirPathsAndListsOtherValues) {
  const TorchFile file = read("networks.pt");
  EXPECT_TRUE(file.tensors.at("G.0.weight").equal(at::arange(12, at::kFloat).view({3, 4})));
  EXPECT_EQ(file.tensors.at("G.1.num_batches_tracked").scalar_type(), at::kLong);
  EXPECT_EQ(file.tensors.size(), 7);
  EXPECT_EQ(file.others,
            (std::vector<std::string>{"steps", "loss", "name", "nothing", "flags.0", "flags.1"}));
}

TEST_F(TorchFileTest, WithAFunctionIsRefusedAndRunsNothing) {
  expect_error(ExitCode::kData, "call.pt: the file names posix.system, which is neither a tensor",
               [] { read("call.pt"); });
  EXPECT_FALSE(std::filesystem::exists(*folder_ / "was-run"));
}

TEST_F(TorchFileTest, SaysWhyItIsRefused) {
  const std::map<std::string, std::string> reasons{
      {"module.pt", "the file names torch.nn.modules.container.Sequential"},
      {"torchscript.pt", "the file names __torch__."},
      {"legacy.pt", "not a zip archive, as torch.save() writes since PyTorch 1.6"},
      {"protocol4.pt", "not a pickle of protocol 2, which torch.save() writes by default"},
      {"truncated.pt", "zip file is truncated"},
      {"flipped.pt", "good/data/0: checksum of the file is wrong"},
      {"short_storage.pt", "a storage of 12 elements has 40 bytes: data/0"},
      {"long_storage.pt", "a storage of 12 elements has 52 bytes: data/0"},
      {"claims_more.pt", "a storage of 13 elements has 48 bytes: data/0"},
      {"large_tensor.pt", "a tensor is larger than its storage"},
      {"no_storage.pt", "a storage is missing: data/0"},
      {"no_pickle.pt", "a zip file without data.pkl"},
      {"big_endian.pt", "the file is big endian"},
      {"compressed.pt", "compressed, as torch.save() compresses no file: good/"},
      {"missing.pt", "missing.pt"}};
  for (const auto& [name, reason] : reasons) {
    SCOPED_TRACE(name);
    expect_error(ExitCode::kData, reason, [&name = name] { read(name); });
  }
}

TEST(IsTorchFile, LooksAtNameAndContent) {
  const TemporaryFolder folder;
  EXPECT_TRUE(is_torch_file(folder.write("weights.bin", "PK\3\4and more")));
  EXPECT_TRUE(is_torch_file(folder.write("weights.pt", "")));
  EXPECT_TRUE(is_torch_file(folder.write("weights.pth", "pickle")));
  EXPECT_FALSE(is_torch_file(folder.write("weights.pkl", "pickle")));
  EXPECT_FALSE(is_torch_file(folder.write("weights.safetensors", "")));
}

}  // namespace
}  // namespace ganscale::training
