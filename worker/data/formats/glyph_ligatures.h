#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace ganscale::data {

/// The ligatures of a font: which sequences of glyphs it draws as one (a flag is two letters, a
/// family is people with joiners between them).
///
/// Only the lookups of type 4 of the table GSUB, in their order: enough for the emoji fonts, for
/// which a whole text shaper would be one more library.
class GlyphLigatures {
 public:
  using Glyphs = std::vector<std::uint16_t>;

  /// gsub: the table, or empty for a font without one.
  /// Format: OpenType 1.9, "GSUB - Glyph Substitution Table".
  /// Throws: DataError with only the reason when the table is damaged.
  explicit GlyphLigatures(std::span<const std::uint8_t> gsub);

  /// Replaces every sequence that has a ligature.
  Glyphs apply(Glyphs glyphs) const;

 private:
  struct Ligature {
    Glyphs rest = {};  ///< what follows the first glyph
    std::uint16_t glyph = 0;
  };
  using Lookup = std::map<std::uint16_t, std::vector<Ligature>>;  // by the first glyph

  std::vector<Lookup> lookups_;
};

}  // namespace ganscale::data
