#include "gan_training/spec/worker_schema.h"

#include <filesystem>

#include "gan_training/spec/built_in.h"
#include "object/yaml.h"
#include "support/expect_error.h"

namespace ganscale::controller::gan_training {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> faults(const std::string& config) {
  return WorkerSchema(built_in_worker_schema()).faults(Json::parse(config));
}

TEST(WorkerSchema, AcceptsEveryRunOfTheProject) {
  const WorkerSchema schema(built_in_worker_schema());
  int count = 0;
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(std::string(CONFIGS) + "/runs")) {
    if (!file.is_regular_file()) continue;
    EXPECT_THAT(schema.faults(read_yaml_file(file.path()).at(0)), IsEmpty()) << file.path();
    ++count;
  }
  EXPECT_GT(count, 20);
}

TEST(WorkerSchema, NamesTheKeyThatTheWorkerWouldRefuse) {
  EXPECT_THAT(faults(R"({"training": {"bach": 64}})"),
              ElementsAre(testing::AllOf(HasSubstr("config.training: "), HasSubstr("bach"))));
  EXPECT_THAT(faults(R"({"training": {"batch": "many"}})"),
              ElementsAre(HasSubstr("config.training.batch: ")));
  EXPECT_THAT(faults(R"({"model": {"name": "vae"}})"),
              ElementsAre(HasSubstr("config.model.name: ")));
  EXPECT_THAT(faults(R"({"generator": {"optimizer": {"nesterov": 3, "name": "sgd"}}})"),
              ElementsAre(HasSubstr("config.generator.optimizer.nesterov: ")));
}

TEST(WorkerSchema, SaysWhichKeyWasProbablyMeant) {
  EXPECT_THAT(faults(R"({"training": {"bathc": 64}})"),
              ElementsAre("config.training: unknown key: bathc (did you mean batch?)"));
  EXPECT_THAT(faults(R"({"trainin": {"batch": 64}})"),
              ElementsAre("config: unknown key: trainin (did you mean training?)"));
  EXPECT_THAT(faults(R"({"model": {"name": "stylegan2", "narrow_clamp": 256}})"),
              ElementsAre("config.model: unknown key: narrow_clamp (renamed to conv_clamp)"));
  EXPECT_THAT(faults(R"({"data": {"cache": {"size": 1}}})"),
              ElementsAre("config.data.cache: unknown key: size (known: folder, limit)"));
}

TEST(WorkerSchema, SaysWhatIsExpectedInPlaceOfAValue) {
  EXPECT_THAT(faults(R"({"training": {"batch": "many"}})"),
              ElementsAre("config.training.batch: expected an integer: \"many\""));
  EXPECT_THAT(faults(R"({"data": {"path": ["a"]}})"),
              ElementsAre("config.data.path: expected a text"));
  EXPECT_THAT(faults(R"({"checkpoint": {"on_error": "go"}})"),
              ElementsAre("config.checkpoint.on_error: expected one of [\"continue\",\"stop\"]: "
                          "\"go\""));
}

TEST(WorkerSchema, RefusesNumbersThatNoRunTakes) {
  EXPECT_THAT(faults(R"({"training": {"total_kimg": -1}})"),
              ElementsAre("config.training.total_kimg: expected a number above 0 and at most "
                          "1000000000000: -1"));
  EXPECT_THAT(faults(R"({"training": {"grid_rows": 65}})"),
              ElementsAre("config.training.grid_rows: expected an integer of at least 1 and at "
                          "most 64: 65"));
  EXPECT_THAT(faults(R"({"comm": {"timeout": 0}})"),
              ElementsAre("config.comm.timeout: expected a time such as 90s, 15m or 2h, of at "
                          "least 0.001 and at most 1000000000: 0"));
  EXPECT_THAT(faults(R"({"training": {"total_kimg": 0.5, "grid_rows": 64, "seed": 0}})"),
              IsEmpty());
}

TEST(WorkerSchema, RefusesTextsThatNoRunTakes) {
  EXPECT_THAT(faults(R"({"model": {"name": "stylegan2", "preset": "config-g"}})"),
              ElementsAre(testing::AllOf(HasSubstr("config.model.preset: expected one of ["),
                                         HasSubstr("\"config-f\""))));
  EXPECT_THAT(faults(R"({"data": {"prefetch": {"memory_limit": "4Gi"}}})"),
              ElementsAre("config.data.prefetch.memory_limit: expected a number of bytes such as "
                          "64KiB or 4GiB: \"4Gi\""));
  EXPECT_THAT(faults(R"({"evaluate": {"metrics": ["fid50k", "FID50k"]}})"),
              ElementsAre("config.evaluate.metrics.1: expected a metric such as fid50k: "
                          "\"FID50k\""));
  EXPECT_THAT(faults(R"({"model": {"name": "stylegan2", "preset": "config-f"}, "data": {"prefetch":
                         {"memory_limit": "4 GiB"}}, "budget": {"wall": "1.5h"}, "evaluate":
                         {"metrics": ["fid50k_full_by_label", "ppl2k_wend_crop", "dc50k5"]}})"),
              IsEmpty());
}

