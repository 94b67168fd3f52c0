#include "specs/thoth/amun.hpp"

#include <fmt/format.h>

#include <charconv>
#include <fstream>

#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/format/quantity.hpp"
#include "specs/format/text_file.hpp"
#include "specs/format/toml.hpp"
#include "specs/python/pipfile.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::specs {
namespace {

namespace fs = std::filesystem;

std::string place(const Node& node) { return fmt::format("{}: {}", node.file(), node.pointer()); }

void known_keys(const Node& object, std::initializer_list<std::string_view> known) {
  Json plain = Json::object();
  for (const auto& [key, value] : object.members())
    if (!key.starts_with("@")) plain[key] = nullptr;
  try {
    Node::parse_text(plain.dump(), object.file()).only(known);
  } catch (const Error& error) {  // told without the pointer
    const std::string message = error.what();
    object.fail(message.substr(std::min(message.size(), object.file().size() + 2)));
  }
}

std::string text_without_nul(const Node& node) {
  const auto text = node.scalar();
  if (text.find('\0') != text.npos) node.fail("cannot hold a NUL character");
  return text;
}

// 20, "20" and "" (not stated).
std::optional<std::int64_t> whole_number(const Node& object, std::string_view key) {
  const auto node = object.find(key);
  if (!node) return std::nullopt;
  const auto text = node->scalar();
  std::int64_t value = 0;
  const auto digits = trim(text).text;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty()) return std::nullopt;
  if (error != std::errc() || end != digits.data() + digits.size() || value < 0)
    node->fail(fmt::format("expected a whole number, found {}", in_quotes(text)));
  return value;
}

// true, and how some clients write it.
bool flag(const Node& object, std::string_view key) {
  const auto node = object.find(key);
  if (!node) return false;
  const auto text = node->scalar();
  if (text == "true" || text == "True" || text == "1") return true;
  if (text == "false" || text == "False" || text == "0" || text.empty()) return false;
  node->fail(fmt::format("expected true or false, found {}", in_quotes(text)));
}

std::vector<std::string> words(const Node& object, std::string_view key) {
  std::vector<std::string> result;
  if (const auto list = object.find(key))
    for (const auto& item : list->items()) {
      const auto text = text_without_nul(item);
      if (!trim(text).text.empty()) result.emplace_back(trim(text).text);
    }
  return result;
}

std::string text(const Node& object, std::string_view key) {
  const auto node = object.find(key);
  return node ? text_without_nul(*node) : "";
}

double quantity(const Node& node) {
  const auto value = parse_quantity(node.scalar());
  if (!value) node.fail(fmt::format("{}, found {}", value.error(), in_quotes(node.scalar())));
  return *value;
}

AmunHardware read_hardware(const Node& node) {
  known_keys(node, {"cpu_family", "cpu_model", "physical_cpus", "processor"});
  return {whole_number(node, "cpu_family"), whole_number(node, "cpu_model"),
          whole_number(node, "physical_cpus"), text(node, "processor")};
}

AmunRequests read_requests(const Node& document, std::string_view phase) {
  AmunRequests result;
  const auto node = document.find(phase);
  if (!node) return result;
  known_keys(*node, {"requests"});
  const auto requests = node->find("requests");
  if (!requests) return result;
  known_keys(*requests, {"cpu", "memory", "hardware"});
  if (const auto cpu = requests->find("cpu")) result.cpus = quantity(*cpu);
  if (const auto memory = requests->find("memory")) result.memory_bytes = quantity(*memory);
  if (const auto hardware = requests->find("hardware")) result.hardware = read_hardware(*hardware);
  return result;
}

