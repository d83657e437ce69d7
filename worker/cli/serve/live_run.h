#pragma once

#include <c10/core/Device.h>

#include <filesystem>
#include <string>

#include "cli/serve/newest_generator.h"
#include "cli/serve/page_request.h"

namespace ganscale::cli {

/// A run as its live page shows it. It only reads the run's folder.
///
/// | GET | reply |
/// |---|---|
/// | / | the page, whose script asks for all else |
/// | /state | JSON: `version`, which changes with the folder; whether a training is `running`; the `checkpoint` of the images, its `kimg` and what can be chosen; its `error` |
/// | /report | JSON: `progress` and `details` of the report as HTML |
/// | /image | a PNG of the newest checkpoint; parameters as of parse_image_request() |
class LiveRun {
 public:
  /// Throws DataError if the folder is not a run folder.
  LiveRun(std::filesystem::path run, c10::Device device);

  /// Answers a request that refuse() lets pass: with 400 if a parameter is wrong, 404 for an unknown
  /// path, 503 for what the run doesn't have yet or can't be read now. Throws nothing that concerns
  /// the run.
  PageReply answer(const PageRequest& request);

 private:
  PageReply page() const;
  PageReply state();
  PageReply report() const;
  PageReply image(const Query& query);

  std::filesystem::path run_;
  NewestGenerator generator_;
};

}  // namespace ganscale::cli
