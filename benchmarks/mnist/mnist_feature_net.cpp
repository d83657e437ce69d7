#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>

#include "base/error.h"
#include "base/log.h"
#include "digit_classifier.h"

int main(int argc, char** argv) {
  using namespace ganscale;
  std::filesystem::path data;
  std::filesystem::path out;
  int epochs = 2;
  CLI::App app{"Trains the classifier of mnist_score and writes it as a feature network"};
  app.footer("\nExample:\n  mnist_feature_net --data mnist/ --out digits.pt");
  app.add_option("--data", data, "folder with MNIST's four IDX files (.gz)")->required();
  app.add_option("--out", out, "TorchScript file to write")->required();
  app.add_option("--epochs", epochs, "of the classifier's training");
  CLI11_PARSE(app, argc, argv);
  try {
    mnist::DigitClassifier classifier(/*seed=*/1000);
    classifier.train(mnist::read_digits(data / "train-images-idx3-ubyte.gz"), epochs);
    const auto test = mnist::read_digits(data / "t10k-images-idx3-ubyte.gz");
    const auto log_probabilities = classifier.log_probabilities(test.images);
    std::printf("%.2f%% of the real test images right, their score %.2f of 10\n",
                100 * mnist::accuracy(log_probabilities, test.labels),
                mnist::digit_score(log_probabilities));
    classifier.save(out);
    return 0;
  } catch (const Error& error) {
    log::error(error.what());
    return static_cast<int>(error.code());
  }
}
