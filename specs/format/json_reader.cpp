#include "specs/format/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <new>
#include <regex>

#include "specs/error.hpp"
#include "specs/format/json.hpp"

namespace stackx::specs {
namespace {

// nlohmann quotes the whole last token, which may be most of the file.
std::string shortened(std::string text, std::size_t most = 200) {
  if (text.size() > most) text = text.substr(0, most) + "...";
  return to_utf8(text);
}

// Json's own destructor takes memory, and where there is none it ends the process.
void dissolve(Json& value) {
  if (value.is_array()) {
    auto& items = value.get_ref<Json::array_t&>();
    for (Json& item : items) dissolve(item);
    items.clear();
  } else if (value.is_object()) {
    auto& members = value.get_ref<Json::object_t&>();
    for (auto& [key, member] : members) dissolve(member);
    members.clear();
  }
}

class Builder : public nlohmann::json_sax<Json> {
 public:
  Builder(ParsedJson& result, const std::string& name, std::string_view text)
      : result_(result), name_(name), text_(text) {}

  ~Builder() override {
    for (Level& level : levels_) dissolve(level.value);
  }
  Builder(const Builder&) = delete;

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(std::int64_t value) override { return add(value); }
  bool number_unsigned(std::uint64_t value) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(Json::binary_t&) override { return false; }  // not in JSON text
  bool number_float(double value, const std::string& written) override {
    return add(value, is_usual(value, written) ? std::string() : written);
  }

  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override {
    Level& level = levels_.back();
    for (auto& [index, written] : level.written)
      result_.numbers.emplace(&level.value[index], std::move(written));
    return close();
  }
  bool end_object() override {
    Level& level = levels_.back();
    if (!std::is_sorted(level.keys.begin(), level.keys.end()))
      result_.order.emplace(level.value.get_ptr<Json::object_t*>(), std::move(level.keys));
    return close();
  }
  bool key(std::string& key) override {
    Level& level = levels_.back();
    const auto [member, fresh] = level.value.get_ref<Json::object_t&>().emplace(key, nullptr);
    level.keys.push_back(key);
    level.next = &member->second;
    if (!fresh)
      throw bad_input(fmt::format("{}: {}: this key stands twice in its object; keep one", name_,
                                  shortened(place())));
    if (key.size() > longest_key)
      throw bad_input(
          fmt::format("{}: {}: a key of more than {} bytes; no document of ours has one", name_,
                      shortened(place()), longest_key));
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const Json::exception& error) override {
    if (text_.find_first_not_of(" \t\r\n") == std::string_view::npos)
      throw bad_input(name_ + ": the file is empty; expected a JSON document");
    static const std::regex form(R"(^\[[^\]]*\] (?:parse error at line (\d+), column (\d+): )?)");
    const std::string what = error.what();
    std::smatch match;
    std::string place, message = what;
    if (std::regex_search(what, match, form)) {
      message = match.suffix();
      if (match[1].matched) place = fmt::format(":{}:{}", match[1].str(), match[2].str());
    }
    throw bad_input(fmt::format("{}{}: not JSON: {}", name_, place, shortened(message)));
  }

 private:
  // An array or object that is read; its elements keep their addresses when it moves into its parent.
  struct Level {
    Json value;
    std::vector<std::string> keys;  // of an object, as listed; the last one waits for its value
    Json* next = nullptr;           // the last key's
    std::vector<std::pair<std::size_t, std::string>>
        written;  // of an array: its numbers by their index
  };

  static bool is_usual(double value, const std::string& written) {
    std::array<char, 64> buffer{};
    const char* end =
        nlohmann::detail::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return written ==
           std::string_view(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  }

  // The pointer of the value that comes next.
  std::string place() const {
    std::string pointer;
    for (const Level& level : levels_)
      pointer = append_token(pointer, level.value.is_object() ? level.keys.back()
                                                              : std::to_string(level.value.size()));
    return pointer;
  }
  bool open(Json empty) {
    if (levels_.size() == deepest)
      throw bad_input(
          fmt::format("{}: nested more than {} levels deep, at {}; no document of ours is", name_,
                      deepest, shortened(place())));
    levels_.push_back({std::move(empty), {}, nullptr, {}});
    return true;
  }
  bool close() {
    slot(levels_.size() - 1) = std::move(levels_.back().value);
    levels_.pop_back();
    return true;
  }
  bool add(Json value, const std::string& written = {}) {
    Json& at = slot(levels_.size());
    at = std::move(value);
    if (written.empty()) return true;
    if (levels_.empty() || levels_.back().value.is_object())
      result_.numbers.emplace(&at, written);
    else  // it moves while the array grows
      levels_.back().written.emplace_back(levels_.back().value.size() - 1, written);
    return true;
  }
  // Where the next value within the first `depth` levels goes.
  Json& slot(std::size_t depth) {
    if (++values_ > most_values)
      throw bad_input(
          fmt::format("{}: more than {} values, at {}; no document of ours has so many, split it",
                      name_, most_values, shortened(place())));
    if (depth == 0) return result_.root;
    Level& level = levels_[depth - 1];
    return level.value.is_object() ? *level.next
                                   : level.value.get_ref<Json::array_t&>().emplace_back(nullptr);
  }

  ParsedJson& result_;
  const std::string& name_;
  std::string_view text_;
  std::vector<Level> levels_;
  std::size_t values_ = 0;
};

}  // namespace

ParsedJson::~ParsedJson() { dissolve(root); }

void read_json(std::string_view text, const std::string& name, ParsedJson& result) {
  if (text.size() > most_bytes)
    throw bad_input(
        fmt::format("{}: larger than {} MiB; split the document", name, most_bytes >> 20));
  try {
    Builder builder(result, name, text);
    Json::sax_parse(text.begin(), text.end(), &builder);
  } catch (const std::bad_alloc&) {
    throw broken_environment(
        fmt::format("{}: there is too little memory to read it; split the document", name));
  }
}

std::string append_token(const std::string& pointer, std::string_view token) {
  std::string result;
  result.reserve(pointer.size() + 1 + token.size());
  result.append(pointer).push_back('/');
  if (token.find_first_of("~/") == std::string_view::npos) return result.append(token);  // nearly all
  for (const char c : token) {
    if (c == '~') {
      result += "~0";
    } else if (c == '/') {
      result += "~1";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace stackx::specs
