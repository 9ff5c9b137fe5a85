// arrow_peer FOLDER: times Arrow C++'s own Parquet encoders and decoders on one column, with no file around them.
//
// libarrow and libparquet are those of the pyarrow wheel. FOLDER holds offsets.i32 (n + 1 little-endian int32, the
// first 0), data.u8 and, where the column may have nulls, validity.u8 (a byte a slot, 1 where a value is present).
//
// Each line of standard input is a request and gets one line of JSON:
//
//   info                                        the versions
//   dump ENCODING FILE                          writes the values section of the page, and the page of the dictionary
//                                               to FILE.dictionary
//   time OPERATION ENCODING WAY MILLISECONDS    runs for that long, at least 3 times, and tells the median
//
//   OPERATION  encode, decode
//   ENCODING   PLAIN, DELTA_LENGTH_BYTE_ARRAY, DELTA_BYTE_ARRAY, RLE_DICTIONARY; DELTA_BINARY_PACKED: the lengths as
//              int32; levels: the definition levels of an optional column, as in a data page of version 1
//   WAY        arrow       Put(Array) / DecodeArrow into a BinaryBuilder; without validity.u8, DecodeArrowNonNull
//              bytearray   Put(ByteArray*) / Decode(ByteArray*), pointers and lengths; with nulls, PutSpaced and
//                          DecodeSpaced
//              dictionary  for RLE_DICTIONARY, decode: InsertDictionary, DecodeIndices into a DictionaryBuilder, as
//                          Arrow's reader does
//              integers    for DELTA_BINARY_PACKED; for RLE_DICTIONARY, decode: GetDictionary, DecodeIndices(int32_t*),
//                          which leaves nulls out; for levels: from and to int16
//              bitmap      for levels, decode: to int16 and by DefLevelsToBitmap to a bitmap, as Arrow's reader does
//
// What is timed is what Arrow's own benchmarks time. Encoding: a new encoder, Put, FlushValues (BM_ArrowBinaryPlain).
// Decoding: a new decoder, SetData, a new builder, DecodeArrow, and their end; the builder is not finished. The
// dictionary page is part of both: WriteDict, and a PLAIN decoder for SetDict. DELTA_BINARY_PACKED: encoder and decoder
// are kept (BM_DeltaBitPacking*). Before a case is timed first, its result is checked.

#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/api.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_dict.h>
#include <arrow/config.h>
#include <parquet/column_reader.h>
#include <parquet/column_writer.h>
#include <parquet/encoding.h>
#include <parquet/level_conversion.h>
#include <parquet/platform.h>
#include <parquet/schema.h>
#include <parquet/types.h>

namespace {

using parquet::ByteArray;
using parquet::ByteArrayType;
using parquet::Encoding;
using Accumulator = parquet::EncodingTraits<ByteArrayType>::Accumulator;
using IndexBuilder = arrow::BinaryDictionary32Builder;
using Decoder = std::unique_ptr<parquet::ByteArrayDecoder>;
using DictDecoder = std::unique_ptr<parquet::DictDecoder<ByteArrayType>>;
using Buffer = std::shared_ptr<arrow::Buffer>;

[[noreturn]] void Die(const std::string& what) { throw std::runtime_error(what); }

void Must(const arrow::Status& status) {
  if (!status.ok()) Die(status.ToString());
}

template <typename T>
T Must(arrow::Result<T> result) {
  if (!result.ok()) Die(result.status().ToString());
  return std::move(result).ValueOrDie();
}

// Makes the compiler believe that the value is used.
template <typename T>
void Keep(const T& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

Buffer ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) Die("cannot open " + path);
  const int64_t size = in.tellg();
  Buffer buffer = Must(arrow::AllocateBuffer(size));
  in.seekg(0);
  in.read(reinterpret_cast<char*>(buffer->mutable_data()), size);
  if (!in) Die("cannot read " + path);
  return buffer;
}

void WriteFile(const std::string& path, const arrow::Buffer& data) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(data.data()), data.size());
  out.close();
  if (!out) Die("cannot write " + path);
}

// ---------------------------------------------------------------------------------------------------- the column

