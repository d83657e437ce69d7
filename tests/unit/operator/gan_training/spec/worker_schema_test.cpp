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
