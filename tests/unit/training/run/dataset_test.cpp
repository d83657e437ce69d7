#include "training/run/dataset.h"

#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "unit/data/images.h"
#include "unit/training/parse_text.h"

namespace ganscale::training {
namespace {

/// A data set of 32 x 32 color images: three cats and a dog.
class Datasets : public testing::Test {
 protected:
  Datasets() {
    for (const char* name : {"cat/0.png", "cat/1.png", "cat/2.png", "dog/0.png"}) {
      folder_.write(name, data::encode_png(data::flat_image(3, 32, 7)));
    }
  }

  RunConfig config(const std::string& model, const std::string& data = "") const {
    return parse("model: {name: " + model + "}\ndata: {path: " + folder_.path().string() + data +
                 "}\n");
  }

  const TemporaryFolder folder_;
};

TEST_F(Datasets, GiveTheirShapeToAModelWithLabels) {
  RunConfig run = config("conditional_dcgan");
  const Dataset dataset = open_dataset(run.data, run.model);
  EXPECT_EQ(dataset.source->record_count(), 4);
  EXPECT_EQ(run.model.channels, 3);
  EXPECT_EQ(run.model.label_count, 2);
  EXPECT_EQ(dataset.policy.channels, 3);
  EXPECT_EQ(dataset.policy.resolution, 32);
  EXPECT_EQ(dataset.facts.model, "conditional_dcgan");
  EXPECT_EQ(dataset.facts.record_count, 4);
  EXPECT_EQ(dataset.facts.label_count, 2);
  EXPECT_EQ(dataset.facts.channels, 3);
  EXPECT_EQ(dataset.facts.label_probabilities, (std::vector<double>{0.75, 0.25}));
  EXPECT_EQ(dataset.facts.label_names, (std::vector<std::string>{"cat", "dog"}));
}

TEST_F(Datasets, HideTheirLabelsFromAModelWithoutThem) {
  RunConfig run = config("dcgan");
  const Dataset dataset = open_dataset(run.data, run.model);
  EXPECT_EQ(run.model.label_count, 0);
  EXPECT_EQ(dataset.facts.label_count, 0);
  EXPECT_TRUE(dataset.facts.label_probabilities.empty());
  EXPECT_TRUE(dataset.facts.label_names.empty());
}

/// Returns what is logged of data that a run does not use.
std::string warnings(RunConfig run, bool makes_labels = false) {
  const Dataset dataset = open_dataset(run.data, run.model);
  testing::internal::CaptureStderr();
  warn_of_unused_data(run.data, run.model, dataset, makes_labels);
  return testing::internal::GetCapturedStderr();
}

TEST_F(Datasets, WarnOfLabelsThatTheModelDoesNotTake) {
  EXPECT_THAT(warnings(config("stylegan2")),
              testing::HasSubstr(
                  "ignores the labels of the dataset; set model.conditional: true to use them"));
  EXPECT_THAT(warnings(config("dcgan")), testing::HasSubstr("model=dcgan  labels=2"));
  EXPECT_EQ(warnings(config("stylegan2", ", labels: ignore")), "");
  EXPECT_EQ(warnings(config("conditional_dcgan")), "");
  EXPECT_EQ(warnings(config("dcgan"), /*makes_labels=*/true), "");
}

TEST_F(Datasets, WarnOfImagesThatAreNotRead) {
  folder_.write("cat/3.avif", "?");
  EXPECT_THAT(warnings(config("conditional_dcgan")), testing::HasSubstr("files=1 .avif"));
}

TEST_F(Datasets, BecomeGrayIfConfigured) {
  RunConfig run = config("dcgan", ", channels: gray");
  EXPECT_EQ(open_dataset(run.data, run.model).facts.channels, 1);
  EXPECT_EQ(run.model.channels, 1);
}

TEST_F(Datasets, MayHaveLabelsThatTheRunIgnores) {
  RunConfig run = config("dcgan", ", labels: ignore");
  EXPECT_EQ(open_dataset(run.data, run.model).facts.label_count, 0);
}

TEST_F(Datasets, MustBeNamed) {
  RunConfig run = parse("{}");
  expect_error(ExitCode::kConfig, "data.path is not set: name a folder",
               [&] { open_dataset(run.data, run.model); });
}

TEST_F(Datasets, ThatAreNotThereAreRefused) {
  RunConfig run = parse("data: {path: /nowhere}");
  expect_error(ExitCode::kData, "/nowhere", [&] { open_dataset(run.data, run.model); });
}

}  // namespace
}  // namespace ganscale::training
