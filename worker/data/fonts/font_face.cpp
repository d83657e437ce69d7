#include "data/fonts/font_face.h"

#include <new>
#include <string>

#include "base/error.h"

namespace ganscale::data {

FontLibrary open_font_library() {
  FT_Library library = nullptr;
  if (FT_Init_FreeType(&library) != 0) throw std::bad_alloc();
  return FontLibrary(library);
}

FontFace open_face(FT_Library library, const std::filesystem::path& file, FT_Long index) {
  FT_Face face = nullptr;
  const FT_Error error = FT_New_Face(library, file.c_str(), index, &face);
  if (error != 0) {
    throw DataError("cannot open the font (FreeType error " + std::to_string(error) +
                    "): " + file.string());
  }
  return FontFace(face);
}

}  // namespace ganscale::data
