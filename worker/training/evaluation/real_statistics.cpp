#include "training/evaluation/real_statistics.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <random>
#include <sstream>

#include "base/error.h"
#include "base/log.h"
#include "checkpoint/safetensors.h"
#include "comm/collectives/numbers.h"
#include "data/sources/read_image.h"
#include "data/tools/parallel_for.h"
#include "files/atomic_file.h"
#include "files/durable_file.h"
#include "files/input_error.h"
#include "files/remove_temporaries.h"
#include "files/sha256.h"
#include "report/log/progress.h"

namespace ganscale::training {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKey = "key";

std::string sha256_of(std::string_view text) {
  files::Sha256 digest;
  digest.update(std::as_bytes(std::span(text)));
  return digest.finish();
}

/// The first 60 bits of the digest of a record and its label.
std::int64_t record_digest(const data::Source& source, std::int64_t index, data::Record& record) {
  source.read(index, record);
  files::Sha256 digest;
  digest.update(std::as_bytes(record.bytes));
  const std::int64_t label = source.label(index);
  digest.update(std::as_bytes(std::span(&label, 1)));
  return static_cast<std::int64_t>(std::stoull(digest.finish().substr(0, 15), nullptr, 16));
}

/// Returns everything that the statistics of the real images depend on.
std::string key_of(const RealImages& real, const metrics::OpenFeatureNet& net,
                   const metrics::EvaluateConfig& config) {
  const data::DecodePolicy& policy = real.policy;
  std::ostringstream key;
  key << "data " << real.digest << ", channels " << policy.channels << ", resolution "
      << short_text_of(policy.resolution) << ", fit " << static_cast<int>(policy.fit) << ", colors "
      << policy.convert_colors << ", background " << int{policy.background[0]} << " "
      << int{policy.background[1]} << " " << int{policy.background[2]} << ", network " << net.sha256
      << ", scaled to " << config.feature_net.resolution << ", signed "
      << config.feature_net.signed_range;
  if (real.count < real.source.record_count()) key << ", images " << real.count;
  return key.str();
}

/// Extracts the features of the real images.
metrics::FeatureStats extract_all(const RealImages& real, metrics::OpenFeatureNet& net,
                                  metrics::Needs needs, std::int64_t batch, comm::Group& group) {
  const auto total = real.count;
  metrics::FeatureStats set(needs, total, net);
  report::ProgressBar bar("real images", total);
  for (std::int64_t first = group.rank(); first < total; first += batch * group.size()) {
    std::vector<std::int64_t> images;
    std::vector<std::int64_t> records;
    std::vector<std::int64_t> labels;
    for (std::int64_t i = first; i < std::min(total, first + batch * group.size());
         i += group.size()) {
      images.push_back(i);
      records.push_back(real.record(i));
      labels.push_back(real.source.label(records.back()));
    }
    const auto features = net.net->extract(decode_records(real, records), set.wanted());
    if (const auto row = metrics::first_nonfinite_row(features)) {
      throw DataError("the feature network returned NaN or infinity for a real image: " +
                      real.source.describe(records[static_cast<std::size_t>(*row)]));
    }
    set.add(features, at::tensor(images), at::tensor(labels));
    if (group.rank() == 0) bar.update(images.back());
  }
  set.merge(group);
  return set;
}

/// Returns the tensors of a cached file; empty if there is none or its key differs.
NamedTensors read_cached(const fs::path& file, const std::string& key) {
  if (files::is_missing(file)) return {};
  try {
    auto cached = checkpoint::read_safetensors(file);
    if (cached.metadata[kKey] == key) return std::move(cached.tensors);
    log::warning(
        "Recomputed the statistics of the real images: the cached file has a different key",
        {{"file", file}});
  } catch (const DataError& error) {
    log::warning("Recomputed the statistics of the real images", {{"reason", error.what()}});
  }
  return {};
}

void write_cached(const fs::path& file, const NamedTensors& tensors, const std::string& key) {
  const auto own = files::temporary_beside(file);
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  try {
    checkpoint::write_safetensors(own, tensors, {{kKey, key}});
    files::rename_durably(own, file);
    // Of killed processes, and of others that are writing the same.
    files::remove_temporaries(file.parent_path(), file.filename().string());
  } catch (const DataError& failure) {
    fs::remove(own, error);
    if (fs::exists(file, error)) return;  // such another one has written it
    log::warning("Cannot cache the statistics of the real images", {{"reason", failure.what()}});
  }
}

/// Broadcasts the tensors of rank 0; empty if it has none.
NamedTensors share(const NamedTensors& own, const metrics::Needs& needs, std::int64_t feature_count,
                   std::int64_t image_count, comm::Group& group) {
  bool is_found = !own.empty();
  comm::broadcast_from_rank_0(group, {&is_found});
  if (!is_found) return {};
  NamedTensors all;
  if (needs.moments) {
    all.emplace("mean", at::zeros({feature_count}, at::kDouble));
    all.emplace("deviations", at::zeros({feature_count, feature_count}, at::kDouble));
  }
  if (needs.features) {
    all.emplace("features", at::zeros({image_count, feature_count}));
    all.emplace("labels", at::zeros({image_count}, at::kLong));
  }
  if (group.rank() == 0) copy_into(all, own, "the statistics of the real images");
  for (const auto& [name, tensor] : all) group.broadcast(tensor, 0);
  return all;
}

}  // namespace

