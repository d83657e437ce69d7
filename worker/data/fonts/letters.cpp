#include "data/fonts/letters.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "data/fonts/font_face.h"
#include "data/storage/storage.h"

#include FT_BBOX_H
#include FT_OUTLINE_H

namespace ganscale::data {
namespace {

namespace fs = std::filesystem;

constexpr int kSide = 128;
constexpr int kInk = 104;  // the longer side of a letter
constexpr int kSubpixels = 64;

/// A typeface, and the glyph that it has for each letter.
struct Typeface {
  FontFace face;
  fs::path file;
  std::vector<FT_UInt> glyphs;
};

using Drawing = std::vector<std::uint8_t>;  // [kSide, kSide], gray

/// Returns the font files at a path, in alphabetical order.
std::vector<fs::path> font_files(const fs::path& fonts) {
  require_local(fonts, "the typefaces");
  if (!fs::is_directory(fonts)) return {fonts};
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(fonts)) {
    const std::string extension = lower_extension(entry.path().native());
    if (extension == ".ttf" || extension == ".otf" || extension == ".ttc")
      files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

/// Returns the letters of a text in UTF-8. Throws DataError if one is repeated.
std::u32string letters_of(const std::string& text) {
  const std::u32string letters = fs::path(text).u32string();  // decodes UTF-8
  const std::set<char32_t> distinct(letters.begin(), letters.end());
  if (letters.empty() || distinct.size() != letters.size())
    throw DataError("letters must be given, each of them once: \"" + text + "\"");
  return letters;
}

/// Returns the glyphs of all letters; empty if the face lacks one, or is not made of outlines.
std::vector<FT_UInt> glyphs_of(FT_Face face, const std::u32string& letters) {
  if (!FT_IS_SCALABLE(face) || FT_Select_Charmap(face, FT_ENCODING_UNICODE) != 0) return {};
  std::vector<FT_UInt> glyphs;
  for (const char32_t letter : letters) glyphs.push_back(FT_Get_Char_Index(face, letter));
  return std::ranges::count(glyphs, 0U) == 0 ? glyphs : std::vector<FT_UInt>();
}

/// Scales an outline in font units so that the longer side of its box is kInk pixels, and moves it
/// to the center of the image. Returns whether it has any ink.
bool fit_to_image(FT_Outline& outline) {
  FT_BBox box;
  if (outline.n_contours == 0 || FT_Outline_Get_BBox(&outline, &box) != 0) return false;
  const FT_Pos longer = std::max(box.xMax - box.xMin, box.yMax - box.yMin);
  if (longer == 0) return false;
  const FT_Fixed scale = FT_DivFix(kInk * kSubpixels, longer);
  const FT_Matrix matrix{scale, 0, 0, scale};
  FT_Outline_Transform(&outline, &matrix);
  const auto to_center = [&](FT_Pos low, FT_Pos high) {
    return kSide * kSubpixels / 2 - FT_MulFix(low + high, scale) / 2;
  };
  FT_Outline_Translate(&outline, to_center(box.xMin, box.xMax), to_center(box.yMin, box.yMax));
  return true;
}

/// Draws a glyph; nothing if it is empty or damaged.
std::optional<Drawing> draw(FT_Library library, FT_Face face, FT_UInt glyph) {
  if (FT_Load_Glyph(face, glyph, FT_LOAD_NO_SCALE) != 0) return std::nullopt;
  FT_Outline& outline = face->glyph->outline;
  if (!fit_to_image(outline)) return std::nullopt;
  Drawing drawing(std::size_t{kSide} * kSide, 0);
  FT_Bitmap bitmap{};
  bitmap.rows = bitmap.width = bitmap.pitch = kSide;
  bitmap.buffer = drawing.data();
  bitmap.num_grays = 256;
  bitmap.pixel_mode = FT_PIXEL_MODE_GRAY;
  if (FT_Outline_Get_Bitmap(library, &outline, &bitmap) != 0) return std::nullopt;
  for (auto& value : drawing) value = static_cast<std::uint8_t>(255 - value);
  return drawing;
}

class LetterSource : public Source {
 public:
  LetterSource(const fs::path& fonts, const std::string& letters)
      : letters_(letters_of(letters)), library_(open_font_library()) {
    for (const auto& file : font_files(fonts)) add_file(file);
    log::info("Opened typefaces",
              {{"faces", faces_.size()}, {"without all letters", lacking_}, {"alike", alike_}});
    if (faces_.empty())
      throw DataError("no typeface has all of the letters \"" + letters + "\": " + fonts.string());
  }

  std::int64_t record_count() const override {
    return static_cast<std::int64_t>(faces_.size()) * label_count();
  }
  std::int64_t label_count() const override { return static_cast<std::int64_t>(letters_.size()); }
  std::vector<std::string> label_names() const override {
    std::vector<std::string> names;
    for (const char32_t letter : letters_)
      names.push_back(fs::path(std::u32string(1, letter)).string());  // encodes as UTF-8
    return names;
  }
  std::int64_t label(std::int64_t index) const override { return index % label_count(); }

  void read(std::int64_t index, Record& record) const override {
    const Typeface& typeface = faces_[index / label_count()];
    const std::scoped_lock lock(mutex_);
    auto drawing = draw(library_.get(), typeface.face.get(), typeface.glyphs[label(index)]);
    if (!drawing) throw DataError("cannot draw the letter: " + describe(index));
    record.buffer = std::move(*drawing);
    record.bytes = record.buffer;
    record.encoding = Encoding::kRawHwc;
    record.channels = 1;
    record.height = record.width = kSide;
    record.label = label(index);
  }

  std::string describe(std::int64_t index) const override {
    return faces_[index / label_count()].file.string() + ", record " + std::to_string(index) +
           " (letter " + label_names()[label(index)] + ")";
  }

 private:
  void add_file(const fs::path& file) try {
    FT_Long count = 1;
    for (FT_Long index = 0; index < count; ++index) {
      FontFace face = open_face(library_.get(), file, index);
      count = face->num_faces;
      add({std::move(face), file, {}});
    }
  } catch (const DataError& error) {  // one damaged file of a system's many
    log::warning("Left out a font", {{"reason", error.what()}});
  }

  void add(Typeface typeface) {
    typeface.glyphs = glyphs_of(typeface.face.get(), letters_);
    const auto drawn = hash_of(typeface);
    if (!drawn) {
      ++lacking_;
    } else if (!drawn_.insert(*drawn).second) {
      ++alike_;
    } else {
      faces_.push_back(std::move(typeface));
    }
  }

  /// Returns a hash of the drawings of all letters; nothing if the face lacks one.
  std::optional<std::size_t> hash_of(const Typeface& typeface) const {
    std::string drawings;
    for (const FT_UInt glyph : typeface.glyphs) {
      const auto drawing = draw(library_.get(), typeface.face.get(), glyph);
      if (!drawing) return std::nullopt;
      drawings.append(drawing->begin(), drawing->end());
    }
    if (drawings.empty()) return std::nullopt;
    return std::hash<std::string>{}(drawings);
  }

  std::u32string letters_;
  FontLibrary library_;
  mutable std::mutex mutex_;
  std::vector<Typeface> faces_;  // destroyed before the library
  std::set<std::size_t> drawn_;
  std::int64_t lacking_ = 0;
  std::int64_t alike_ = 0;
};

}  // namespace

std::unique_ptr<Source> open_letters(const fs::path& fonts, const std::string& letters) {
  return std::make_unique<LetterSource>(fonts, letters);
}

}  // namespace ganscale::data