struct Column {
  int num_values = 0;
  int num_valid = 0;
  Buffer bitmap_buffer;
  const uint8_t* bitmap = nullptr;  // null where the column has no validity
  std::shared_ptr<arrow::BinaryArray> array;
  std::vector<ByteArray> values;
  std::vector<int32_t> lengths;  // of the values that are present
  std::vector<int16_t> levels;   // 1 where a value is present

  int null_count() const { return num_values - num_valid; }
};

Column ReadColumn(const std::string& folder) {
  Column column;
  const Buffer offsets = ReadFile(folder + "/offsets.i32");
  const Buffer data = ReadFile(folder + "/data.u8");
  const int count = static_cast<int>(offsets->size() / 4) - 1;
  column.num_values = column.num_valid = count;

  if (std::ifstream(folder + "/validity.u8")) {
    const Buffer validity = ReadFile(folder + "/validity.u8");
    if (validity->size() != count) Die("validity.u8 has another length than the column");
    column.bitmap_buffer = Must(arrow::AllocateEmptyBitmap(count));
    uint8_t* bits = column.bitmap_buffer->mutable_data();
    for (int i = 0; i < count; ++i) bits[i >> 3] |= static_cast<uint8_t>((validity->data()[i] != 0) << (i & 7));
    column.bitmap = bits;
    column.num_valid = static_cast<int>(count - std::count(validity->data(), validity->data() + count, 0));
  }
  column.array =
      std::make_shared<arrow::BinaryArray>(count, offsets, data, column.bitmap_buffer, column.null_count());
  Must(column.array->ValidateFull());
  for (int i = 0; i < count; ++i) {
    column.values.emplace_back(column.array->GetView(i));
    if (column.array->IsValid(i)) column.lengths.push_back(column.array->value_length(i));
    column.levels.push_back(column.array->IsValid(i));
  }
  return column;
}

bool Same(const std::vector<ByteArray>& got, const std::vector<ByteArray>& want, const uint8_t* bitmap) {
  for (size_t i = 0; i < want.size(); ++i) {
    if (bitmap != nullptr && !(bitmap[i >> 3] >> (i & 7) & 1)) continue;
    if (std::string_view(got[i]) != std::string_view(want[i])) return false;
  }
  return got.size() == want.size();
}

// --------------------------------------------------------------------------------------------------------- cases

// What goes into a file: the values section of a data page, and for RLE_DICTIONARY the dictionary page before it.
struct Page {
  Buffer values;
  Buffer dictionary;
  int num_entries = 0;

  bool operator==(const Page& other) const {
    if (dictionary != nullptr && !dictionary->Equals(*other.dictionary)) return false;
    return values->Equals(*other.values) && num_entries == other.num_entries;
  }
};

// A case: what is timed, and what tells whether its result is right.
struct Case {
  std::function<void()> run;
  std::function<bool()> check;
};

class Peer {
 public:
  explicit Peer(const std::string& folder)
      : column_(ReadColumn(folder)),
        pointers_(column_.values.size()),
        integers_(column_.lengths.size()),
        levels_(column_.levels.size()),
        bitmap_(column_.levels.size() / 8 + 1) {}

  Page Encode(const std::string& encoding, const std::string& way) {
    if (encoding == "DELTA_BINARY_PACKED") return {EncodeIntegers(), nullptr};
    if (encoding == "levels") return {EncodeLevels(), nullptr};
    return EncodeStrings(EncodingOf(encoding), way);
  }

  Case Find(const std::string& operation, const std::string& encoding, const std::string& way) {
    if (operation == "encode") {
      const Page page = Encode(encoding, "arrow");
      return {[=, this] { Keep(Encode(encoding, way).values->data()); },
              [=, this] { return Encode(encoding, way) == page; }};
    }
    if (operation != "decode") Die("unknown operation " + operation);
    const Page page = Encode(encoding, "arrow");
    if (encoding == "DELTA_BINARY_PACKED") {
      return {[=, this] { DecodeIntegers(page); }, [=, this] {
                DecodeIntegers(page);
                return integers_ == column_.lengths;
              }};
    }
    if (encoding == "levels") return DecodingLevels(page, way == "bitmap");
    const Encoding::type type = EncodingOf(encoding);
    if (way == "arrow") {
      return {[=, this] { Keep(DecodeArrow(type, page).builder.get()); }, [=, this] {
                Accumulator decoded = DecodeArrow(type, page);
                if (!decoded.chunks.empty()) Die("decoded in chunks: the column is too large");
                return Must(decoded.builder->Finish())->Equals(*column_.array);
              }};
    }
    if (way == "bytearray") {
      return {[=, this] { DecodePointers(type, page); }, [=, this] {
                const Decoder decoder = DecodePointers(type, page);
                return Same(pointers_, column_.values, column_.bitmap);
              }};
    }
    if (way == "dictionary") {
      return {[=, this] { Keep(DecodeToDictionary(page)->length()); },
              [=, this] { return IsColumn(Must(DecodeToDictionary(page)->Finish())); }};
    }
    if (way == "integers") {
      return {[=, this] { DecodeIndices(page); }, [=, this] { return AreValues(DecodeIndices(page)); }};
    }
    Die("unknown way " + way);
  }

