#include "gan_training/spec/gan_training.h"

#include <gtest/gtest.h>

namespace ganscale::controller::gan_training {
namespace {

TEST(GanTraining, HasAnIdentityAndAnEnd) {
  const GanTraining t = parse_training(Json::parse(R"({"metadata": {"name": "a", "namespace": "n",
      "uid": "u", "generation": 3, "resourceVersion": "7", "deletionTimestamp": "2026-01-01T00:00:00Z",
      "finalizers": ["other", "ganscale.dev/checkpoint"]}, "spec": {"nodes": 2}})"));
  EXPECT_EQ(t.key.text(), "n/a");
  EXPECT_EQ(t.generation, 3);
  EXPECT_TRUE(t.deleted);
  EXPECT_TRUE(t.has_finalizer());
  EXPECT_EQ(t.status, Json::object());
}

TEST(GanTraining, HasTheLabelsThatItsQueueReads) {
  const GanTraining t = parse_training(Json::parse(R"({"metadata": {"name": "a", "labels": {
      "team": "x", "kueue.x-k8s.io/priority-class": "high",
      "kueue.x-k8s.io/queue-name": "that of spec.queueName counts"}}})"));
  EXPECT_EQ(t.queue_labels,
            (std::map<std::string, std::string>{{"kueue.x-k8s.io/priority-class", "high"}}));
}

TEST(GanTraining, IsReadWhateverItsSpecAndStatusAre) {
  for (const char* odd : {"3", "[]", "null", "\"x\""}) {
    const std::string text = R"({"metadata": {"name": "a"}, "spec": )" + std::string(odd) +
                             R"(, "status": )" + std::string(odd) + "}";
    EXPECT_EQ(parse_training(Json::parse(text)).key.name, "a") << text;
  }
}

TEST(GanTraining, IsReferredToByItsKindAndUid) {
  const ObjectReference reference =
      parse_training(Json::parse(R"({"metadata": {"name": "a", "namespace": "n", "uid": "u"}})"))
          .reference();
  EXPECT_EQ(reference.api_version, "ganscale.dev/v1alpha1");
  EXPECT_EQ(reference.kind, "GanTraining");
  EXPECT_EQ(reference.key, (Key{"n", "a"}));
  EXPECT_EQ(reference.uid, "u");
}

}  // namespace
}  // namespace ganscale::controller::gan_training
