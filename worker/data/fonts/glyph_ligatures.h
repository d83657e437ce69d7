#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace ganscale::data {

/// The ligatures of a font: sequences of glyphs that it draws as one (a flag is two letters, a
/// family is people with joiners between them).
///
/// Supports only lookups of type 4 of the GSUB table, in their order: enough for emoji fonts,
/// without another library for text shaping.
class GlyphLigatures {
 public:
  using Glyphs = std::vector<std::uint16_t>;

  /// gsub: the table, or empty for a font without one.
  /// Format: OpenType 1.9, "GSUB - Glyph Substitution Table".
  /// Throws: DataError with the reason only if the table is damaged.
  explicit GlyphLigatures(std::span<const std::uint8_t> gsub);

  /// Replaces all sequences that have a ligature.
  Glyphs apply(Glyphs glyphs) const;

 private:
  struct Ligature {
    Glyphs rest = {};  ///< after the first glyph
    std::uint16_t glyph = 0;
  };
  using Lookup = std::map<std::uint16_t, std::vector<Ligature>>;  // by the first glyph

  std::vector<Lookup> lookups_;
};

}  // namespace ganscale::data