 private:
  static Encoding::type EncodingOf(const std::string& name) {
    if (name == "PLAIN") return Encoding::PLAIN;
    if (name == "DELTA_LENGTH_BYTE_ARRAY") return Encoding::DELTA_LENGTH_BYTE_ARRAY;
    if (name == "DELTA_BYTE_ARRAY") return Encoding::DELTA_BYTE_ARRAY;
    if (name == "RLE_DICTIONARY") return Encoding::RLE_DICTIONARY;
    Die("unknown encoding " + name);
  }

  // ------------------------------------------------------------------------------------------------------- strings

  Page EncodeStrings(Encoding::type type, const std::string& way) const {
    const bool indexed = type == Encoding::RLE_DICTIONARY;
    const auto encoder =
        parquet::MakeTypedEncoder<ByteArrayType>(indexed ? Encoding::PLAIN : type, indexed, &descriptor_);
    if (way == "arrow") {
      encoder->Put(*column_.array);
    } else if (way == "bytearray" && column_.null_count() == 0) {
      encoder->Put(column_.values.data(), column_.num_values);
    } else if (way == "bytearray") {
      encoder->PutSpaced(column_.values.data(), column_.num_values, column_.bitmap, 0);
    } else {
      Die("unknown way " + way);
    }
    Page page{encoder->FlushValues(), nullptr};
    if (indexed) {
      const auto& dictionary = dynamic_cast<parquet::DictEncoder<ByteArrayType>&>(*encoder);
      page.dictionary = Must(arrow::AllocateBuffer(dictionary.dict_encoded_size()));
      dictionary.WriteDict(page.dictionary->mutable_data());
      page.num_entries = dictionary.num_entries();
    }
    return page;
  }

  // As a page reader does, the decoder is told the number of slots, nulls included.
  Decoder Open(Encoding::type type, const Page& page) const {
    if (type == Encoding::RLE_DICTIONARY) return OpenIndices(page);
    Decoder decoder = parquet::MakeTypedDecoder<ByteArrayType>(type, &descriptor_);
    decoder->SetData(column_.num_values, page.values->data(), static_cast<int>(page.values->size()));
    return decoder;
  }

  DictDecoder OpenIndices(const Page& page) const {
    const Decoder entries = parquet::MakeTypedDecoder<ByteArrayType>(Encoding::PLAIN, &descriptor_);
    entries->SetData(page.num_entries, page.dictionary->data(), static_cast<int>(page.dictionary->size()));
    DictDecoder decoder = parquet::MakeDictDecoder<ByteArrayType>(&descriptor_);
    decoder->SetDict(entries.get());  // copies them
    decoder->SetData(column_.num_values, page.values->data(), static_cast<int>(page.values->size()));
    return decoder;
  }

  Accumulator DecodeArrow(Encoding::type type, const Page& page) const {
    const Decoder decoder = Open(type, page);
    Accumulator decoded;
    decoded.builder = std::make_unique<arrow::BinaryBuilder>();
    const int done =
        column_.bitmap == nullptr
            ? decoder->DecodeArrowNonNull(column_.num_values, &decoded)
            : decoder->DecodeArrow(column_.num_values, column_.null_count(), column_.bitmap, 0, &decoded);
    if (done != column_.num_valid) Die("DecodeArrow: another number of values");
    return decoded;
  }

