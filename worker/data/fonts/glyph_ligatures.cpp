#include "data/fonts/glyph_ligatures.h"

#include <algorithm>

#include "base/error.h"

namespace ganscale::data {
namespace {

constexpr std::uint16_t kLigatureSubstitution = 4;
/// Many times that of emoji fonts. Parts of a damaged table may be part of each other, and hold
/// more than its bytes.
constexpr std::size_t kMostNumbers = std::size_t{1} << 22;

/// A part of the table, from its start to the end of the whole table.
class Part {
 public:
  /// left: how many numbers may still be taken from the whole table.
  Part(std::span<const std::uint8_t> bytes, std::size_t& left) : bytes_(bytes), left_(&left) {}

  /// Counts a number that is taken from the table.
  void take() const {
    if (*left_ == 0) throw DataError("font's GSUB table is damaged: its parts overlap");
    --*left_;
  }
  std::uint16_t number(std::size_t at) const {
    if (at + 2 > bytes_.size()) throw DataError("font's GSUB table is damaged");
    take();
    return static_cast<std::uint16_t>(bytes_[at] << 8 | bytes_[at + 1]);
  }
  /// Returns the part whose offset is at `at`.
  Part part(std::size_t at) const {
    const std::size_t offset = number(at);
    if (offset > bytes_.size()) throw DataError("font's GSUB table is damaged");
    return {bytes_.subspan(offset), *left_};
  }
  /// Returns the parts of a list with their count at `at`, followed by their offsets.
  std::vector<Part> parts(std::size_t at) const {
    std::vector<Part> all;
    const std::size_t count = number(at);
    for (std::size_t i = 0; i < count; ++i) all.push_back(part(at + 2 + 2 * i));
    return all;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t* left_;
};

/// Returns the glyphs of a coverage table in order.
std::vector<std::uint16_t> covered_glyphs(const Part& coverage) {
  std::vector<std::uint16_t> glyphs;
  const std::size_t count = coverage.number(2);
  if (coverage.number(0) == 1) {
    for (std::size_t i = 0; i < count; ++i) glyphs.push_back(coverage.number(4 + 2 * i));
    return glyphs;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned first = coverage.number(4 + 6 * i);
    const unsigned last = coverage.number(6 + 6 * i);
    for (unsigned glyph = first; glyph <= last; ++glyph) {
      coverage.take();
      glyphs.push_back(static_cast<std::uint16_t>(glyph));
    }
  }
  return glyphs;
}

}  // namespace

GlyphLigatures::GlyphLigatures(std::span<const std::uint8_t> gsub) {
  if (gsub.empty()) return;
  constexpr std::size_t kLookupListAt = 8;
  std::size_t left = kMostNumbers;
  for (const Part& lookup : Part(gsub, left).part(kLookupListAt).parts(0)) {
    if (lookup.number(0) != kLigatureSubstitution) continue;
    Lookup& ligatures = lookups_.emplace_back();
    for (const Part& subtable : lookup.parts(4)) {
      const auto first_glyphs = covered_glyphs(subtable.part(2));
      const auto sets = subtable.parts(4);
      for (std::size_t i = 0; i < std::min(sets.size(), first_glyphs.size()); ++i) {
        for (const Part& part : sets[i].parts(0)) {
          Ligature ligature{.glyph = part.number(0)};
          const std::size_t length = part.number(2);
          for (std::size_t k = 1; k < length; ++k) ligature.rest.push_back(part.number(2 + 2 * k));
          ligatures[first_glyphs[i]].push_back(std::move(ligature));
        }
      }
    }
  }
}

GlyphLigatures::Glyphs GlyphLigatures::apply(Glyphs glyphs) const {
  for (const Lookup& lookup : lookups_) {
    for (std::size_t at = 0; at < glyphs.size(); ++at) {
      const auto found = lookup.find(glyphs[at]);
      if (found == lookup.end()) continue;
      const std::span<const std::uint16_t> after = std::span(glyphs).subspan(at + 1);
      for (const Ligature& ligature : found->second) {
        const auto& rest = ligature.rest;
        const bool matches =
            rest.size() <= after.size() && std::equal(rest.begin(), rest.end(), after.begin());
        if (!matches) continue;
        glyphs[at] = ligature.glyph;
        const auto first = glyphs.begin() + static_cast<std::ptrdiff_t>(at) + 1;
        glyphs.erase(first, first + static_cast<std::ptrdiff_t>(rest.size()));
        break;
      }
    }
  }
  return glyphs;
}

}  // namespace ganscale::data
