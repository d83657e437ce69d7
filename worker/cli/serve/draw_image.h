#pragma once

#include <string>

#include "cli/serve/image_request.h"
#include "training/generators/trained_generator.h"

namespace ganscale::cli {

/// Returns what a generator can be asked for.
Choices choices_of(const training::TrainedGenerator& trained);

/// Generates an image and returns it as a PNG file. Seed i is the latent of image i in the run's
/// sample grids.
///
/// request: one that parse_image_request() has checked for this generator.
std::string draw_image(const training::TrainedGenerator& trained, const ImageRequest& request);

}  // namespace ganscale::cli
