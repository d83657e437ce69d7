#include "training/run/section_checks.h"

#include "unit/training/parse_text.h"

namespace ganscale::training {
namespace {

TEST(RequireSectionsFit, RequiresTheMetricOfTheBestCheckpoint) {
  parse("evaluate: {metrics: [fid50k, pr50k3]}\ncheckpoint: {keep_best: pr50k3_recall}\n");
  expect_refused(
      "run.yaml:2: checkpoint.keep_best: evaluate.metrics measures fid50k, pr50k3_precision, "
      "pr50k3_recall, "
      "not this: pr50k3",
      "evaluate: {metrics: [fid50k, pr50k3]}\ncheckpoint: {keep_best: pr50k3}\n");
  expect_refused(
      "run.yaml:1: checkpoint.keep_best: fid50k is not in evaluate.metrics, which is empty",
      "checkpoint: {keep_best: fid50k}\n");
}

TEST(RequireSectionsFit, RefusesWhatTheModelCannotDo) {
  expect_refused("run.yaml:1: generator.path_length_weight: needs a generator with styles",
                 "generator: {path_length_weight: 2}\n");
  expect_refused("run.yaml:1: training.precision: fp16 is for stylegan2, stylegan3 only",
                 "training: {precision: fp16}\n");
}

TEST(RequireSectionsFit, RequiresLabelsForAConditionalModel) {
  const std::string data = "data: {labels: ignore}\n";
  expect_refused("run.yaml:1: data.labels: ignore leaves model conditional_dcgan no labels",
                 data + "model: {name: conditional_dcgan}\n");
  expect_refused("run.yaml:1: data.labels: ignore leaves model stylegan2 no labels",
                 data + "model: {name: stylegan2, conditional: true}\n");
  EXPECT_NO_THROW(parse(data + "model: {name: stylegan2}\n"));
}

TEST(RequireSectionsFit, RefusesCudaGraphsOfAugmentationsThatTheHostChooses) {
  expect_refused("run.yaml:1: training.cuda_graphs: a CUDA graph cannot contain ADA",
                 "training: {cuda_graphs: true}\naugment: {name: ada}\n");
  expect_refused("run.yaml:1: training.cuda_graphs: a CUDA graph runs on one device",
                 "training: {cuda_graphs: true, devices_per_process: 2}\nscheme: {name: "
                 "per_label}\n");
  EXPECT_TRUE(
      parse("training: {cuda_graphs: true}\naugment: {name: diffaugment}\n").training.cuda_graphs);
}

TEST(RequireSectionsFit, RefusesCudaGraphsThatWouldMakeTheFakesOfALazyPenaltyAgain) {
  const std::string graphs = "training: {cuda_graphs: true}\n";
  expect_refused("run.yaml:1: training.cuda_graphs: a CUDA graph cannot pass the fakes",
                 graphs + "discriminator: {r2_gamma: 1}\n");
  EXPECT_NO_THROW(parse(graphs + "discriminator: {r2_gamma: 1, penalty_phase: main}\n"));
}

TEST(RequireSectionsFit, AccumulatesGradientsOnlyOfEqualPasses) {
  expect_refused("run.yaml:1: training.accumulate: must divide the batch, 64: 3",
                 "training: {accumulate: 3}\n");
  expect_refused("training.accumulate: the mean path length needs the whole batch",
                 "model: {name: stylegan2}\ntraining: {accumulate: 2}\n"
                 "generator: {path_length_weight: 2}\n");
  expect_refused("training.cuda_graphs: a CUDA graph contains one pass",
                 "training: {cuda_graphs: true, accumulate: 2}\n");
}

TEST(RequireSectionsFit, SharesOnlyFakesOfTheSameStep) {
  expect_refused("run.yaml:1: loss.fakes: shared needs fakes of the generator in each step",
                 "loss: {name: wasserstein, fakes: shared}\n");
  expect_refused("run.yaml:1: loss.fakes: shared needs the generator's phase first",
                 "loss: {fakes: shared, first: discriminator}\n");
  expect_refused("run.yaml:1: loss.fakes: shared passes fakes from phase to phase",
                 "loss: {fakes: shared}\ntraining: {cuda_graphs: true}\n");
  EXPECT_TRUE(parse("loss: {fakes: shared}\n").loss.shares_fakes);
}

TEST(RequireSectionsFit, DrawsLabelsOfFakesThatNoRealHasToShare) {
  expect_refused("run.yaml:1: loss.fake_labels: uniform needs a model with labels",
                 "loss: {fake_labels: uniform}\n");
  expect_refused("run.yaml:2: loss.fake_labels: a loss of pairs",
                 "model: {name: conditional_dcgan}\n"
                 "loss: {name: relativistic, fake_labels: uniform}\n");
  expect_refused("run.yaml:2: loss.fake_labels: the gradient penalty",
                 "model: {name: conditional_wgan}\n"
                 "loss: {name: wasserstein, fake_labels: uniform}\n");
  EXPECT_TRUE(parse("model: {name: conditional_dcgan}\nloss: {fake_labels: uniform}\n")
                  .loss.uniform_labels);
}

TEST(RequireSectionsFit, RequiresSecondDerivativesForAPenalty) {
  const std::string model = "model: {name: biggan, recompute_blocks: true}\n";
  expect_refused("run.yaml:2: discriminator.r1_gamma: a penalty on D's gradient",
                 model + "discriminator: {r1_gamma: 1}\n");
  expect_refused("run.yaml:2: discriminator.r2_gamma: a penalty on D's gradient",
                 model + "discriminator: {r2_gamma: 1, penalty_phase: main}\n");
  expect_refused("loss.gradient_penalty: a penalty", model + "loss: {name: wasserstein}\n");
  EXPECT_NO_THROW(parse(model + "loss: {name: hinge}\n"));
}

TEST(RequireSectionsFit, RefusesPairsOfRealsThatAreNotScoredYet) {
  const std::string pairs =
      "scheme: {name: asynchronous}\nloss: {name: relativistic, first: generator}\n";
  expect_refused("run.yaml:2: loss.first: scheme asynchronous pairs fakes with reals", pairs);
  EXPECT_NO_THROW(parse("scheme: {name: asynchronous}\nloss: {name: relativistic}\n"));
  EXPECT_NO_THROW(parse("loss: {name: relativistic, first: generator}\n"));
}

TEST(ConfigWarnings, NameASchedulesEndBehindTheRun) {
  const std::string run = "training: {total_kimg: 100}\n";
  const auto found =
      config_warnings(parse(
          run + "discriminator: {r1_gamma: 1, gamma_schedule: {name: linear, final_fraction: 0.1, "
                "kimg: 200}}\n"));
  ASSERT_EQ(found.size(), 1);
  EXPECT_THAT(found.front(), testing::HasSubstr("discriminator.gamma_schedule.kimg 200"));
  EXPECT_TRUE(config_warnings(parse(run + "generator: {ema_schedule: {name: cosine, final_kimg: 1, "
                                          "kimg: 100}}\n"))
                  .empty());
}

TEST(ConfigWarnings, NameAWarmUpOrABlurThatEndsBehindTheRun) {
  const std::string run = "training: {total_kimg: 100}\n";
  for (const auto& [keys, end] :
       {std::pair("generator: {optimizer: {schedule: {warmup_kimg: 200}}}\n",
                  "generator.optimizer.schedule.warmup_kimg 200"),
        {"discriminator: {optimizer: {schedule: {name: cosine, warmup_kimg: 200}}}\n",
         "discriminator.optimizer.schedule.warmup_kimg 200"},
        {"discriminator: {r1_gamma: 1, gamma_schedule: {name: constant, warmup_kimg: 200}}\n",
         "discriminator.gamma_schedule.warmup_kimg 200"},
        {"generator: {ema_schedule: {name: cosine, final_kimg: 1, kimg: 300, warmup_kimg: 200}}\n",
         "generator.ema_schedule.kimg 300"},
        {"augment: {blur_sigma: 1, blur_fade_kimg: 200}\n", "augment.blur_fade_kimg 200"}}) {
    EXPECT_THAT(
        config_warnings(parse(run + keys)),
        testing::ElementsAre(testing::HasSubstr(std::string(end) + ", training.total_kimg 100")));
  }
  EXPECT_TRUE(
      config_warnings(parse(run +
                            "generator: {optimizer: {schedule: {name: cosine, warmup_kimg: 100}}}\n"
                            "discriminator: {optimizer: {schedule: {name: step, step_kimg: 200}}}\n"
                            "augment: {blur_fade_kimg: 200}\n"))
          .empty());
}

// What ends after the whole run is config_warnings()'s.
TEST(LabelWarnings, NameASchedulesEndBehindTheSmallestLabel) {
  const auto warnings = [](const std::string& kimg) {
    return label_warnings(
        parse(
            "training: {total_kimg: 100}\ngenerator: {ema_schedule: {name: cosine, final_kimg: 1, "
            "kimg: " +
            kimg + "}}\n"),
        /*label=*/3, /*kimg=*/12.5);
  };
  const auto found = warnings("100");
  ASSERT_EQ(found.size(), 1);
  EXPECT_THAT(found.front(), testing::HasSubstr("the smallest label, 3, which"));
  EXPECT_THAT(found.front(), testing::HasSubstr("generator.ema_schedule.kimg 100"));
  EXPECT_THAT(found.front(), testing::HasSubstr("training.total_kimg 12.5"));
  EXPECT_TRUE(warnings("12.5").empty());
  EXPECT_TRUE(warnings("101").empty());
}

TEST(ConfigWarnings, NameTheModelForAGradientPenaltyOfEachImage) {
  const std::string loss = "loss: {name: wasserstein}\n";
  const auto found = config_warnings(parse(loss + "model: {name: dcgan}\n"));
  ASSERT_EQ(found.size(), 1);
  EXPECT_THAT(found.front(), testing::HasSubstr("use model wgan"));
  for (const char* rest : {"model: {name: wgan}\n", "model: {name: dcgan, batch_norm: frozen}\n"}) {
    EXPECT_TRUE(config_warnings(parse(loss + rest)).empty()) << rest;
  }
  EXPECT_TRUE(config_warnings(parse("loss: {name: wasserstein, gradient_penalty: 0}\n")).empty());
  EXPECT_TRUE(config_warnings(parse("model: {name: dcgan}\n")).empty());
}

TEST(ConfigWarnings, NameWhatUndoesTransferredWeights) {
  const std::string weights = "training: {resume_weights: runs/r1}\n";
  for (const char* average : {"{ema_ramp_up: 0.05}", "{ema_start_kimg: 4}",
                              "{ema_kimg: 0, ema_schedule: {name: cosine, final_kimg: 1, kimg: "
                              "100}}"}) {
    const std::string generator = std::string("generator: ") + average + "\n";
    EXPECT_THAT(config_warnings(parse(weights + generator)),
                testing::ElementsAre(testing::HasSubstr("discards the average")));
    EXPECT_TRUE(config_warnings(parse(generator)).empty()) << average;
  }
  EXPECT_THAT(config_warnings(parse(weights + "augment: {blur_sigma: 10, blur_fade_kimg: 200}\n")),
              testing::ElementsAre(testing::HasSubstr("augment.blur_sigma")));
  EXPECT_TRUE(config_warnings(parse(weights + "generator: {ema_kimg: 0}\n")).empty());
}

TEST(RequireSharedBatch, RefusesWhatTheRanksOfATrainingCannotDivide) {
  const auto refused = [](const std::string& message, const std::string& yaml, int ranks) {
    expect_error(ExitCode::kConfig, message,
                 [&] { require_shared_batch(parse(yaml), ranks, "GPUs of the first row"); });
  };
  refused(
      "run.yaml:1: training.batch: must be divisible by the GPUs of the first row times "
      "training.accumulate, 4: 8 on 4 ranks",
      "training: {batch: 8, accumulate: 4}\n", 4);
  const std::string six = "model: {name: stylegan2, mbstd_group: 4}\ntraining: {batch: 6}\n";
  refused("model.mbstd_group must divide the batch of all ranks", six, 2);
  require_shared_batch(parse("model: {name: stylegan2, mbstd_group: 4}\ntraining: {batch: 8}\n"), 8,
                       "");
}

}  // namespace
}  // namespace ganscale::training
