#include "inspector/discover/environment_modules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <optional>

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_files = 20'000;  // a tree that holds more is no tree of modules
constexpr int deepest = 6;

using Variables = std::map<std::string, std::string>;

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// The words of a Tcl line: bare, "quoted" or {braced}; nothing if it holds a [command] or does not end.
std::optional<std::vector<std::string>> tcl_words(const std::string& line) {
  std::vector<std::string> result;
  for (std::size_t at = 0; at < line.size();) {
    if (line[at] == ' ' || line[at] == '\t' || line[at] == '\r' || line[at] == ';') {
      ++at;
      continue;
    }
    const char close = line[at] == '"' ? '"' : line[at] == '{' ? '}' : ' ';
    const std::size_t from = close == ' ' ? at : at + 1;
    const auto to = close == ' ' ? std::min(line.find_first_of(" \t\r;", from), line.size())
                                 : line.find(close, from);
    if (to == std::string::npos) return std::nullopt;
    result.push_back(line.substr(from, to - from));
    at = close == ' ' ? to : to + 1;
  }
  for (const auto& word : result)
    if (word.find('[') != std::string::npos) return std::nullopt;
  return result;
}

// "$root/lib", "${root}/lib"; nothing if a variable is unknown.
std::optional<std::string> tcl_value(const std::string& word, const Variables& variables) {
  std::string result;
  for (std::size_t at = 0; at < word.size();) {
    if (word[at] != '$') {
      result += word[at++];
      continue;
    }
    const bool braces = at + 1 < word.size() && word[at + 1] == '{';
    const std::size_t from = at + (braces ? 2 : 1);
    std::size_t to = from;
    while (to < word.size() && is_name_character(word[to])) ++to;
    const auto known = variables.find(word.substr(from, to - from));
    if (known == variables.end() || (braces && (to == word.size() || word[to] != '}')))
      return std::nullopt;
    result += known->second;
    at = to + (braces ? 1 : 0);
  }
  return result;
}

// A Lua expression of texts, names, "..", and pathJoin(a, b, ...).
class LuaExpression {
 public:
  LuaExpression(const std::string& text, const Variables& variables)
      : text_(text), variables_(variables) {}

  // The values of "a, b, c" up to the closing parenthesis, or the end.
  std::optional<std::vector<std::string>> list() {
    std::vector<std::string> result;
    do {
      auto value = sum();
      if (!value) return std::nullopt;
      result.push_back(std::move(*value));
    } while (take(","));
    return result;
  }

 private:
  bool take(std::string_view token) {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    if (text_.compare(at_, token.size(), token) != 0) return false;
    at_ += token.size();
    return true;
  }

  std::optional<std::string> sum() {
    auto value = term();
    while (value && take("..")) {
      const auto more = term();
      value = more ? std::optional(*value + *more) : std::nullopt;
    }
    return value;
  }

  std::optional<std::string> term() {
    for (const char* quote : {"\"", "'"}) {
      if (!take(quote)) continue;
      const auto end = text_.find(quote, at_);
      if (end == std::string::npos) return std::nullopt;
      auto value = text_.substr(at_, end - at_);
      at_ = end + 1;
      return value;
    }
    if (take("pathJoin")) return path_join();
    const auto from = at_;
    while (at_ < text_.size() && is_name_character(text_[at_])) ++at_;
    const auto known = variables_.find(text_.substr(from, at_ - from));
    return known == variables_.end() ? std::nullopt : std::optional(known->second);
  }

  std::optional<std::string> path_join() {
    if (!take("(")) return std::nullopt;
    const auto pieces = list();
    if (!pieces || !take(")")) return std::nullopt;
    std::string result;
    for (const auto& piece : *pieces) {
      if (!result.empty() && !result.ends_with('/') && !piece.starts_with('/')) result += '/';
      result += piece;
    }
    return result;
  }

  const std::string& text_;
  const Variables& variables_;
  std::size_t at_ = 0;
};

void add(EnvironmentModule& module, const std::string& variable, const std::string& value) {
  for (const auto& path : words(value, ":"))
    if (path.starts_with("/")) module.paths[variable].push_back(path);
}

