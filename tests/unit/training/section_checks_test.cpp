#include "training/section_checks.h"

#include "support/expect_error.h"
#include "unit/training/parse_text.h"

namespace ganscale::training {
namespace {

void expect_refused(const std::string& message, const std::string& yaml) {
  expect_error(ExitCode::kConfig, message, [&] { require_sections_fit(parse(yaml)); });
}

TEST(RequireSectionsFit, WantsTheBestToBeMeasured) {
  require_sections_fit(
      parse("evaluate: {metrics: [fid50k, pr50k3]}\ncheckpoint: {keep_best: pr50k3_recall}\n"));
  expect_refused(
      "checkpoint.keep_best: evaluate.metrics measures fid50k, pr50k3_precision, pr50k3_recall, "
      "not this: pr50k3",
      "evaluate: {metrics: [fid50k, pr50k3]}\ncheckpoint: {keep_best: pr50k3}\n");
  expect_refused("measures nothing, not this: fid50k", "checkpoint: {keep_best: fid50k}\n");
}

TEST(RequireSectionsFit, WantsNoMeasurementsWhileLabelsTrain) {
  const std::string head = "scheme: {name: per_label}\n";
  require_sections_fit(parse(head + "evaluate: {metrics: [fid10k]}\n"));
  expect_refused("evaluate.every_kimg: scheme per_label measures all labels together",
                 head + "evaluate: {metrics: [fid10k], every_kimg: 5}\n");
  expect_refused("checkpoint.keep_best: scheme per_label",
                 head + "evaluate: {metrics: [fid10k]}\ncheckpoint: {keep_best: fid10k}\n");
}

TEST(Doubts, NameTheModelForAGradientPenaltyOfEachImage) {
  const std::string loss = "loss: {name: wasserstein}\n";
  const auto found = doubts(parse(loss + "model: {name: dcgan}\n"));
  ASSERT_EQ(found.size(), 1);
  EXPECT_THAT(found.front(), testing::HasSubstr("take model wgan"));
  for (const char* rest : {"model: {name: wgan}\n", "model: {name: dcgan, batch_norm: frozen}\n"}) {
    EXPECT_TRUE(doubts(parse(loss + rest)).empty()) << rest;
  }
  EXPECT_TRUE(doubts(parse("loss: {name: wasserstein, gradient_penalty: 0}\n")).empty());
  EXPECT_TRUE(doubts(parse("model: {name: dcgan}\n")).empty());
}

}  // namespace
}  // namespace ganscale::training
