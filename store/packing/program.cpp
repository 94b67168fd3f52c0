#include "store/packing/program.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "store/packing/varint.hpp"

namespace stackx::store {
namespace {

// A number worth a reference to an earlier one: smaller ones are equal by chance.
constexpr std::int64_t worth_copying = 100'000;
constexpr std::int64_t looks_like_a_moment = 1'000'000'000'000'000;  // ns since the epoch: after 1970-01-12

// Quantities of a run, as our documents name them: they differ from run to run.
bool varies_by_name(std::string_view before) {
  if (!before.ends_with("\":")) return false;
  before.remove_suffix(before.ends_with("\\\":") ? 3 : 2);
  constexpr std::array endings{"_ns", "_s", "_bytes", "_faults", "_switches", "load_1m"};
  return std::ranges::any_of(endings, [&](const char* end) { return before.ends_with(end); });
}

std::int64_t at(const std::vector<Token>& tokens, std::size_t i, std::size_t back) {
  return i >= back && tokens[i - back].kind == Token::Kind::integer ? tokens[i - back].value : 0;
}

std::int64_t plus(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t minus(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

std::int64_t finish_of(const std::vector<Token>& tokens) {
  const auto time = std::ranges::find(tokens, Token::Kind::time, &Token::kind);
  return time == tokens.end() ? 0 : time->value;
}

std::int64_t sum_of(const std::vector<std::int64_t>& samples) {
  std::int64_t sum = 0;
  for (const std::int64_t sample : samples) sum = plus(sum, sample);
  return sum;
}

// Decimals whose text follows from a whole number: "0.0041" from 4100 millionths, "1.5" from 98304
// parts of 65536. `of_micro` and `of_binary` give the token of that number, and so its text.
constexpr std::int64_t binary_parts = 65536;
constexpr std::int64_t most_digits_shifted = std::int64_t{1} << 40;  // so that millionths have bits to spare

std::optional<Token> of_micro(std::int64_t millionths) {
  if (millionths < 0) return std::nullopt;
  std::uint32_t digits = 6;
  for (; digits > 1 && millionths % 10 == 0; --digits) millionths /= 10;
  return Token{Token::Kind::decimal, digits, millionths, 0};
}

std::optional<std::int64_t> micro_of(const Token& token) {
  if (token.kind != Token::Kind::decimal || token.format > 6 || token.format == 0 ||
      token.value < 0 || token.value > most_digits_shifted)
    return std::nullopt;
  std::int64_t millionths = token.value;
  for (std::uint32_t digits = token.format; digits < 6; ++digits) millionths *= 10;
  const auto again = of_micro(millionths);
  return again->format == token.format && again->value == token.value ? std::optional(millionths)
                                                                     : std::nullopt;
}

std::optional<Token> of_binary(std::int64_t parts) {
  if (parts < 0 || parts > binary_parts * binary_parts) return std::nullopt;
  // At most 16 digits after the point: parts / 2^16 = parts * 5^16 / 10^16, in whole numbers.
  std::int64_t whole = parts / binary_parts, fraction = parts % binary_parts;
  std::uint32_t digits = 0;
  do {
    fraction *= 10;
    if (__builtin_mul_overflow(whole, 10, &whole)) return std::nullopt;
    whole += fraction / binary_parts;
    fraction %= binary_parts;
    ++digits;
  } while (fraction != 0);
  return Token{Token::Kind::decimal, digits, whole, 0};
}

std::optional<std::int64_t> binary_of(const Token& token) {
  if (token.kind != Token::Kind::decimal || token.value < 0) return std::nullopt;
  const double parts = decimal_value(token) * static_cast<double>(binary_parts);
  if (!(parts >= 0 && parts <= 4e9) || parts != std::floor(parts)) return std::nullopt;
  const auto again = of_binary(static_cast<std::int64_t>(parts));
  return again && again->format == token.format && again->value == token.value
             ? std::optional(static_cast<std::int64_t>(parts))
             : std::nullopt;
}

[[noreturn]] void damaged() {
  throw broken_environment("a template is damaged: its program cannot be read");
}

enum DecimalForm : std::uint64_t { millionths, parts, digits };  // in the low two bits

void put_decimal(std::string& bytes, const Token& token, std::int64_t base) {
  if (const auto micro = micro_of(token)) {
    put_varint(bytes, zigzag(static_cast<std::uint64_t>(minus(*micro, base))) << 2 | millionths);
  } else if (const auto binary = binary_of(token)) {
    put_varint(bytes, static_cast<std::uint64_t>(*binary) << 2 | parts);
  } else {
    put_varint(bytes, std::uint64_t{token.format} << 2 | digits);
    put_varint(bytes, zigzag(static_cast<std::uint64_t>(token.value)));
  }
}

Token take_decimal(std::string_view& packed, std::int64_t base) {
  const std::uint64_t value = take_varint(packed), form = value & 3;
  std::optional<Token> token;
  if (form == millionths) token = of_micro(plus(static_cast<std::int64_t>(unzigzag(value >> 2)), base));
  if (form == parts) token = of_binary(static_cast<std::int64_t>(value >> 2));
  if (form == digits)
    token = Token{Token::Kind::decimal, static_cast<std::uint32_t>(value >> 2),
                  static_cast<std::int64_t>(unzigzag(take_varint(packed))), 0};
  if (!token) damaged();
  return *token;
}

std::int64_t in_nanoseconds(std::int64_t milliseconds) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(milliseconds) * 1'000'000U);
}

const std::vector<std::int64_t>& list_of(const Skeleton& numbers, const Token& token) {
  return numbers.lists[static_cast<std::size_t>(token.value)];
}

}  // namespace

Program::Operation Program::widest_for(const Token& token, std::int64_t base) {
  switch (token.kind) {
    case Token::Kind::integer:
      return {Kind::varies, 0, base};
    case Token::Kind::decimal:
      return {Kind::any_decimal, 0, micro_of(token).value_or(0)};
    case Token::Kind::list:
      return {Kind::any_list, 0, 0};
    default:
      return {Kind::time, 0, 0};
  }
}

Program::Operation Program::operation_for(const Skeleton& numbers, std::size_t i,
                                          const std::vector<std::int64_t>& samples,
                                          std::string_view before) {
  const Token& token = numbers.tokens[i];
  if (token.kind == Token::Kind::time) return {Kind::time, 0, 0};
  if (token.kind == Token::Kind::list)
    return list_of(numbers, token) == samples ? Operation{Kind::samples, 0, 0}
                                              : widest_for(token, 0);
  if (token.kind == Token::Kind::decimal)
    return varies_by_name(before) ? widest_for(token, 0)
                                  : Operation{Kind::decimal, token.format, token.value};
  if (token.value >= worth_copying)
    for (std::size_t back = 1; back <= i; ++back)
      if (at(numbers.tokens, i, back) == token.value)
        return {Kind::copy, 0, static_cast<std::int64_t>(back)};
  if (token.value >= looks_like_a_moment) {
    if (token.value == minus(at(numbers.tokens, i, 1), at(numbers.tokens, i, 2)))
      return {Kind::start_of_phase, 0, 0};
    const bool second = i < 6 || at(numbers.tokens, i, 6) < looks_like_a_moment;
    if (at(numbers.tokens, i, 3) >= looks_like_a_moment)
      return {second && at(numbers.tokens, i, 2) >= looks_like_a_moment ? Kind::end_of_first
                                                                        : Kind::end_of_phase,
              0, 0};
    return {Kind::near_finish, 0, 0};
  }
  if (before.ends_with("\"duration_ns\":") && !samples.empty() &&
      std::abs(minus(token.value, sum_of(samples))) < token.value / 100)
    return {Kind::sum_of_samples, 0, 0};
  return {varies_by_name(before) ? Kind::varies : Kind::constant, 0, token.value};
}

Program Program::first(const Skeleton& numbers, const std::vector<std::int64_t>& samples) {
  Program program;
  std::size_t mark = 0;
  for (std::size_t i = 0; i < numbers.tokens.size(); ++i, ++mark) {
    while (static_cast<unsigned char>(numbers.text[mark]) >= 0x20) ++mark;
    program.operations_.push_back(
        operation_for(numbers, i, samples, std::string_view(numbers.text).substr(0, mark)));
  }
  return program;
}

bool Program::holds(const Operation& operation, const Skeleton& numbers, std::size_t i,
                    const std::vector<std::int64_t>& samples) const {
  const Token& token = numbers.tokens[i];
  switch (operation.kind) {
    case Kind::constant:
      return token.kind == Token::Kind::integer && token.value == operation.value;
    case Kind::decimal:
      return token.kind == Token::Kind::decimal && token.value == operation.value &&
             token.format == operation.format;
    case Kind::copy:
      return token.kind == Token::Kind::integer &&
             token.value == at(numbers.tokens, i, static_cast<std::size_t>(operation.value));
    case Kind::start_of_phase:
      return token.kind == Token::Kind::integer &&
             token.value == minus(at(numbers.tokens, i, 1), at(numbers.tokens, i, 2));
    case Kind::samples:
      return token.kind == Token::Kind::list && list_of(numbers, token) == samples;
    case Kind::any_decimal:
      return token.kind == Token::Kind::decimal;
    case Kind::any_list:
      return token.kind == Token::Kind::list;
    case Kind::time:
      return token.kind == Token::Kind::time;
    case Kind::varies:
    case Kind::sum_of_samples:
    case Kind::end_of_phase:
    case Kind::end_of_first:
    case Kind::near_finish:
      return token.kind == Token::Kind::integer;
  }
  return false;
}

bool Program::holds(const Skeleton& numbers, const std::vector<std::int64_t>& samples) const {
  if (numbers.tokens.size() != operations_.size()) return false;
  for (std::size_t i = 0; i < operations_.size(); ++i)
    if (!holds(operations_[i], numbers, i, samples)) return false;
  return true;
}

std::size_t Program::misfits(const Skeleton& numbers,
                             const std::vector<std::int64_t>& samples) const {
  if (numbers.tokens.size() != operations_.size()) return operations_.size();
  std::size_t count = 0;
  for (std::size_t i = 0; i < operations_.size(); ++i)
    count += !holds(operations_[i], numbers, i, samples);
  return count;
}

Program Program::rebased(const Skeleton& numbers, const std::vector<std::int64_t>& samples) const {
  Program program = *this, own = first(numbers, samples);
  for (std::size_t i = 0; i < operations_.size(); ++i)
    if (!holds(operations_[i], numbers, i, samples)) program.operations_[i] = own.operations_[i];
  return program;
}

Program Program::widened(const Skeleton& numbers, const std::vector<std::int64_t>& samples) const {
  Program program = *this;
  for (std::size_t i = 0; i < operations_.size(); ++i)
    if (!holds(operations_[i], numbers, i, samples)) {
      const bool constant = operations_[i].kind == Kind::constant;
      program.operations_[i] =
          widest_for(numbers.tokens[i], constant ? operations_[i].value : numbers.tokens[i].value);
    }
  return program;
}

std::string Program::pack(const Skeleton& numbers, const std::vector<std::int64_t>& samples) const {
  std::string bytes;
  const std::int64_t finished = finish_of(numbers.tokens);
  put_varint(bytes, zigzag(static_cast<std::uint64_t>(finished)));
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const Operation& operation = operations_[i];
    const Token& token = numbers.tokens[i];
    switch (operation.kind) {
      case Kind::varies:
        put_difference(bytes, token.value, operation.value);
        break;
      case Kind::any_decimal:
        put_decimal(bytes, token, operation.value);
        break;
      case Kind::sum_of_samples:
        put_difference(bytes, token.value, sum_of(samples));
        break;
      case Kind::end_of_first:
        put_difference(bytes, token.value,
                       plus(at(numbers.tokens, i, 1), at(numbers.tokens, i, 2)));
        break;
      case Kind::any_list: {
        const auto& values = list_of(numbers, token);
        put_varint(bytes, values.size());
        std::int64_t previous = 0;
        for (const std::int64_t value : values) {
          put_difference(bytes, value, previous);
          previous = value;
        }
        break;
      }
      case Kind::end_of_phase:
        put_difference(bytes, token.value,
                       plus(at(numbers.tokens, i, 1), at(numbers.tokens, i, 3)));
        break;
      case Kind::near_finish:
        put_difference(bytes, token.value, in_nanoseconds(finished));
        break;
      default:  // nothing to say
        break;
    }
  }
  return bytes;
}