// [{"name", "value"}, ...], and {"NAME": "value", ...}.
std::map<std::string, std::string> read_environment(const Node& document) {
  std::map<std::string, std::string> result;
  const auto add = [&](const std::string& name, const Node& at, const std::string& value) {
    const bool valid = !name.empty() && !is_digit(name[0]) &&
                       name.find_first_not_of(
                           "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                           "0123456789_") == name.npos;
    if (!valid) at.fail("an environment variable's name holds letters, digits and '_' only");
    const auto [known, fresh] = result.emplace(name, value);
    if (!fresh && known->second != value)
      at.fail(fmt::format("{} is set to {} and to {}; keep one", name, in_quotes(known->second),
                          in_quotes(value)));
  };
  const auto node = document.find("environment");
  if (!node) return result;
  if (node->json().is_object()) {
    for (const auto& [name, value] : node->members()) add(name, value, text_without_nul(value));
    return result;
  }
  for (const auto& item : node->items()) {
    known_keys(item, {"name", "value"});
    const auto value = item.find("value");
    add(item.at("name").nonempty(), item.at("name"), value ? text_without_nul(*value) : "");
  }
  return result;
}

std::vector<AmunFile> read_files(const Node& document) {
  std::vector<AmunFile> result;
  const auto list = document.find("files");
  if (!list) return result;
  for (const auto& item : list->items()) {
    known_keys(item, {"path", "content"});
    const Node at = item.at("path");
    fs::path path(at.nonempty());
    for (const auto& part : path)
      if (part == "..") at.fail("expected a path without \"..\"");
    if (at.text().find('\0') != std::string::npos) at.fail("cannot hold a NUL character");
    // "relative will be taken from root"
    result.push_back(
        {(fs::path("/") / path).lexically_normal().string(), item.at("content").text()});
  }
  return result;
}

// A Pipfile's tables as JSON are TOML as well, where each value stands on one line.
std::string as_toml(const Json& value) {
  if (!value.is_object()) return value.dump();
  std::string members;
  for (const auto& [key, member] : value.items())
    if (!member.is_null())
      members += (members.empty() ? "" : ", ") + Json(key).dump() + " = " + as_toml(member);
  return "{" + members + "}";
}

PythonProject read_requirements(const Node& node, const fs::path& file) {
  std::string toml;
  if (node.json().is_string() && !trim(node.text()).text.starts_with("{")) {
    toml = node.text();
  } else {
    const Node object = node.json().is_string() ? Node::parse_text(node.text(), place(node)) : node;
    for (const auto& [table, value] : object.members()) {
      if (table != "packages" && table != "requires") continue;  // nothing else has an effect
      toml += fmt::format("[{}]\n", table);
      for (const auto& [key, entry] : value.members())
        if (!entry.json().is_null())
          toml += Json(key).dump() + " = " + as_toml(entry.json()) + "\n";
    }
  }
  auto project = parse_pipfile(TomlNode::parse_text(toml, place(node)), file, {});
  return project;
}

std::shared_ptr<const Node> read_locked(const Node& node) {
  if (!node.json().is_string()) return std::make_shared<const Node>(node);
  return std::make_shared<const Node>(Node::parse_text(node.text(), place(node)));
}

// "python_version" of a Pipfile's requires or a lock's _meta.requires.
std::string required_python(const Node& object) {
  const auto required = object.find("requires");
  if (!required || !required->json().is_object()) return "";
  for (const char* key : {"python_full_version", "python_version"})
    if (const auto version = required->find(key); version && version->scalar() != "*")
      return version->scalar();
  return "";
}

void read_python(const Node& document, AmunSpecification& result) {
  const auto python = document.find("python");
  if (!python) return;
  known_keys(*python, {"requirements", "requirements_locked"});
  if (const auto node = python->find("requirements")) {
    result.requirements = read_requirements(*node, result.file);
    if (!result.identifier.empty()) result.requirements->name = result.identifier;
    if (node->json().is_object()) result.python = required_python(*node);
    const auto& asked = result.requirements->python;  // a Pipfile as text
    if (result.python.empty() && asked) {
      const std::string range = asked->dependency.versions.text();
      result.python = range.substr(2, range.size() - (range.ends_with(".*") ? 4 : 2));
    }
  }
  if (const auto node = python->find("requirements_locked")) {
    result.locked = read_locked(*node);
    const auto meta = result.locked->find("_meta");
    if (const auto locked = meta ? required_python(*meta) : ""; !locked.empty())
      result.python = locked;
  }
}

}  // namespace

bool AmunSpecification::script_is_url() const {
  return (script.starts_with("https://") || script.starts_with("http://")) &&
         script.find_first_of(" \t\r\n") == script.npos;
}

std::optional<Lock> AmunSpecification::lock(const std::string& python_version,
                                            const std::string& platform) const {
  if (!locked) return std::nullopt;
  return read_pipfile_lock(*locked, file, python_version, platform);
}

AmunSpecification parse_amun(const Node& document) {
  known_keys(document,
             {"base", "identifier", "batch_size", "allowed_failures", "parallelism", "update",
              "update_string", "upgrade_pip", "packages", "python_packages", "package_manager",
              "python", "build", "run", "files", "environment", "script"});
  AmunSpecification result;
  result.file = document.file();
  const Node base = document.at("base");
  result.base = text_without_nul(base);
  if (trim(result.base).text.empty()) base.fail("expected the reference of a base image");
  result.identifier = text(document, "identifier");
  if (const auto size = whole_number(document, "batch_size"))
    result.batch_size = static_cast<std::uint64_t>(*size);
  if (result.batch_size == 0) document.at("batch_size").fail("expected at least one inspection");
  whole_number(document, "allowed_failures");
  whole_number(document, "parallelism");
  flag(document, "upgrade_pip");
  result.update = flag(document, "update");
  result.update_string = text(document, "update_string");
  result.packages = words(document, "packages");
  result.python_packages = words(document, "python_packages");
  if (const auto manager = text(document, "package_manager"); !manager.empty())
    result.package_manager = manager;
  read_python(document, result);
  result.environment = read_environment(document);
  result.files = read_files(document);
  result.build = read_requests(document, "build");
  result.run = read_requests(document, "run");
  result.script = text(document, "script");
  return result;
}

AmunSpecification load_amun(const fs::path& file) { return parse_amun(Node::parse_file(file)); }

bool is_amun_file(const fs::path& file) {
  std::error_code error;
  constexpr std::uintmax_t largest = 16 << 20;
  if (!fs::is_regular_file(file, error) || fs::file_size(file, error) > largest || error)
    return false;
  std::ifstream stream(file, std::ios::binary);
  char first = 0;
  if (!(stream >> first) || first != '{') return false;
  try {
    const Node document = Node::parse_file(file);
    const auto base = document.find("base");
    return base && base->json().is_string() && !document.find("$schema");
  } catch (const Error&) {
    return false;
  }
}

}  // namespace stackx::specs
