// The fixtures through the CUDA kernels, compiled for the host: operators call them in place of
// their references (tests/support/host_grid/kernel_path.cpp).
#include <ATen/record_function.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "parity/check_fixture.h"
#include "support/shared_files.h"
#include "support/temporary_folder.h"
#include "support/thorough.h"

namespace ganscale::parity {
namespace {

struct FixtureCase {
  std::string fixture;
  std::string precision;
  std::vector<std::string> kernels;  ///< of those that it takes
  std::string steps = "";            ///< how many of its training steps; all of them if empty
};

void PrintTo(const FixtureCase& one, std::ostream* out) {
  *out << one.fixture << " in " << one.precision;
}

/// The names of the kernels that were launched.
std::set<std::string>& launched() {
  static std::set<std::string> names;
  return names;
}

std::unique_ptr<at::ObserverContext> note_launch(const at::RecordFunction& call) {
  constexpr std::string_view kOurs = "ganscale::";
  const std::string_view name = call.name();
  if (name.starts_with(kOurs)) launched().emplace(name.substr(kOurs.size()));
  return nullptr;
}

/// Writes a fixture that has only the first training steps of another one, and not the weights
/// after all of them.
void shorten(const std::filesystem::path& file, const std::string& steps,
             const std::filesystem::path& shortened) {
  auto fixture = checkpoint::read_safetensors(file);
  fixture.metadata["steps"] = steps;
  std::erase_if(fixture.tensors, [](const auto& item) { return item.first.starts_with("final."); });
  checkpoint::write_safetensors(shortened, fixture.tensors, fixture.metadata);
}

class KernelsParity : public testing::TestWithParam<FixtureCase> {
 protected:
  KernelsParity() : noted_(at::addThreadLocalCallback(at::RecordFunctionCallback(note_launch))) {
    launched().clear();
  }
  ~KernelsParity() override { at::removeCallback(noted_); }

 private:
  at::CallbackHandle noted_;
};

TEST_P(KernelsParity, MatchesTheReferences) {
  const std::string name = "fixtures/" + GetParam().fixture + ".safetensors";
  auto file = shared_file(name);
  if (!file) GTEST_SKIP() << "no reference fixture: " << name;
  const TemporaryFolder folder;
  if (!GetParam().steps.empty()) {
    const auto shortened = folder / "shortened.safetensors";
    shorten(*file, GetParam().steps, shortened);
    file = shortened;
  }
  std::ostringstream out;
  EXPECT_TRUE(check_fixture(*file, out, arithmetics_of({GetParam().precision}, /*on_gpu=*/false)))
      << out.str();
  EXPECT_THAT(launched(), testing::IsSupersetOf(GetParam().kernels));
}

/// In low precision a trace is compared in its passes, before training.
std::vector<FixtureCase> cases() {
  const std::vector<std::string> of_operators = {"bias_act", "scale_channels", "upfirdn2d"};
  const std::vector<std::string> of_passes = {"bias_act", "minibatch_stddev", "scale_channels",
                                              "upfirdn2d"};
  const std::vector<std::string> of_steps = {"bias_act",         "dot_channels",
                                             "minibatch_stddev", "multi_tensor_adam",
                                             "scale_channels",   "upfirdn2d"};
  const std::vector<std::string> of_r3gan = {"bias_act", "multi_tensor_adam", "upfirdn2d"};
  std::vector<FixtureCase> all = {{"ada_augment", "fp64", {"upfirdn2d"}},
                                  {"ada_augment", "fp32", {"upfirdn2d"}}};
  for (const std::string precision : {"fp64", "fp32"}) {
    all.push_back({"stylegan3_ops", precision, of_operators});
    all.push_back({"r3gan_uncond_16", precision, of_r3gan});
    all.push_back({"r3gan_cond_32", precision, of_r3gan, thorough("", "2")});
    // Radial filters take the fibers a minute for all steps.
    if (!is_thorough() && precision == "fp64") continue;
    for (const std::string trace : {"stylegan3_t_cond_32", "stylegan3_r_uncond_32"})
      all.push_back({trace, precision, of_steps, thorough("", "1")});
  }
  for (const std::string precision : {"fp64", "fp32", "bf16"}) {
    all.push_back({"stylegan2_ops", precision, of_operators});
    for (const std::string trace : {"stylegan2_cond_16", "stylegan2_uncond_32"}) {
      all.push_back({trace, precision, precision == "bf16" ? of_passes : of_steps});
      all.back().kernels.push_back("color_products");
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Fixtures, KernelsParity, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<FixtureCase>& info) {
                           return info.param.fixture + "_" + info.param.precision;
                         });

}  // namespace
}  // namespace ganscale::parity
