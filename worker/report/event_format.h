#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace ganscale::report {

/// When an event happened, on TensorBoard's two axes.
struct EventTime {
  double wall_seconds = 0;  ///< since 1970
  std::int64_t step = 0;
};

/// An image as the bytes of its PNG file, and its shape.
struct EncodedImage {
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t channels = 0;
  std::string png;
};

/// These return one serialized `tensorflow.Event` each, the messages of TensorBoard's event files.
///
/// Format: TensorFlow, core/util/event.proto and core/framework/summary.proto, in the wire format
///         of protocol buffers. Field numbers are in the source file.

/// The event that begins a file.
std::string version_event(const EventTime& time);
/// The start of a run or of its continuation: readers forget what earlier files have at this step
/// and later.
std::string start_event(const EventTime& time);
/// Numbers by their tags.
std::string scalars_event(const EventTime& time, const std::map<std::string, double>& scalars);
std::string image_event(const EventTime& time, const std::string& tag, const EncodedImage& image);

}  // namespace ganscale::report
