#include "pickle/unpickle.h"

#include <array>
#include <bit>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "files/endian.h"

namespace ganscale::pickle {
namespace {

/// A pickle is a program for this machine, which has a stack and a memo.
class Machine {
 public:
  explicit Machine(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  Values run();

 private:
  using Operation = void (Machine::*)();
  static std::array<Operation, 256> operations();

  [[noreturn]] static void refuse(const std::string& why) { throw DataError(why); }

  std::span<const std::uint8_t> take(std::size_t count);
  std::uint8_t take_byte() { return take(1).front(); }
  std::uint32_t take_32() { return files::little_endian_32(take(4).data()); }
  std::string_view take_line();

  void push(Value value) { stack_.push_back(value); }
  Value pop();
  std::vector<Value> pop_to_mark();
  Value& top();
  template <class Kind>
  Kind pop_as(const char* what);
  void push_container(ContainerKind kind, std::vector<Value> items);
  void push_tuple_of(std::size_t count);
  const std::vector<Value>& pop_tuple(const char* what);
  std::vector<std::int64_t> numbers_of(const Value& tuple) const;
  template <class Kind>
  static Kind as(const Value& value, const char* what);
  void extend(ContainerKind kind, const std::vector<Value>& items);

  // The operations, by Python's names.
  void none() { push(std::monostate()); }
  void new_true() { push(true); }
  void new_false() { push(false); }
  void bin_int() { push(std::int64_t{static_cast<std::int32_t>(take_32())}); }
  void bin_int_1() { push(std::int64_t{take_byte()}); }
  void bin_int_2() { push(std::int64_t{files::little_endian_16(take(2).data())}); }
  void long_1();
  void bin_float();
  void bin_unicode();
  void mark() { marks_.push_back(stack_.size()); }
  void empty_tuple() { push_tuple_of(0); }
  void tuple_1() { push_tuple_of(1); }
  void tuple_2() { push_tuple_of(2); }
  void tuple_3() { push_tuple_of(3); }
  void tuple() { push_container(ContainerKind::kTuple, pop_to_mark()); }
  void empty_list() { push_container(ContainerKind::kList, {}); }
  void empty_dict() { push_container(ContainerKind::kDict, {}); }
  void append() { extend(ContainerKind::kList, {pop()}); }
  void appends() { extend(ContainerKind::kList, pop_to_mark()); }
  void set_item();
  void set_items() { extend(ContainerKind::kDict, pop_to_mark()); }
  void bin_put() { memo_[take_byte()] = top(); }
  void long_bin_put() { memo_[take_32()] = top(); }
  void bin_get() { get(take_byte()); }
  void long_bin_get() { get(take_32()); }
  void get(std::uint32_t index);
  void global();
  void reduce();
  void build();
  void bin_persistent_id();
  void unknown();

  void call(Function function, const std::vector<Value>& arguments);
  void rebuild_tensor(const std::vector<Value>& arguments);

  std::span<const std::uint8_t> bytes_;
  std::size_t position_ = 0;
  std::vector<Value> stack_;
  std::vector<std::size_t> marks_;  // sizes of the stack
  std::unordered_map<std::uint32_t, Value> memo_;
  Values values_;
};

constexpr std::uint8_t kProtocol = 0x80;
constexpr std::uint8_t kStop = '.';
constexpr std::size_t kMostDimensions = 16;
constexpr std::size_t kLongestGlobal = 200;  // in a message

std::array<Machine::Operation, 256> Machine::operations() {
  std::array<Operation, 256> table;
  table.fill(&Machine::unknown);
  const std::pair<std::uint8_t, Operation> known[] = {{'N', &Machine::none},
                                                      {0x88, &Machine::new_true},
                                                      {0x89, &Machine::new_false},
                                                      {'J', &Machine::bin_int},
                                                      {'K', &Machine::bin_int_1},
                                                      {'M', &Machine::bin_int_2},
                                                      {0x8a, &Machine::long_1},
                                                      {'G', &Machine::bin_float},
                                                      {'X', &Machine::bin_unicode},
                                                      {'(', &Machine::mark},
                                                      {')', &Machine::empty_tuple},
                                                      {0x85, &Machine::tuple_1},
                                                      {0x86, &Machine::tuple_2},
                                                      {0x87, &Machine::tuple_3},
                                                      {'t', &Machine::tuple},
                                                      {']', &Machine::empty_list},
                                                      {'}', &Machine::empty_dict},
                                                      {'a', &Machine::append},
                                                      {'e', &Machine::appends},
                                                      {'s', &Machine::set_item},
                                                      {'u', &Machine::set_items},
                                                      {'q', &Machine::bin_put},
                                                      {'r', &Machine::long_bin_put},
                                                      {'h', &Machine::bin_get},
                                                      {'j', &Machine::long_bin_get},
                                                      {'c', &Machine::global},
                                                      {'R', &Machine::reduce},
                                                      {'b', &Machine::build},
                                                      {'Q', &Machine::bin_persistent_id}};
  for (const auto& [code, operation] : known) table[code] = operation;
  return table;
}

Values Machine::run() {
  static const auto kOperations = operations();
  try {
    if (take_byte() != kProtocol || take_byte() != 2)
      refuse("not a pickle of protocol 2, which torch.save() writes by default");
    for (std::uint8_t code = take_byte(); code != kStop; code = take_byte())
      (this->*kOperations[code])();
    values_.root = pop();
  } catch (const DataError& error) {
    throw DataError(std::string(error.what()) + " (before byte " + std::to_string(position_) +
                    " of the pickle)");
  }
  return std::move(values_);
}

std::span<const std::uint8_t> Machine::take(std::size_t count) {
  if (count > bytes_.size() - position_) refuse("the pickle is truncated");
  const auto taken = bytes_.subspan(position_, count);
  position_ += count;
  return taken;
}

std::string_view Machine::take_line() {
  const std::string_view rest(reinterpret_cast<const char*>(bytes_.data()) + position_,
                              bytes_.size() - position_);
  const auto length = rest.find('\n');
  if (length == std::string_view::npos) refuse("the pickle is truncated");
  position_ += length + 1;
  return rest.substr(0, length);
}

Value& Machine::top() {
  if (stack_.size() <= (marks_.empty() ? 0 : marks_.back()))
    refuse("the pickle uses a value that it lacks");
  return stack_.back();
}

Value Machine::pop() {
  const Value value = top();
  stack_.pop_back();
  return value;
}

std::vector<Value> Machine::pop_to_mark() {
  if (marks_.empty()) refuse("the pickle ends a group that it did not begin");
  const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
  std::vector<Value> items(first, stack_.end());
  stack_.erase(first, stack_.end());
  marks_.pop_back();
  return items;
}

template <class Kind>
Kind Machine::as(const Value& value, const char* what) {
  const Kind* const found = std::get_if<Kind>(&value);
  if (found == nullptr) refuse(std::string("the pickle has a value of another kind as ") + what);
  return *found;
}

template <class Kind>
Kind Machine::pop_as(const char* what) {
  return as<Kind>(pop(), what);
}

void Machine::push_container(ContainerKind kind, std::vector<Value> items) {
  push(ContainerIndex{static_cast<std::uint32_t>(values_.containers.size())});
  values_.containers.push_back({kind, std::move(items)});
}

void Machine::push_tuple_of(std::size_t count) {
  std::vector<Value> items(count);
  for (std::size_t i = count; i > 0; --i) items[i - 1] = pop();
  push_container(ContainerKind::kTuple, std::move(items));
}

const std::vector<Value>& Machine::pop_tuple(const char* what) {
  const Container& tuple = values_[pop_as<ContainerIndex>(what)];
  if (tuple.kind != ContainerKind::kTuple)
    refuse(std::string("the pickle has no tuple as ") + what);
  return tuple.items;
}

std::vector<std::int64_t> Machine::numbers_of(const Value& tuple) const {
  const auto& items = values_[as<ContainerIndex>(tuple, "a tensor's shape")].items;
  if (items.size() > kMostDimensions) refuse("the pickle has a tensor of too many dimensions");
  std::vector<std::int64_t> numbers;
  for (const Value& number : items) numbers.push_back(as<std::int64_t>(number, "a tensor's size"));
  return numbers;
}

void Machine::extend(ContainerKind kind, const std::vector<Value>& items) {
  Container& container = values_[as<ContainerIndex>(top(), "a container")];
  if (container.kind != kind) refuse("the pickle adds to a container of another kind");
  if (kind == ContainerKind::kDict && items.size() % 2 != 0)
    refuse("the pickle has a key without a value");
  container.items.insert(container.items.end(), items.begin(), items.end());
}

void Machine::set_item() {
  const Value value = pop();
  const Value key = pop();
  extend(ContainerKind::kDict, {key, value});
}

void Machine::long_1() {
  const auto bytes = take(take_byte());
  if (bytes.size() > 8) refuse("the pickle has an integer of more than 64 bits");
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) number |= std::uint64_t{bytes[i]} << (8 * i);
  const auto unused_bits = bytes.empty() ? 0 : 64 - 8 * bytes.size();
  push(static_cast<std::int64_t>(number << unused_bits) >> unused_bits);  // extends the sign
}

void Machine::bin_float() {
  const auto* bytes = take(8).data();
  push(std::bit_cast<double>(std::uint64_t{files::big_endian_32(bytes)} << 32 |
                             files::big_endian_32(bytes + 4)));
}

void Machine::bin_unicode() {
  const auto bytes = take(take_32());
  push(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

void Machine::get(std::uint32_t index) {
  const auto found = memo_.find(index);
  if (found == memo_.end()) refuse("the pickle refers to a value that it lacks");
  push(found->second);
}

void Machine::global() {
  const std::string module(take_line());
  const std::string name(take_line());
  const std::string global = module + "." + name;
  if (global == "collections.OrderedDict") return push(Function::kOrderedDict);
  if (global == "torch._utils._rebuild_tensor_v2") return push(Function::kRebuildTensor);
  if (global == "torch._utils._rebuild_parameter") return push(Function::kRebuildParameter);
  if (module == "torch") {
    if (const auto dtype = dtype_of_storage(name)) return push(*dtype);
  }
  refuse("the file names " + global.substr(0, kLongestGlobal) +
         ", which is neither a tensor nor a plain value, and nothing of it was run; save only the "
         "tensors, in Python: torch.save(network.state_dict(), FILE)");
}

void Machine::reduce() {
  const std::vector<Value> arguments = pop_tuple("a function's arguments");
  call(pop_as<Function>("a function"), arguments);
}

void Machine::call(Function function, const std::vector<Value>& arguments) {
  switch (function) {
    case Function::kOrderedDict:
      if (!arguments.empty()) refuse("the pickle makes an OrderedDict from a value");
      return empty_dict();
    case Function::kRebuildTensor: return rebuild_tensor(arguments);
    case Function::kRebuildParameter:
      // the tensor, whether it requires gradients, hooks
      if (arguments.size() != 3) refuse("the pickle makes a parameter from other values");
      return push(as<TensorIndex>(arguments[0], "a parameter's tensor"));
  }
}

void Machine::rebuild_tensor(const std::vector<Value>& arguments) {
  // storage, offset, size, stride, whether it requires gradients, hooks, and in newer files metadata
  if (arguments.size() != 6 && arguments.size() != 7)
    refuse("the pickle makes a tensor from other values");
  const TensorView view{.storage = values_[as<StorageIndex>(arguments[0], "a tensor's storage")],
                        .offset = as<std::int64_t>(arguments[1], "a tensor's offset"),
                        .sizes = numbers_of(arguments[2]),
                        .strides = numbers_of(arguments[3])};
  require_in_storage(view);
  push(TensorIndex{static_cast<std::uint32_t>(values_.tensors.size())});
  values_.tensors.push_back(view);
}

void Machine::build() {
  pop_as<ContainerIndex>("a dict's attributes");
  if (values_[as<ContainerIndex>(top(), "an object with attributes")].kind != ContainerKind::kDict)
    refuse("the pickle gives attributes to a value that is no dict");
}

void Machine::bin_persistent_id() {
  // "storage", its class, key, device and number of elements
  const std::vector<Value> id = pop_tuple("a storage's name");
  if (id.size() != 5 || as<std::string_view>(id[0], "a kind of storage") != "storage")
    refuse("the pickle has an unknown kind of storage");
  const Storage storage{.dtype = as<Dtype>(id[1], "a storage's class"),
                        .key = as<std::string_view>(id[2], "a storage's key"),
                        .element_count = as<std::int64_t>(id[4], "a storage's size")};
  push(StorageIndex{static_cast<std::uint32_t>(values_.storages.size())});
  values_.storages.push_back(storage);
}

void Machine::unknown() {
  refuse("the pickle has an operation that files of tensors do not need: " +
         std::to_string(bytes_[position_ - 1]));
}

}  // namespace

Values unpickle(std::span<const std::uint8_t> bytes) { return Machine(bytes).run(); }

}  // namespace ganscale::pickle
