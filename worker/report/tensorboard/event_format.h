#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace ganscale::report {

/// The time of an event on TensorBoard's two axes.
struct EventTime {
  double wall_seconds = 0;  ///< since 1970
  std::int64_t step = 0;
};

/// A PNG file and the shape of its image.
struct EncodedImage {
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t channels = 0;
  std::string png;
};

/// Each function returns a serialized `tensorflow.Event`, the message type of TensorBoard's event
/// files.
///
/// Format: TensorFlow, core/util/event.proto and core/framework/summary.proto, in the wire format
///         of protocol buffers. Field numbers are in the source file.

/// The first event of a file.
std::string version_event(const EventTime& time);
/// The start of a run or a resumed run: readers discard events of earlier files at this step and
/// later.
std::string start_event(const EventTime& time);
/// Scalars by tag.
std::string scalars_event(const EventTime& time, const std::map<std::string, double>& scalars);
std::string image_event(const EventTime& time, const std::string& tag, const EncodedImage& image);

}  // namespace ganscale::report
