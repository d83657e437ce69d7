#include <algorithm>
#include <array>
#include <cstring>

#include "data/fonts/emoji_list.h"
#include "data/fonts/glyph_ligatures.h"
#include "data/formats/brace_pattern.h"
#include "data/formats/label_file.h"
#include "data/formats/record_index.h"
#include "data/formats/sample_labels.h"
#include "data/formats/tf_example.h"
#include "data/formats/tfrecord_framing.h"
#include "data/formats/tfrecord_writer.h"
#include "data/sources/image_files.h"
#include "data/sources/open_source.h"
#include "fuzz/input_file.h"
#include "fuzz/parsers.h"

namespace ganscale::fuzz {
namespace {

/// Opens a dataset and reads its first records; each may be refused.
void read_dataset(const std::filesystem::path& path) {
  take_or_refuse([&] {
    const auto source = data::open_source(path);
    const std::int64_t count = std::min<std::int64_t>(source->record_count(), 8);
    data::Record record;
    for (std::int64_t i = 0; i < count; ++i) {
      check(source->label(i) >= -1 &&
                source->label(i) < std::max<std::int64_t>(source->label_count(), 1),
            "a label is out of range");
      check(!source->describe(i).empty(), "a record has no description");
      take_or_refuse([&] { source->read(i, record); });
    }
  });
}

/// Writes a TFRecord file of two records that are no images.
std::filesystem::path write_two_records() {
  const auto file = file_of({}, "indexed/two.tfrecords");
  data::TfrecordWriter writer(file);
  for (const std::string_view record : {"one", "another"})
    writer.append({reinterpret_cast<const std::uint8_t*>(record.data()), record.size()});
  writer.close();
  return file;
}

template <class Value>
void append(std::vector<std::uint8_t>& to, const Value& value) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&value);
  to.insert(to.end(), bytes, bytes + sizeof(value));
}

/// Returns an index of a file, as of record_index.cpp, whose number of records and offsets are the
/// input. All else is right: no fuzzer can guess the time and the checksum.
std::vector<std::uint8_t> index_of(const std::filesystem::path& file, Bytes input) {
  constexpr std::uint64_t kMagic = 0x3130584449534e47;
  constexpr std::size_t kNumberBytes = 8;
  const data::FileBytes bytes(file);
  std::vector<std::uint8_t> index;
  append(index, kMagic);
  append(index, bytes.size_bytes());
  append(index, bytes.modified_ns());
  const Bytes count = input.first(std::min(input.size(), kNumberBytes));
  const Bytes offsets = input.subspan(count.size());
  index.insert(index.end(), count.begin(), count.end());
  const std::array<std::uint32_t, 2> sums{data::masked_crc32c(index), data::masked_crc32c(offsets)};
  index.insert(index.end(), offsets.begin(), offsets.end());
  append(index, data::masked_crc32c({reinterpret_cast<const std::uint8_t*>(&sums), sizeof(sums)}));
  return index;
}

}  // namespace

void parse_brace_pattern(Bytes input) {
  take_or_refuse([&] {
    const auto names = data::expand_braces(std::string(text_of(input)));
    check(!names.empty() && names.size() <= 100'000, "a pattern stands for too many names");
  });
}

void parse_cifar(Bytes input) { read_dataset(file_of(input, "cifar/test_batch.bin")); }

void parse_dataset_json(Bytes input) {
  take_or_refuse([&] {
    const std::vector<std::string> names = {"00000/img00000000.png", "00000/img00000001.png"};
    const data::LabelSet labels = data::labels_by_dataset_json(names, input);
    check(labels.values.empty() || labels.values.size() == names.size(),
          "there is no label per image");
  });
}

void parse_emoji_list(Bytes input) {
  const auto file = file_of(input, "emoji_list/emoji-test.txt");
  take_or_refuse([&] {
    const data::EmojiList list = data::read_emoji_list(file);
    for (const data::Emoji& emoji : list.emoji) {
      check(emoji.group >= 0 && emoji.group < std::ssize(list.groups), "a group is out of range");
    }
  });
}

void parse_idx(Bytes input) { read_dataset(file_of(input, "idx/train-images-idx3-ubyte")); }

/// The labels of a file of two images of one pixel.
void parse_idx_labels(Bytes input) {
  static const auto images = [] {
    constexpr std::array<std::uint8_t, 18> kTwo{0, 0, 8, 3, 0, 0, 0, 2, 0,
                                                0, 0, 1, 0, 0, 0, 1, 7, 9};
    return file_of(kTwo, "idx_labels/train-images-idx3-ubyte");
  }();
  file_of(input, "idx_labels/train-labels-idx1-ubyte");
  read_dataset(images);
}

void parse_label_names(Bytes input) {
  static const auto labels = [] {
    const auto file = file_of({}, "label_names/x.labels");
    data::write_label_file(file, {.values = {1, 0}, .count = 2, .names = {}});
    return file;
  }();
  file_of(input, "label_names/" + data::label_names_file(labels).filename().string());
  take_or_refuse([&] {
    check(data::read_label_file(labels).names.size() == 2, "there is no name per label");
  });
}

void parse_labels(Bytes input) {
  const auto file = file_of(input, "labels/x.labels");
  take_or_refuse([&] {
    const data::LabelSet labels = data::read_label_file(file);
    for (const std::int64_t label : labels.values)
      check(label >= 0 && label < labels.count, "a label is out of range");
  });
}

void parse_ligatures(Bytes input) {
  take_or_refuse([&] {
    const data::GlyphLigatures ligatures(input);
    const auto glyphs = ligatures.apply({5, 6, 7});
    check(!glyphs.empty() && glyphs.size() <= 3, "a ligature has made glyphs");
  });
}

void parse_parquet(Bytes input) { read_dataset(file_of(input, "parquet/x.parquet")); }

void parse_record_index(Bytes input) {
  static const auto file = write_two_records();
  const auto index = index_of(file, input);
  file_of(index, "indexed/two.tfrecords.index");
  read_dataset(file);
}

void parse_sample_label(Bytes input) {
  take_or_refuse([&] { check(data::label_of_class_file(input) >= 0, "a label is out of range"); });
  take_or_refuse([&] {
    const auto label = data::label_of_json_file(input);
    check(label.value_or(0) >= 0, "a label is out of range");
  });
}

void parse_tar(Bytes input) { read_dataset(file_of(input, "tar/x.tar")); }

void parse_tf_example(Bytes input) {
  take_or_refuse([&] {
    const data::ImageExample example = data::parse_image_example(input);
    const auto* end = input.data() + input.size();
    check(example.data.empty() || (example.data.data() >= input.data() &&
                                   example.data.data() + example.data.size() <= end),
          "the pixels are not in the message");
  });
}

void parse_tfrecord(Bytes input) {
  const auto file = file_of(input, "tfrecord/x.tfrecords");
  std::filesystem::remove(data::index_path(file));
  read_dataset(file);
}

void parse_zip(Bytes input) { read_dataset(file_of(input, "zip/x.zip")); }

}  // namespace ganscale::fuzz
