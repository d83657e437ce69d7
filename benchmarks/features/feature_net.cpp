#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "classifier.h"
#include "labeled_images.h"

namespace {

using namespace ganscale;            // NOLINT: a program of one file
using namespace ganscale::features;  // NOLINT

struct Options {
  std::filesystem::path data;
  std::filesystem::path test;
  std::filesystem::path out;
  std::vector<std::int64_t> widths = ClassifierShape{}.widths;
  int epochs = 2;
  bool mirrors_and_shifts = false;
  std::int64_t splits = 1;
};

std::pair<LabeledImages, LabeledImages> read(const Options& options) {
  const auto all = read_labeled(options.data);
  if (options.test.empty()) return hold_out(all);
  return {all, read_labeled(options.test, static_cast<int>(all.images.size(1)))};
}

void run(const Options& options) {
  const auto [training, test] = read(options);
  Classifier classifier({training.images.size(1), training.label_count, options.widths},
                        /*seed=*/1000);
  classifier.train(
      training, options.epochs,
      options.mirrors_and_shifts ? Augmentation::kMirrorAndShift : Augmentation::kNone);
  const auto log_probabilities = classifier.log_probabilities(test.images);
  std::printf("%.2f%% of the %lld test images right, their score %.2f of %lld\n",
              100 * accuracy(log_probabilities, test.labels),
              static_cast<long long>(test.labels.size(0)),
              inception_score(log_probabilities, options.splits),
              static_cast<long long>(training.label_count));
  classifier.save(options.out);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Trains a small classifier on a labeled dataset and writes it as a feature network"};
  app.footer(
      "\nExamples:\n"
      "  feature_net --data mnist/ --test mnist/t10k-images-idx3-ubyte.gz --out digits.pt\n"
      "  feature_net --data cifar10/ --widths 32 64 128 --epochs 5 --out cifar10.pt\n"
      "  feature_net --data cifar10/ --epochs 30 --mirror-and-shift --out cifar10.pt");
  app.add_option("--data", options.data, "labeled dataset of at most 32 x 32 pixels")->required();
  app.add_option("--test", options.test, "dataset to test with; by default every tenth image");
  app.add_option("--out", options.out, "TorchScript file to write")->required();
  app.add_option("--widths", options.widths, "channels of each convolution")->expected(2, 3);
  app.add_option("--epochs", options.epochs, "of the training")->check(CLI::PositiveNumber);
  app.add_flag("--mirror-and-shift", options.mirrors_and_shifts,
               "at random, mirror half of the images that it trains on, and shift all by up to "
               "four pixels");
  app.add_option("--splits", options.splits,
                 "score the test images in so many sets, and print the mean")
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  try {
    run(options);
    return 0;
  } catch (const Error& error) {
    log::error(error.what());
    return static_cast<int>(error.code());
  }
}
