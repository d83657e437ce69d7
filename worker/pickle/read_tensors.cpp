#include "pickle/read_tensors.h"

#include "base/error.h"
#include "pickle/unpickle.h"

namespace ganscale::pickle {
namespace {

constexpr int kDeepest = 16;
/// A few bytes can name a value many times over, by the memo.
constexpr std::int64_t kMostValues = 1 << 18;
constexpr std::size_t kLongestPath = 512;

/// Collects what the containers of a pickle hold.
class Collector {
 public:
  explicit Collector(const Values& values) : values_(values) {}

  Content collect() {
    visit(values_.root, "", 0);
    return std::move(content_);
  }

 private:
  void visit(const Value& value, const std::string& path, int depth) {
    if (++visited_ > kMostValues) throw DataError("the pickle has too many values");
    if (path.size() > kLongestPath)
      throw DataError("the pickle has a name that is too long: " + path.substr(0, kLongestPath));
    if (const auto* tensor = std::get_if<TensorIndex>(&value)) {
      if (!content_.tensors.emplace(path, values_[*tensor]).second)
        throw DataError("the pickle has two tensors of one name: " + path);
    } else if (const auto* container = std::get_if<ContainerIndex>(&value)) {
      if (depth == kDeepest)
        throw DataError("the pickle is nested too deeply, or contains itself: " + path);
      visit_items(values_[*container], path.empty() ? "" : path + ".", depth + 1);
    } else {
      content_.others.push_back(path);
    }
  }

  void visit_items(const Container& container, const std::string& prefix, int depth) {
    const auto& items = container.items;
    if (container.kind == ContainerKind::kDict) {
      for (std::size_t i = 0; i < items.size(); i += 2)
        visit(items[i + 1], prefix + text_of_key(items[i]), depth);
    } else {
      for (std::size_t i = 0; i < items.size(); ++i)
        visit(items[i], prefix + std::to_string(i), depth);
    }
  }

  static std::string text_of_key(const Value& key) {
    if (const auto* text = std::get_if<std::string_view>(&key)) return std::string(*text);
    if (const auto* number = std::get_if<std::int64_t>(&key)) return std::to_string(*number);
    throw DataError("the pickle has a key that is neither a text nor an integer");
  }

  const Values& values_;
  Content content_;
  std::int64_t visited_ = 0;
};

}  // namespace

Content read_tensors(std::span<const std::uint8_t> pickle) {
  const Values values = unpickle(pickle);
  return Collector(values).collect();
}

}  // namespace ganscale::pickle