void read_tcl(EnvironmentModule& module, const std::string& text) {
  Variables variables;
  for (const auto& line : words(text, "\n")) {
    auto tokens = tcl_words(line);
    if (!tokens) continue;
    // `prepend-path --delim=: PATH x`, `prepend-path -d : PATH x`: options are rare and skipped.
    std::erase_if(*tokens, [](const std::string& word) { return word.starts_with("--"); });
    if (tokens->size() != 3) continue;
    const auto value = tcl_value((*tokens)[2], variables);
    if (!value) continue;
    const auto& command = (*tokens)[0];
    if (command == "set") variables[(*tokens)[1]] = *value;
    if (command == "setenv" || command == "prepend-path" || command == "append-path")
      add(module, (*tokens)[1], *value);
  }
}

void read_lua_line(EnvironmentModule& module, Variables& variables, std::string line) {
  line = trim(line);
  if (line.starts_with("local ")) line = trim(line.substr(6));
  const auto equals = line.find('='), parenthesis = line.find('(');
  if (equals != std::string::npos && equals < parenthesis) {
    const auto name = trim(line.substr(0, equals));
    const auto rest = line.substr(equals + 1);
    const auto value = LuaExpression(rest, variables).list();
    if (value && value->size() == 1) variables[name] = (*value)[0];
    return;
  }
  if (parenthesis == std::string::npos) return;
  const auto call = trim(line.substr(0, parenthesis));
  if (call != "setenv" && call != "prepend_path" && call != "append_path" && call != "pushenv")
    return;
  const auto rest = line.substr(parenthesis + 1);
  const auto values = LuaExpression(rest, variables).list();
  if (values && values->size() >= 2) add(module, (*values)[0], (*values)[1]);
}

void read_lua(EnvironmentModule& module, const std::string& text) {
  Variables variables;
  for (const auto& line : words(text, "\n"))
    if (!trim(line).starts_with("--")) read_lua_line(module, variables, line);
}

struct Walk {
  const Tree& tree;
  std::size_t left = most_files;
  std::vector<EnvironmentModule> found;

  void into(const std::string& base, const std::string& below, int depth) {
    for (const auto& entry : tree.entries(base + below)) {
      if (left == 0 || entry.starts_with(".")) continue;
      --left;
      const auto path = below + "/" + entry;
      std::error_code error;
      if (fs::is_directory(tree.root() / fs::path(base + path).relative_path(), error)) {
        if (depth < deepest) into(base, path, depth + 1);
        continue;
      }
      auto name = path.substr(1);
      if (name.ends_with(".lua")) name.resize(name.size() - 4);
      if (!is_module_name(name)) continue;
      const auto text = tree.text(base + path);
      if (!text) continue;
      auto module = read_module(name, base + path, *text);
      if (!module.paths.empty()) found.push_back(std::move(module));
    }
  }
};

}  // namespace

std::vector<std::string> EnvironmentModule::of(const std::string& variable) const {
  const auto found = paths.find(variable);
  return found == paths.end() ? std::vector<std::string>() : found->second;
}

bool is_module_name(const std::string& name) {
  constexpr std::array<const char*, 20> wanted{
      "cuda",  "cudnn", "nvhpc",  "nvidia",     "openblas", "blas", "blis",
      "aocl",  "mkl",   "oneapi", "imkl",       "onednn",   "dnnl", "python",
      "conda", "numpy", "scipy",  "tensorflow", "torch",    "mxnet"};
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower.find("onnx") != std::string::npos || lower.find("jax") != std::string::npos)
    return true;
  return std::any_of(wanted.begin(), wanted.end(),
                     [&](const char* word) { return lower.find(word) != std::string::npos; });
}

EnvironmentModule read_module(std::string name, std::string file, const std::string& text) {
  EnvironmentModule module{std::move(name), std::move(file), {}};
  if (module.file.ends_with(".lua")) {
    read_lua(module, text);
  } else if (text.starts_with("#%Module")) {
    read_tcl(module, text);
  }
  return module;
}

std::vector<EnvironmentModule> find_modules(const Tree& tree, const std::string& module_path,
                                            const Remarks& remarks) {
  Walk walk{tree, most_files, {}};
  for (const auto& directory : words(module_path, ":"))
    if (directory.starts_with("/")) walk.into(directory, "", 0);
  if (walk.left == 0)
    remarks({Remark::note, fmt::format("environment modules: more than {} files below MODULEPATH; "
                                       "those beyond were not looked at",
                                       most_files)});
  std::stable_sort(walk.found.begin(), walk.found.end(),
                   [](const auto& a, const auto& b) { return a.name < b.name; });
  for (const auto& module : walk.found)
    remarks({Remark::note, fmt::format("module {}: {}", module.name, module.file)});
  return std::move(walk.found);
}

}  // namespace stackx::inspector
