#include "report/tensorboard/event_format.h"

#include <bit>
#include <string_view>

namespace ganscale::report {
namespace {

// Wire types of protocol buffers.
constexpr int kVarint = 0;
constexpr int kFixed64 = 1;
constexpr int kBytes = 2;
constexpr int kFixed32 = 5;

// Field numbers of event.proto (Event, SessionLog) and summary.proto (Summary, Value, Image).
constexpr int kEventWallTime = 1;
constexpr int kEventStep = 2;
constexpr int kEventFileVersion = 3;
constexpr int kEventSummary = 5;
constexpr int kEventSessionLog = 7;
constexpr int kSessionStatus = 1;
constexpr int kSessionStart = 1;
constexpr int kSummaryValue = 1;
constexpr int kValueTag = 1;
constexpr int kValueSimpleValue = 2;
constexpr int kValueImage = 4;
constexpr int kImageHeight = 1;
constexpr int kImageWidth = 2;
constexpr int kImageColorspace = 3;
constexpr int kImageEncoded = 4;

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7) bytes += static_cast<char>(value | 128);
  bytes += static_cast<char>(value);
  return bytes;
}

template <class Unsigned>
std::string little_endian(Unsigned value) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof value; ++i) bytes += static_cast<char>(value >> 8 * i);
  return bytes;
}

std::string key(int field, int wire_type) {
  return varint(static_cast<std::uint64_t>(field << 3 | wire_type));
}

std::string integer(int field, std::int64_t value) {
  return key(field, kVarint) + varint(static_cast<std::uint64_t>(value));
}

std::string bytes(int field, std::string_view value) {
  return key(field, kBytes) + varint(value.size()) + std::string(value);
}

std::string float32(int field, double value) {
  return key(field, kFixed32) +
         little_endian(std::bit_cast<std::uint32_t>(static_cast<float>(value)));
}

std::string float64(int field, double value) {
  return key(field, kFixed64) + little_endian(std::bit_cast<std::uint64_t>(value));
}

std::string event(const EventTime& time, int field, std::string_view content) {
  return float64(kEventWallTime, time.wall_seconds) + integer(kEventStep, time.step) +
         bytes(field, content);
}

}  // namespace

std::string version_event(const EventTime& time) {
  return event(time, kEventFileVersion, "brain.Event:2");
}

std::string start_event(const EventTime& time) {
  return event(time, kEventSessionLog, integer(kSessionStatus, kSessionStart));
}

std::string scalars_event(const EventTime& time, const std::map<std::string, double>& scalars) {
  std::string summary;
  for (const auto& [tag, number] : scalars) {
    summary += bytes(kSummaryValue, bytes(kValueTag, tag) + float32(kValueSimpleValue, number));
  }
  return event(time, kEventSummary, summary);
}

std::string image_event(const EventTime& time, const std::string& tag, const EncodedImage& image) {
  const auto message = integer(kImageHeight, image.height) + integer(kImageWidth, image.width) +
                       integer(kImageColorspace, image.channels) + bytes(kImageEncoded, image.png);
  const auto value = bytes(kValueTag, tag) + bytes(kValueImage, message);
  return event(time, kEventSummary, bytes(kSummaryValue, value));
}

}  // namespace ganscale::report