std::string data_digest(const data::Source& source, comm::Group& group) {
  const auto digests = at::zeros({source.record_count()}, at::kLong);
  auto* digest = digests.mutable_data_ptr<std::int64_t>();
  data::Record record;
  {
    report::ProgressBar bar("records identified", source.record_count());
    for (std::int64_t i = group.rank(); i < source.record_count(); i += group.size()) {
      digest[i] = record_digest(source, i, record);
      if (group.rank() == 0) bar.update(i);
    }
  }
  group.all_reduce_sum(digests);
  files::Sha256 all;
  all.update(std::as_bytes(std::span(digest, static_cast<std::size_t>(digests.numel()))));
  return all.finish();
}

at::Tensor decode_records(const RealImages& real, const std::vector<std::int64_t>& records) {
  const auto count = static_cast<std::int64_t>(records.size());
  const data::DecodePolicy& policy = real.policy;
  const auto [height, width] = policy.resolution;
  const auto images = at::empty({count, policy.channels, height, width}, at::kByte);
  const auto image_bytes = static_cast<std::size_t>(images.numel() / count);
  auto* pixels = images.mutable_data_ptr<std::uint8_t>();
  std::vector<data::Record> held(static_cast<std::size_t>(at::get_num_threads()));
  data::parallel_for(count, at::get_num_threads(), [&](int thread, std::int64_t i) {
    data::Record& record = held[static_cast<std::size_t>(thread)];
    const auto index = records[static_cast<std::size_t>(i)];
    data::read_into(real.source, index, policy, record,
                    {pixels + static_cast<std::size_t>(i) * image_bytes, image_bytes});
  });
  return images;
}

metrics::FeatureStats real_statistics(const RealImages& real, metrics::OpenFeatureNet& net,
                                      metrics::Needs needs, const metrics::EvaluateConfig& config,
                                      comm::Group& group) {
  check(!real.digest.empty(), "statistics of real images are cached under their digest");
  const auto key = key_of(real, net, config);
  const auto kind = std::string(needs.moments ? "-moments" : "") +
                    (needs.features ? "-features" : "") + ".safetensors";
  const auto file = config.cache / (sha256_of(key).substr(0, 32) + kind);
  const auto total = real.count;
  const auto own = group.rank() == 0 ? read_cached(file, key) : NamedTensors();
  group.barrier();  // without a timeout, as the storage may be slow
  const auto cached = share(own, needs, net.feature_count, total, group);
  if (!cached.empty()) return {cached, total};
  log::info("Extracting features of the real images", {{"images", total}, {"kept_in", file}});
  auto set = extract_all(real, net, needs, config.batch, group);
  if (group.rank() == 0) write_cached(file, set.state(), key);
  return set;
}

}  // namespace ganscale::training
