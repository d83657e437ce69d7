#include <algorithm>

#include "data/formats/label_file.h"
#include "data/formats/record_index.h"
#include "data/formats/tf_example.h"
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

}  // namespace

void parse_cifar(Bytes input) { read_dataset(file_of(input, "cifar/test_batch.bin")); }

void parse_dataset_json(Bytes input) {
  take_or_refuse([&] {
    const std::vector<std::string> names = {"00000/img00000000.png", "00000/img00000001.png"};
    const data::LabelSet labels = data::labels_by_dataset_json(names, input);
    check(labels.values.empty() || labels.values.size() == names.size(),
          "there is no label per image");
  });
}

void parse_idx(Bytes input) { read_dataset(file_of(input, "idx/train-images-idx3-ubyte")); }

void parse_labels(Bytes input) {
  const auto file = file_of(input, "labels/x.labels");
  take_or_refuse([&] {
    const data::LabelSet labels = data::read_label_file(file);
    for (const std::int64_t label : labels.values)
      check(label >= 0 && label < labels.count, "a label is out of range");
  });
}

void parse_parquet(Bytes input) { read_dataset(file_of(input, "parquet/x.parquet")); }

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
