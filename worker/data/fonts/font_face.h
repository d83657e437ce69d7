#pragma once

#include <ft2build.h>
#include FT_FREETYPE_H

#include <filesystem>
#include <memory>
#include <type_traits>

namespace ganscale::data {

struct FreeTypeDeleter {
  void operator()(FT_Library library) const { FT_Done_FreeType(library); }
  void operator()(FT_Face face) const { FT_Done_Face(face); }
};

/// Opened fonts need it, so it must outlive them. One thread at a time may draw with it.
using FontLibrary = std::unique_ptr<std::remove_pointer_t<FT_Library>, FreeTypeDeleter>;
using FontFace = std::unique_ptr<std::remove_pointer_t<FT_Face>, FreeTypeDeleter>;

FontLibrary open_font_library();

/// Opens a face of a font file; a collection (.ttc) has several, numbered from 0. Throws DataError
/// with the file.
FontFace open_face(FT_Library library, const std::filesystem::path& file, FT_Long index = 0);

}  // namespace ganscale::data
