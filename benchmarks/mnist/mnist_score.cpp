#include <ATen/Functions.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/log.h"
#include "classifier.h"
#include "labeled_images.h"

namespace ganscale::mnist {
namespace {

constexpr double kLeastAccuracy = 0.97;  // below, the score means nothing

struct Options {
  std::filesystem::path data;
  std::filesystem::path samples;
  double at_least = 0;
  int epochs = 2;
};

void print_counts(const at::Tensor& log_probabilities) {
  const auto counts = log_probabilities.argmax(1).bincount({}, 10);
  for (int digit = 0; digit < 10; ++digit) {
    std::printf("  %d: %lld", digit, static_cast<long long>(counts[digit].item<std::int64_t>()));
  }
  std::printf("\n");
}

/// Returns whether the score is high enough.
bool passes(const Options& options) {
  features::Classifier classifier({}, /*seed=*/1000);
  classifier.train(features::read_labeled(options.data / "train-images-idx3-ubyte.gz"),
                   options.epochs);
  const auto test = features::read_labeled(options.data / "t10k-images-idx3-ubyte.gz");
  const auto on_test = classifier.log_probabilities(test.images);
  const double correct = features::accuracy(on_test, test.labels);
  std::printf("classifier: %.2f%% of the real test images right, their score %.2f of 10\n",
              100 * correct, features::inception_score(on_test));
  if (correct < kLeastAccuracy) throw DataError("the classifier is too inaccurate for a score");
  if (options.samples.empty()) return true;
  const auto log_probabilities =
      classifier.log_probabilities(features::read_gray_images(options.samples));
  const double score = features::inception_score(log_probabilities);
  std::printf("samples: %lld images, score %.2f of 10, digits",
              static_cast<long long>(log_probabilities.size(0)), score);
  print_counts(log_probabilities);
  return score >= options.at_least;
}

}  // namespace
}  // namespace ganscale::mnist

int main(int argc, char** argv) {
  using namespace ganscale;
  mnist::Options options;
  CLI::App app{"Scores generated digits with a classifier trained on the real ones"};
  app.footer("\nExample:\n  mnist_score --data mnist/ --samples fakes/ --at-least 7.5");
  app.add_option("--data", options.data, "folder with MNIST's four IDX files (.gz)")->required();
  app.add_option("--samples", options.samples, "folder of 32 x 32 gray PNG files to score");
  app.add_option("--at-least", options.at_least, "exit with 1 if the score is lower");
  app.add_option("--epochs", options.epochs, "of the classifier's training");
  CLI11_PARSE(app, argc, argv);
  try {
    return mnist::passes(options) ? 0 : 1;
  } catch (const Error& error) {
    log::error(error.what());
    return static_cast<int>(error.code());
  }
}
