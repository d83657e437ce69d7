#include "api/gan_training.h"

#include "support/expect_error.h"

namespace ganscale::controller {
namespace {

Json spec(const std::string& changes = "{}") {
  Json spec = {{"image", "x"}, {"nodeProfile", "cpu"}};
  spec.merge_patch(Json::parse(changes));
  return spec;
}

TEST(GanTraining, HasDefaults) {
  const TrainingSpec s = parse_spec(spec());
  EXPECT_EQ(s.nodes, 1);
  EXPECT_EQ(s.restart.max_restarts, 20);
  EXPECT_EQ(s.storage.path, "/runs");
  EXPECT_FALSE(s.suspend);
  EXPECT_FALSE(s.purge);
}

TEST(GanTraining, LetsFieldsOfANewerVersionPass) {
  EXPECT_NO_THROW(parse_spec(spec(R"({"elastic": {"min": 2}})")));
}

TEST(GanTraining, NamesThePathOfAWrongField) {
  const auto refuses = [](const std::string& changes, const std::string& text) {
    expect_error(ExitCode::kConfig, text, [&] { parse_spec(spec(changes)); });
  };
  refuses(R"({"nodes": "many"})", "spec.nodes: expected a whole number: \"many\"");
  refuses(R"({"nodes": 0})", "spec.nodes: must be 1 to 4096");
  refuses(R"({"config": []})", "spec.config: expected an object");
  refuses(R"({"restartPolicy": {"maxRestarts": -1}})", "spec.restartPolicy.maxRestarts");
  refuses(R"({"data": {"claimName": 3.5, "path": true}})", "spec.data.path: expected a text: true");
  refuses(R"({"node": {"gpuz": 1}, "nodeProfile": null})", "spec.node.gpuz: unknown field");
  refuses(R"({"node": {}})", "give either nodeProfile or node");
  refuses(R"({"image": null})", "spec.image: names no image");
  refuses(R"({"deletePolicy": "Burn"})", "must be Keep or Purge");
}

TEST(GanTraining, KnowsItsIdentityAndItsEnd) {
  const GanTraining t = parse_training(Json::parse(R"({"metadata": {"name": "a", "namespace": "n",
      "uid": "u", "generation": 3, "resourceVersion": "7", "deletionTimestamp": "2026-01-01T00:00:00Z",
      "finalizers": ["other", "ganscale.dev/checkpoint"]}, "spec": {"nodes": 2}})"));
  EXPECT_EQ(t.key.text(), "n/a");
  EXPECT_EQ(t.generation, 3);
  EXPECT_TRUE(t.deleted);
  EXPECT_TRUE(t.has_finalizer());
  EXPECT_EQ(t.status, Json::object());
}

}  // namespace
}  // namespace ganscale::controller