Numbers Program::unpack(std::string_view packed, const std::vector<std::int64_t>& samples) const {
  Numbers numbers;
  numbers.tokens.reserve(operations_.size());
  const auto finished = static_cast<std::int64_t>(unzigzag(take_varint(packed)));
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const Operation& operation = operations_[i];
    Token token;
    const auto one = [&] { return at(numbers.tokens, i, 1); };
    switch (operation.kind) {
      case Kind::constant:
        token.value = operation.value;
        break;
      case Kind::decimal:
        token = {Token::Kind::decimal, operation.format, operation.value, 0};
        break;
      case Kind::varies:
        token.value = take_difference(packed, operation.value);
        break;
      case Kind::any_decimal:
        token = take_decimal(packed, operation.value);
        break;
      case Kind::sum_of_samples:
        token.value = take_difference(packed, sum_of(samples));
        break;
      case Kind::end_of_first:
        token.value = take_difference(packed, plus(one(), at(numbers.tokens, i, 2)));
        break;
      case Kind::copy:
        token.value = at(numbers.tokens, i, static_cast<std::size_t>(operation.value));
        break;
      case Kind::samples:
        token = {Token::Kind::list, 0, static_cast<std::int64_t>(numbers.lists.size()), 0};
        numbers.lists.push_back(samples);
        break;
      case Kind::any_list: {
        token = {Token::Kind::list, 0, static_cast<std::int64_t>(numbers.lists.size()), 0};
        const std::uint64_t size = take_varint(packed);
        if (size > packed.size()) damaged();  // a value takes a byte at least
        std::vector<std::int64_t> values;
        std::int64_t previous = 0;
        for (std::uint64_t k = 0; k < size; ++k)
          values.push_back(previous = take_difference(packed, previous));
        numbers.lists.push_back(std::move(values));
        break;
      }
      case Kind::end_of_phase:
        token.value = take_difference(packed, plus(one(), at(numbers.tokens, i, 3)));
        break;
      case Kind::start_of_phase:
        token.value = minus(one(), at(numbers.tokens, i, 2));
        break;
      case Kind::near_finish:
        token.value = take_difference(packed, in_nanoseconds(finished));
        break;
      case Kind::time:
        token = {Token::Kind::time, 0, finished, 0};
        break;
    }
    numbers.tokens.push_back(token);
  }
  if (!packed.empty()) damaged();
  return numbers;
}