  // The pointers are into the page or into memory of the decoder, which is therefore handed back.
  Decoder DecodePointers(Encoding::type type, const Page& page) {
    const int count = column_.num_values;
    Decoder decoder = Open(type, page);
    const int done =
        column_.null_count() == 0
            ? decoder->Decode(pointers_.data(), count)
            : decoder->DecodeSpaced(pointers_.data(), count, column_.null_count(), column_.bitmap, 0);
    if (done != count) Die("Decode: another number of values");
    Keep(pointers_.data());
    return decoder;
  }

  std::unique_ptr<IndexBuilder> DecodeToDictionary(const Page& page) const {
    const DictDecoder decoder = OpenIndices(page);
    auto builder = std::make_unique<IndexBuilder>(arrow::default_memory_pool());
    decoder->InsertDictionary(builder.get());
    const int done = column_.bitmap == nullptr
                         ? decoder->DecodeIndices(column_.num_values, builder.get())
                         : decoder->DecodeIndicesSpaced(column_.num_values, column_.null_count(), column_.bitmap, 0,
                                                        builder.get());
    if (done != column_.num_valid) Die("DecodeIndices: another number of values");
    return builder;
  }

  bool IsColumn(const std::shared_ptr<arrow::Array>& array) const {
    const auto& decoded = dynamic_cast<const arrow::DictionaryArray&>(*array);
    const auto& dictionary = dynamic_cast<const arrow::BinaryArray&>(*decoded.dictionary());
    for (int i = 0; i < column_.num_values; ++i) {
      if (decoded.IsValid(i) != column_.array->IsValid(i)) return false;
      if (decoded.IsNull(i)) continue;
      if (dictionary.GetView(decoded.GetValueIndex(i)) != column_.array->GetView(i)) return false;
    }
    return decoded.length() == column_.num_values;
  }

  DictDecoder DecodeIndices(const Page& page) {
    DictDecoder decoder = OpenIndices(page);
    if (decoder->DecodeIndices(column_.num_valid, integers_.data()) != column_.num_valid) {
      Die("DecodeIndices: another number of values");
    }
    Keep(integers_.data());
    return decoder;
  }

  bool AreValues(const DictDecoder& decoder) const {
    const ByteArray* dictionary;
    int32_t size;
    decoder->GetDictionary(&dictionary, &size);
    auto index = integers_.begin();
    for (int i = 0; i < column_.num_values; ++i) {
      if (column_.array->IsNull(i)) continue;
      if (*index >= size || std::string_view(dictionary[*index]) != column_.array->GetView(i)) return false;
      ++index;
    }
    return true;
  }

  // ------------------------------------------------------------------------------------------------------ integers

  Buffer EncodeIntegers() {
    integer_encoder_->Put(column_.lengths.data(), static_cast<int>(column_.lengths.size()));
    return integer_encoder_->FlushValues();
  }

  void DecodeIntegers(const Page& page) {
    const int count = static_cast<int>(integers_.size());
    integer_decoder_->SetData(count, page.values->data(), static_cast<int>(page.values->size()));
    if (integer_decoder_->Decode(integers_.data(), count) != count) Die("Decode: another number of integers");
    Keep(integers_.data());
  }

  // -------------------------------------------------------------------------------------------------------- levels

  // What Arrow's writer does with its levels for a data page of version 1: their length, then they.
  Buffer EncodeLevels() const {
    const int count = column_.num_values;
    const int size = parquet::LevelEncoder::MaxBufferSize(Encoding::RLE, kPresent, count);
    int32_t length;
    std::unique_ptr<arrow::ResizableBuffer> page = Must(arrow::AllocateResizableBuffer(sizeof length + size));
    parquet::LevelEncoder encoder;
    encoder.Init(Encoding::RLE, kPresent, count, page->mutable_data() + sizeof length, size);
    if (encoder.Encode(count, column_.levels.data()) != count) Die("Encode: another number of levels");
    length = encoder.len();
    std::memcpy(page->mutable_data(), &length, sizeof length);
    Must(page->Resize(sizeof length + length, /*shrink_to_fit=*/false));
    return page;
  }

  void DecodeLevels(const Page& page) {
    const int count = column_.num_values;
    parquet::LevelDecoder decoder;
    decoder.SetData(Encoding::RLE, kPresent, count, page.values->data(), static_cast<int>(page.values->size()));
    if (decoder.Decode(count, levels_.data()) != count) Die("Decode: another number of levels");
    Keep(levels_.data());
  }