TEST(WorkerSchema, SurvivesTextsOfAnyLength) {
  for (const char repeated : {'1', ' ', 'x'}) {
    const std::string text(1'000'000, repeated);
    const Json config = {{"data", {{"prefetch", {{"memory_limit", "1" + text}}}}},
                         {"evaluate", {{"metrics", {"fid" + text}}}}};
    const auto found = WorkerSchema(built_in_worker_schema()).faults(config);
    EXPECT_EQ(found.size(), 2U) << repeated;
    for (const std::string& fault : found) EXPECT_LT(fault.size(), 1000U);
  }
}

TEST(WorkerSchema, NamesTheKnownKeysOfASection) {
  EXPECT_THAT(faults(R"({"generator": {"optimizer": {"lr": 0.1}}})"),
              ElementsAre(HasSubstr("unknown key: lr (known: batch_rule, ")));
}

TEST(WorkerSchema, TakesABooleanWhereAChoiceHasItsWord) {
  EXPECT_THAT(faults(R"({"discriminator": {"joined_batches": true}})"), IsEmpty());
  EXPECT_THAT(faults(R"({"discriminator": {"joined_batches": "auto"}})"), IsEmpty());
  EXPECT_THAT(faults(R"({"discriminator": {"joined_batches": 1}})"), testing::SizeIs(1));
}

TEST(WorkerSchema, HasTheResolutionsOfAModel) {
  const auto refuses_48 = ElementsAre(
      testing::AllOf(HasSubstr("config.model.resolution: "), testing::EndsWith(": 48")));
  EXPECT_THAT(faults(R"({"model": {"name": "dcgan", "resolution": 48}})"), refuses_48);
  EXPECT_THAT(faults(R"({"model": {"resolution": 48}})"), refuses_48);  // of the default
  EXPECT_THAT(faults(R"({"model": {"name": "dcgan", "resolution": 128}})"), IsEmpty());
  EXPECT_THAT(faults(R"({"model": {"resolution": 128}})"), IsEmpty());
  EXPECT_THAT(faults(R"({"model": {"name": "dcgan", "resolution": 8}})"), testing::SizeIs(1));
  EXPECT_THAT(faults(R"({"model": {"name": "stylegan2", "resolution": 8}})"), IsEmpty());
  EXPECT_THAT(faults(R"({"model": {"preset": "config-f", "resolution": 8}})"), IsEmpty());
}

TEST(WorkerSchema, NamesTheValuesThatAnotherKeyLeaves) {
  const auto expect_fault = [](const char* config, const char* fault) {
    EXPECT_THAT(faults(config), ElementsAre(fault));
  };
  expect_fault(R"({"model": {"name": "dcgan", "resolution": 200}})",
               "config.model.resolution: not allowed here, expected one of [32,64,128,256]: 200");
  expect_fault(R"({"model": {"resolution": 200}})",
               "config.model.resolution: not allowed here, expected one of [32,64,128,256]: 200");
  expect_fault(R"({"model": {"name": "stylegan3", "resolution": [16, 200]}})",
               "config.model.resolution.1: not allowed here, expected one of "
               "[16,32,64,128,256,512,1024]: 200");
  expect_fault(R"({"model": {"name": "biggan", "resolution": [32, 64]}})",
               "config.model.resolution: not allowed here, expected one of "
               "[32,64,128,256,512,1024]");
  EXPECT_THAT(
      faults(R"({"scheme": {"name": "per_label"}, "model": {"name": "conditional_dcgan"}})"),
      ElementsAre(testing::StartsWith(
          "config.model.name: not allowed here, expected one of [\"dcgan\",\"wgan\",")));
}

TEST(WorkerSchema, TakesAHeightAndAWidthIfTheModelDoes) {
  EXPECT_THAT(faults(R"({"model": {"name": "stylegan2", "resolution": [8, 32]}})"), IsEmpty());
  EXPECT_THAT(faults(R"({"model": {"resolution": [64, 32]}})"), IsEmpty());
  EXPECT_THAT(faults(R"({"model": {"name": "stylegan2", "resolution": [8, 48]}})"),
              testing::Not(IsEmpty()));
  EXPECT_THAT(faults(R"({"model": {"name": "biggan", "resolution": [32, 64]}})"),
              testing::Not(IsEmpty()));
  EXPECT_THAT(faults(R"({"model": {"name": "r3gan", "resolution": [32, 32, 32]}})"),
              testing::Not(IsEmpty()));
}

TEST(WorkerSchema, RefusesTextThatIsNotAJsonObject) {
  expect_error(ExitCode::kConfig, "not a JSON object", [] { WorkerSchema("[]"); });
}

}  // namespace
}  // namespace ganscale::controller::gan_training