bool Program::has_value(Kind kind) {
  return kind == Kind::constant || kind == Kind::decimal || kind == Kind::varies ||
         kind == Kind::any_decimal || kind == Kind::copy;
}

std::string Program::bytes() const {
  std::string bytes;
  for (const Operation& operation : operations_) {
    bytes += static_cast<char>(operation.kind);
    if (operation.kind == Kind::decimal) put_varint(bytes, operation.format);
    if (has_value(operation.kind))
      put_varint(bytes, zigzag(static_cast<std::uint64_t>(operation.value)));
  }
  return bytes;
}

Program Program::from(std::string_view bytes) {
  Program program;
  while (!bytes.empty()) {
    Operation operation;
    operation.kind = static_cast<Kind>(bytes.front());
    bytes.remove_prefix(1);
    if (operation.kind > Kind::time) damaged();
    if (operation.kind == Kind::decimal)
      operation.format = static_cast<std::uint32_t>(take_varint(bytes));
    if (has_value(operation.kind))
      operation.value = static_cast<std::int64_t>(unzigzag(take_varint(bytes)));
    const auto index = static_cast<std::int64_t>(program.operations_.size());
    if (operation.kind == Kind::copy && (operation.value < 1 || operation.value > index)) damaged();
    program.operations_.push_back(operation);
  }
  return program;
}

std::int64_t packed_finish(std::string_view packed) {
  return static_cast<std::int64_t>(unzigzag(take_varint(packed)));
}

}  // namespace stackx::store
