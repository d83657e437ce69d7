#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "data/image/source.h"

namespace ganscale::data {

/// Where Debian and Ubuntu install fonts.
inline constexpr char kFontFolder[] = "/usr/share/fonts";
inline constexpr char kCapitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Opens the letters of typefaces as a dataset: each image is a letter of a face, black on white,
/// gray, 128x128, its longer side 104 pixels; its label is the letter.
///
/// fonts:   a font file (.ttf, .otf, .ttc), or a folder that is searched for them; local.
/// letters: UTF-8, each letter once.
/// Leaves out faces that lack one of the letters, and those that draw all letters exactly as
/// another face; the log says how many.
/// Throws:  DataError if a letter is repeated, or if no face has them all.
std::unique_ptr<Source> open_letters(const std::filesystem::path& fonts,
                                     const std::string& letters = kCapitals);

}  // namespace ganscale::data
