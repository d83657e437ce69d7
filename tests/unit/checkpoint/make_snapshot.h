#pragma once

#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include "checkpoint/snapshot.h"

namespace ganscale::checkpoint {

/// The extent of the snapshots that crash_victim.cpp writes: enough to be killed in the middle.
inline constexpr std::int64_t kVictimExtent = 20'000;

/// A snapshot in which every number is `value`.
inline Snapshot make_snapshot(std::int64_t images_seen, double value, std::int64_t extent = 3) {
  Snapshot snapshot;
  snapshot.images_seen = images_seen;
  snapshot.files["generator"] = {{"weight", at::full({extent, 2}, value, at::kFloat)},
                                 {"bias", at::full({}, value, at::kDouble)}};
  snapshot.files["discriminator"] = {{"weight", at::full({extent}, value, at::kBFloat16)}};
  snapshot.state = {{"value", value}};
  return snapshot;
}

/// Expects the same tensors, bit for bit, and the same facts.
inline void expect_equal(const Snapshot& actual, const Snapshot& expected) {
  EXPECT_EQ(actual.images_seen, expected.images_seen);
  EXPECT_EQ(actual.state, expected.state);
  EXPECT_EQ(actual.metrics, expected.metrics);
  ASSERT_EQ(actual.files.size(), expected.files.size());
  for (const auto& [file, tensors] : expected.files) {
    ASSERT_EQ(actual.files.at(file).size(), tensors.size()) << file;
    for (const auto& [name, tensor] : tensors) {
      const auto& other = actual.files.at(file).at(name);
      ASSERT_EQ(other.scalar_type(), tensor.scalar_type()) << file << ' ' << name;
      EXPECT_TRUE(other.equal(tensor)) << file << ' ' << name;
    }
  }
}

}  // namespace ganscale::checkpoint
