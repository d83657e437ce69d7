#include "data/fonts/emoji_font.h"

#include "data/fonts/font_face.h"

#include FT_TRUETYPE_TABLES_H
#include FT_TRUETYPE_TAGS_H

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <set>

#include "base/error.h"
#include "base/log.h"
#include "data/fonts/emoji_list.h"
#include "data/fonts/glyph_ligatures.h"
#include "data/storage/storage.h"

namespace ganscale::data {
namespace {

std::vector<std::uint8_t> substitution_table(FT_Face face) {
  FT_ULong count = 0;
  if (FT_Load_Sfnt_Table(face, TTAG_GSUB, 0, nullptr, &count) != 0) return {};
  std::vector<std::uint8_t> table(count);
  FT_Load_Sfnt_Table(face, TTAG_GSUB, 0, table.data(), &count);
  return table;
}

/// Writes a row of premultiplied BGRA as RGBA whose colors are not multiplied by alpha.
void copy_row(const std::uint8_t* bgra, unsigned width, std::uint8_t* rgba) {
  for (unsigned x = 0; x < width; ++x, bgra += 4, rgba += 4) {
    const unsigned alpha = bgra[3];
    for (int c = 0; c < 3; ++c) {
      const unsigned color = alpha == 0 ? 0 : (bgra[2 - c] * 255U + alpha / 2) / alpha;
      rgba[c] = static_cast<std::uint8_t>(std::min(color, 255U));
    }
    rgba[3] = bgra[3];
  }
}

class EmojiFont : public Source {
 public:
  explicit EmojiFont(const std::filesystem::path& font)
      : font_(font), library_(open_font_library()), face_(open_face(library_.get(), font)) {
    if (!FT_HAS_COLOR(face_) || face_->num_fixed_sizes == 0 ||
        FT_Select_Size(face_.get(), 0) != 0) {
      throw DataError("font has no color bitmaps: " + font.string());
    }
    EmojiList list = read_emoji_list(kEmojiList);
    groups_ = std::move(list.groups);
    choose_glyphs(list.emoji);
    if (glyphs_.empty()) throw DataError("font has none of the emoji: " + font.string());
  }

  std::int64_t record_count() const override { return static_cast<std::int64_t>(glyphs_.size()); }
  std::int64_t label_count() const override { return static_cast<std::int64_t>(groups_.size()); }
  std::vector<std::string> label_names() const override { return groups_; }
  std::int64_t label(std::int64_t index) const override { return glyphs_[index].label; }

  void read(std::int64_t index, Record& record) const override {
    const std::scoped_lock lock(mutex_);  // a face draws one glyph at a time
    const FT_Error error = FT_Load_Glyph(face_.get(), glyphs_[index].glyph, FT_LOAD_COLOR);
    const FT_Bitmap& bitmap = face_->glyph->bitmap;
    if (error != 0 || bitmap.pixel_mode != FT_PIXEL_MODE_BGRA || bitmap.rows == 0) {
      throw DataError("glyph is not a color bitmap (FreeType error " + std::to_string(error) +
                      "): " + describe(index));
    }
    const std::size_t row_bytes = std::size_t{bitmap.width} * 4;
    record.buffer.resize(row_bytes * bitmap.rows);
    for (unsigned y = 0; y < bitmap.rows; ++y) {
      copy_row(bitmap.buffer + static_cast<std::ptrdiff_t>(y) * bitmap.pitch, bitmap.width,
               record.buffer.data() + y * row_bytes);
    }
    record.bytes = record.buffer;
    record.encoding = Encoding::kRawHwc;
    record.channels = 4;
    record.height = static_cast<int>(bitmap.rows);
    record.width = static_cast<int>(bitmap.width);
    record.label = label(index);
  }

  std::string describe(std::int64_t index) const override {
    const Glyph& glyph = glyphs_[index];
    return font_.string() + ", record " + std::to_string(index) + " (" + glyph.name + "), glyph " +
           std::to_string(glyph.glyph);
  }

 private:
  struct Glyph {
    std::uint16_t glyph = 0;
    std::int64_t label = 0;
    std::string name;
  };

  void choose_glyphs(const std::vector<Emoji>& all) {
    const std::vector<std::uint8_t> table = substitution_table(face_.get());
    const GlyphLigatures ligatures(table);
    std::set<std::uint16_t> taken;
    std::int64_t skipped = 0;
    for (const Emoji& emoji : all) {
      GlyphLigatures::Glyphs sequence;
      for (const std::uint32_t code_point : emoji.code_points) {
        sequence.push_back(static_cast<std::uint16_t>(FT_Get_Char_Index(face_.get(), code_point)));
      }
      sequence = ligatures.apply(std::move(sequence));
      const bool drawn = sequence.size() == 1 && sequence[0] != 0;
      if (drawn && taken.insert(sequence[0]).second) {
        glyphs_.push_back({sequence[0], emoji.group, emoji.name});
      } else {
        ++skipped;
      }
    }
    log::info("Opened emoji font", {{"images", glyphs_.size()}, {"skipped", skipped}});
  }

  std::filesystem::path font_;
  FontLibrary library_;
  FontFace face_;
  mutable std::mutex mutex_;
  std::vector<Glyph> glyphs_;
  std::vector<std::string> groups_;
};

}  // namespace

std::unique_ptr<Source> open_emoji_font(const std::filesystem::path& font) {
  require_local(font, "an emoji font");
  return std::make_unique<EmojiFont>(font);
}

}  // namespace ganscale::data