  int64_t DecodeBitmap(const Page& page) {
    DecodeLevels(page);
    parquet::internal::LevelInfo optional;
    optional.IncrementOptional();
    parquet::internal::ValidityBitmapInputOutput decoded;
    decoded.values_read_upper_bound = column_.num_values;
    decoded.valid_bits = bitmap_.data();
    parquet::internal::DefLevelsToBitmap(levels_.data(), column_.num_values, optional, &decoded);
    Keep(bitmap_.data());
    return decoded.null_count;
  }

  Case DecodingLevels(const Page& page, bool to_bitmap) {
    if (!to_bitmap) {
      return {[=, this] { DecodeLevels(page); }, [=, this] {
                DecodeLevels(page);
                return levels_ == column_.levels;
              }};
    }
    return {[=, this] { DecodeBitmap(page); }, [=, this] {
              if (DecodeBitmap(page) != column_.null_count()) return false;
              for (size_t i = 0; i < levels_.size(); ++i) {
                if ((bitmap_[i >> 3] >> (i & 7) & 1) != column_.levels[i]) return false;
              }
              return true;
            }};
  }

  static constexpr int16_t kPresent = 1;  // the definition level of a value that is present

  Column column_;
  parquet::ColumnDescriptor descriptor_{parquet::schema::ByteArray("values"), 0, 0};
  std::vector<ByteArray> pointers_;
  std::vector<int32_t> integers_;
  std::vector<int16_t> levels_;
  std::vector<uint8_t> bitmap_;
  std::unique_ptr<parquet::Int32Encoder> integer_encoder_ =
      parquet::MakeTypedEncoder<parquet::Int32Type>(Encoding::DELTA_BINARY_PACKED);
  std::unique_ptr<parquet::Int32Decoder> integer_decoder_ =
      parquet::MakeTypedDecoder<parquet::Int32Type>(Encoding::DELTA_BINARY_PACKED);
};

// --------------------------------------------------------------------------------------------------------- requests

int64_t Nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::string Time(const Case& timed, int64_t milliseconds) {
  std::vector<int64_t> times;
  const int64_t end = Nanoseconds() + milliseconds * 1'000'000;
  for (int64_t now = 0; now < end || times.size() < 3;) {
    const int64_t start = Nanoseconds();
    timed.run();
    now = Nanoseconds();
    times.push_back(now - start);
  }
  const auto middle = times.begin() + times.size() / 2;
  std::nth_element(times.begin(), middle, times.end());
  return "{\"ns\": " + std::to_string(*middle) + ", \"runs\": " + std::to_string(times.size()) + "}";
}

std::string Info() {
  const auto build = arrow::GetBuildInfo();
  return "{\"version\": \"" + build.version_string + "\", \"compiler\": \"" + build.compiler_id + " " +
         build.compiler_version + "\", \"simd\": \"" + arrow::GetRuntimeInfo().simd_level + "\", \"pool\": \"" +
         arrow::default_memory_pool()->backend_name() + "\"}";
}

std::string Answer(Peer* peer, std::map<std::string, Case>* cases, const std::string& line) {
  std::istringstream words(line);
  std::string request, operation, encoding, way;
  words >> request;
  if (request == "info") return Info();
  if (request == "dump") {
    std::string file;
    words >> encoding >> std::ws;
    std::getline(words, file);
    const Page page = peer->Encode(encoding, "arrow");
    WriteFile(file, *page.values);
    if (page.dictionary != nullptr) WriteFile(file + ".dictionary", *page.dictionary);
    return "{}";
  }
  int64_t milliseconds = 0;
  words >> operation >> encoding >> way >> milliseconds;
  if (request != "time" || !words) Die("unknown request: " + line);
  const auto [found, added] = cases->try_emplace(operation + " " + encoding + " " + way);
  if (added) {
    found->second = peer->Find(operation, encoding, way);
    if (!found->second.check()) Die("wrong result: " + line);
  }
  return Time(found->second, milliseconds);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: arrow_peer FOLDER\n");
    return 2;
  }
  try {
    Peer peer(argv[1]);
    std::map<std::string, Case> cases;
    for (std::string line; std::getline(std::cin, line);) {
      std::cout << Answer(&peer, &cases, line) << std::endl;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "arrow_peer: %s\n", error.what());
    return 1;
  }
  return 0;
}
