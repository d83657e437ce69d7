#include "data/storage/s3_storage.h"

#include <arrow/filesystem/s3fs.h>
#include <arrow/io/interfaces.h>
#include <arrow/io/type_fwd.h>
#include <arrow/result.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/host.h"
#include "base/non_copyable.h"

namespace ganscale::data {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "s3://";

/// What an error of S3 means, by the name that the AWS SDK gives it. All others may pass: the
/// server is slow or restarting, the network is down.
struct Refusal {
  std::string_view error;
  std::string_view advice;
  bool is_of_object = false;  ///< of what is stored, not of the storage
};

constexpr std::array kRefusals{
    Refusal{"ACCESS_DENIED",
            "check that the bucket exists and that the credentials may read it "
            "(AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or the pod's role)"},
    Refusal{"INVALID_ACCESS_KEY_ID", "check AWS_ACCESS_KEY_ID"},
    Refusal{"INVALID_CLIENT_TOKEN_ID", "check AWS_ACCESS_KEY_ID and AWS_SESSION_TOKEN"},
    Refusal{"SIGNATURE_DOES_NOT_MATCH", "check AWS_SECRET_ACCESS_KEY"},
    Refusal{"REQUEST_TIME_TOO_SKEWED", "set this machine's clock"},
    Refusal{"REQUEST_EXPIRED", "set this machine's clock, or renew AWS_SESSION_TOKEN"},
    Refusal{"ExpiredToken", "renew the credentials (AWS_SESSION_TOKEN)"},
    Refusal{"InvalidToken", "check AWS_SESSION_TOKEN"},
    Refusal{"AuthorizationHeaderMalformed", "check AWS_REGION"},
    Refusal{"operation is not valid for the object's", "restore the object, which is archived",
            true},
    Refusal{"NO_SUCH_BUCKET", "check the bucket's name, and AWS_ENDPOINT_URL"},
    Refusal{"NO_SUCH_KEY", "the object was deleted", true},
    Refusal{"RESOURCE_NOT_FOUND", "the object was deleted", true},
    Refusal{"Path does not exist", "the object was deleted", true},
    Refusal{"HTTP status 416", "the object was replaced by a shorter one", true},
};

[[noreturn]] void fail(const arrow::Status& status, const fs::path& path) {
  const std::string& reason = status.message();
  const auto refusal = std::ranges::find_if(
      kRefusals, [&](const Refusal& one) { return reason.find(one.error) != std::string::npos; });
  const std::string what = "cannot read from S3 (" + reason + "): " + path.string();
  if (refusal == kRefusals.end()) throw TransientReadError(what);
  const std::string advised = what + "; " + std::string(refusal->advice);
  if (refusal->is_of_object) throw DataError(advised);
  throw StorageError(advised);
}

template <class Value>
Value value_of(arrow::Result<Value> result, const fs::path& path) {
  if (!result.ok()) fail(result.status(), path);
  return std::move(result).ValueUnsafe();
}

/// Reads an object, again if a reply ends early: the SDK repeats all other requests that fail for a
/// reason that may be transient.
std::int64_t read_at(arrow::io::RandomAccessFile& file, std::int64_t offset,
                     std::span<std::uint8_t> into, const fs::path& path) {
  constexpr std::string_view kEndsEarly = "Failed to flush response stream";
  constexpr int kAttempts = 5;
  for (int attempt = 1;; ++attempt) {
    auto read = file.ReadAt(offset, std::ssize(into), into.data());
    const bool is_repeated = !read.ok() && attempt < kAttempts &&
                             read.status().message().find(kEndsEarly) != std::string::npos;
    if (!is_repeated) return value_of(std::move(read), path);
  }
}

/// The address of a server other than Amazon's.
struct Endpoint {
  std::string scheme;
  std::string host;  ///< and port
};

/// Returns the endpoint that the environment names; nothing for Amazon's. Throws ConfigError.
std::optional<Endpoint> endpoint_of_environment() {
  const std::string url = environment_variable({"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"});
  if (url.empty()) return std::nullopt;
  for (const char* scheme : {"https", "http"}) {
    const std::string begin = std::string(scheme) + "://";
    if (!url.starts_with(begin)) continue;
    std::string host = url.substr(begin.size());
    while (host.ends_with('/')) host.pop_back();
    if (!host.empty()) return Endpoint{scheme, host};
  }
  throw ConfigError("AWS_ENDPOINT_URL is not http://HOST[:PORT] or https://HOST[:PORT]: " + url);
}

/// Arrow's wheel does not know where the system keeps its certificates.
std::string certificates() {
  const std::string named = environment_variable({"AWS_CA_BUNDLE", "SSL_CERT_FILE"});
  if (!named.empty()) return named;
  for (const char* file :
       {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"}) {
    if (fs::exists(file)) return file;
  }
  return "";
}

std::string region_of(const std::string& bucket, const arrow::fs::S3Options& options,
                      const fs::path& path) {
  const std::string named = environment_variable({"AWS_REGION", "AWS_DEFAULT_REGION"});
  if (!named.empty()) return named;
  if (!options.endpoint_override.empty()) return "us-east-1";
  return value_of(arrow::fs::ResolveS3BucketRegion(bucket), path);
}

arrow::fs::S3Options options_for(const std::string& bucket, const std::optional<Endpoint>& endpoint,
                                 const fs::path& path) {
  constexpr double kConnectSeconds = 5;
  constexpr double kSilentSeconds = 10;  // after which a request is given up
  constexpr int kAttempts = 5;
  auto options = arrow::fs::S3Options::Defaults();
  if (endpoint) {
    options.scheme = endpoint->scheme;
    options.endpoint_override = endpoint->host;
  }
  options.tls_ca_file_path = certificates();
  options.connect_timeout = kConnectSeconds;
  options.request_timeout = kSilentSeconds;
  options.retry_strategy = arrow::fs::S3RetryStrategy::GetAwsStandardRetryStrategy(kAttempts);
  options.region = region_of(bucket, options, path);
  return options;
}

/// The AWS SDK, once it is needed. At the program's end it is shut down before its static variables
/// are destroyed: these exist once there is a client, and are destroyed after what is registered
/// later.
class Sdk : NonCopyable {
 public:
  Sdk() {
    const auto status = arrow::fs::EnsureS3Initialized();
    if (!status.ok()) throw DataError("cannot start the S3 client: " + status.message());
  }
  ~Sdk() {
    static const int kRegistered =
        std::atexit([] { static_cast<void>(arrow::fs::EnsureS3Finalized()); });
    static_cast<void>(kRegistered);
  }
};

std::shared_ptr<arrow::fs::FileSystem> connect(const std::string& bucket, const fs::path& path) {
  // The client has a connection for each thread that Arrow's pool may have, and starts few of
  // these.
  const auto endpoint = endpoint_of_environment();  // refused before the SDK starts
  const Sdk sdk;
  static_cast<void>(arrow::io::SetIOThreadPoolCapacity(kMostReaderThreads));
  return value_of(arrow::fs::S3FileSystem::Make(options_for(bucket, endpoint, path)), path);
}

class S3File : public StoredFile {
 public:
  S3File(fs::path path, std::int64_t size_bytes, std::int64_t modified_ns,
         std::shared_ptr<arrow::io::RandomAccessFile> file)
      : path_(std::move(path)),
        size_bytes_(size_bytes),
        modified_ns_(modified_ns),
        file_(std::move(file)) {}

  std::int64_t size_bytes() const override { return size_bytes_; }

  std::int64_t read(std::int64_t offset, std::span<std::uint8_t> into) const override {
    const auto left = std::max<std::int64_t>(0, size_bytes_ - offset);
    const auto count = std::min(left, std::ssize(into));
    if (count == 0) return 0;
    return read_at(*file_, offset, into.first(count), path_);
  }

  std::int64_t block_bytes() const override { return 4 << 20; }  // a request takes some 20 ms
  std::int64_t modified_ns() const override { return modified_ns_; }
  bool is_written() const override { return false; }  // a request for each read would tell

 private:
  fs::path path_;
  std::int64_t size_bytes_;
  std::int64_t modified_ns_;
  std::shared_ptr<arrow::io::RandomAccessFile> file_;
};

class S3Storage : public Storage {
 public:
  bool is_file(const fs::path& path) const override {
    return type_of(path) == arrow::fs::FileType::File;
  }

  bool is_folder(const fs::path& path) const override {
    return type_of(path) == arrow::fs::FileType::Directory;
  }

  std::vector<ListedFile> files_in(const fs::path& folder) const override {
    return list(folder, false);
  }

  std::vector<ListedFile> files_below(const fs::path& folder) const override {
    return list(folder, true);
  }

  std::unique_ptr<StoredFile> open(const ListedFile& file) const override {
    auto& bucket = bucket_of(file.path);
    arrow::fs::FileInfo info(key_of(file.path), arrow::fs::FileType::File);
    if (file.size_bytes == ListedFile::kUnknownSize) {
      info = info_of(file.path);
      if (info.type() != arrow::fs::FileType::File)
        throw DataError("cannot open the file (no such object): " + file.path.string());
    } else {
      info.set_size(file.size_bytes);
    }
    if (info.size() < 0)
      throw DataError("the S3 server tells no valid size of the object: " + file.path.string());
    auto opened = value_of(bucket.OpenInputFile(info), file.path);
    return std::make_unique<S3File>(file.path, info.size(), info.mtime().time_since_epoch().count(),
                                    std::move(opened));
  }

 private:
  /// Returns BUCKET/KEY, by which Arrow names an object.
  static std::string key_of(const fs::path& path) {
    std::string key = path.string().substr(kPrefix.size());
    while (key.ends_with('/')) key.pop_back();
    if (key.empty() || key.starts_with('/'))
      throw ConfigError("path has no bucket, as in s3://BUCKET/KEY: " + path.string());
    require_no_credentials(path, "path");
    return key;
  }

  arrow::fs::FileSystem& bucket_of(const fs::path& path) const {
    const std::string key = key_of(path);
    const std::string bucket = key.substr(0, key.find('/'));
    const std::scoped_lock lock(mutex_);
    auto& system = buckets_[bucket];
    if (!system) system = connect(bucket, path);
    return *system;
  }

  arrow::fs::FileType type_of(const fs::path& path) const { return info_of(path).type(); }

  arrow::fs::FileInfo info_of(const fs::path& path) const {
    auto& bucket = bucket_of(path);
    const std::string key = key_of(path);
    auto info = bucket.GetFileInfo(key);
    const bool lacks_reason =
        !info.ok() && info.status().message().find("No response body") != std::string::npos;
    if (lacks_reason) {  // since it is the reply to a HEAD; a list is refused with a reason
      arrow::fs::FileSelector selector;
      selector.base_dir = key;
      selector.allow_not_found = true;
      value_of(bucket.GetFileInfo(selector), path);
    }
    return value_of(std::move(info), path);
  }

  std::vector<ListedFile> list(const fs::path& folder, bool at_any_depth) const {
    arrow::fs::FileSelector selector;
    selector.base_dir = key_of(folder);
    selector.recursive = at_any_depth;
    const std::string below = selector.base_dir + "/";
    std::vector<ListedFile> files;
    for (const auto& info : value_of(bucket_of(folder).GetFileInfo(selector), folder)) {
      if (!info.path().starts_with(below)) continue;  // which was not asked for
      const auto name = std::string_view(info.path()).substr(selector.base_dir.size());  // "/x.png"
      if (info.type() == arrow::fs::FileType::File && !is_hidden(name))
        files.push_back({.path = std::string(kPrefix) + info.path(), .size_bytes = info.size()});
    }
    return files;
  }

  mutable std::mutex mutex_;
  mutable std::map<std::string, std::shared_ptr<arrow::fs::FileSystem>> buckets_;
};

}  // namespace

const Storage& s3_storage() {
  static const S3Storage kStorage;
  return kStorage;
}

}  // namespace ganscale::data
