#include "specs/format/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "specs/error.hpp"
#include "specs/format/json.hpp"

namespace stackx::specs {
namespace {

constexpr std::size_t max_depth = 128;  // our formats need about 12

// nlohmann quotes the whole last token, which may be most of the file.
std::string shortened(std::string text, std::size_t most = 200) {
  if (text.size() > most) text = text.substr(0, most) + "...";
  return to_utf8(text);
}

class Builder : public nlohmann::json_sax<Json> {
 public:
  Builder(ParsedJson& result, const std::string& name, std::string_view text)
      : result_(result), name_(name), text_(text) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(std::int64_t value) override { return add(value); }
  bool number_unsigned(std::uint64_t value) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(Json::binary_t&) override { return false; }  // not in JSON text
  bool number_float(double value, const std::string& written) override {
    result_.numbers.emplace(place(), written);
    return add(value);
  }

  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }
  bool end_object() override {
    Level& level = levels_.back();
    if (!std::is_sorted(level.keys.begin(), level.keys.end()))
      result_.order.emplace(level.pointer, std::move(level.keys));
    return close();
  }
  bool key(std::string& key) override {
    Level& level = levels_.back();
    if (level.value.contains(key))
      throw bad_input(fmt::format("{}: {}: this key stands twice in its object; keep one", name_,
                                  shortened(append_token(level.pointer, key))));
    level.keys.push_back(key);
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
  struct Level {
    Json value;
    std::string pointer;
    std::vector<std::string> keys;  // of an object, as listed; the last one waits for its value
  };

  // The pointer of the value that comes next.
  std::string place() const {
    if (levels_.empty()) return "";
    const Level& level = levels_.back();
    return append_token(level.pointer, level.value.is_object()
                                           ? level.keys.back()
                                           : std::to_string(level.value.size()));
  }
  bool open(Json empty) {
    if (levels_.size() == max_depth)
      throw bad_input(
          fmt::format("{}: nested more than {} levels deep, at {}; no document of ours is", name_,
                      max_depth, shortened(levels_.back().pointer)));
    std::string pointer = place();
    levels_.push_back({std::move(empty), std::move(pointer), {}});
    return true;
  }
  bool close() {
    Json value = std::move(levels_.back().value);
    levels_.pop_back();
    return add(std::move(value));
  }
  bool add(Json value) {
    if (levels_.empty()) {
      result_.root = std::move(value);
    } else if (Level& level = levels_.back(); level.value.is_object()) {
      level.value[level.keys.back()] = std::move(value);
    } else {
      level.value.push_back(std::move(value));
    }
    return true;
  }

  ParsedJson& result_;
  const std::string& name_;
  std::string_view text_;
  std::vector<Level> levels_;
};

}  // namespace

ParsedJson read_json(std::string_view text, const std::string& name) {
  ParsedJson result;
  Builder builder(result, name, text);
  Json::sax_parse(text.begin(), text.end(), &builder);
  return result;
}

std::string append_token(const std::string& pointer, std::string_view token) {
  std::string result = pointer + '/';
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
