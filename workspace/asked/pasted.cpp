#include "workspace/asked/pasted.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <regex>
#include <string_view>

#include "inspector/machine/tree.hpp"
#include "specs/error.hpp"
#include "specs/format/text_file.hpp"
#include "workspace/asked/shell_words.hpp"

namespace stackx::workspace {
namespace {

using Words = std::vector<std::string>;

constexpr std::array<std::string_view, 10> options_with_indexes{"-i", "--index-url", "--pypi-url", "--default-index", "--extra-index-url", "--index",
                                                                "-f", "--find-links", "--no-index", "--pre"};
// Where or how it is installed.
constexpr std::array<std::string_view, 26> flags_of_no_matter{
    "-U", "--upgrade", "--user", "-q", "-qq", "--quiet", "-v", "-vv", "--verbose", "--force-reinstall", "--reinstall", "-I", "--ignore-installed",
    "--no-cache-dir", "--no-cache", "--no-build-isolation", "--break-system-packages", "--system", "--prefer-binary", "--dry-run",
    "--require-hashes", "--disable-pip-version-check", "--root-user-action=ignore", "-y", "--no-input", "--dev"};
constexpr std::array<std::string_view, 17> values_of_no_matter{
    "-t", "--target", "--prefix", "--root", "--cache-dir", "--timeout", "--default-timeout", "--retries", "--proxy",
    "--trusted-host", "--progress-bar", "--upgrade-strategy", "--index-strategy", "--config-settings", "--src",
    "--log", "--root-user-action"};

bool has(const auto& names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

// "pip3.11", "/usr/bin/python3"
bool is_program(const std::string& word, const std::string& name) {
  auto program = word.substr(word.rfind('/') + 1);
  if (!program.starts_with(name)) return false;
  return program.find_first_not_of("0123456789.", name.size()) == program.npos;
}

// Of a prompt, a notebook's cell, a Containerfile.
void leave_out_what_is_before(Words& words) {
  while (words.size() > 1 && (words.front() == "$" || words.front() == "sudo" || words.front() == "RUN" || words.front() == "!" || words.front() == "%"))
    words.erase(words.begin());
  if (!words.empty() && words.front().size() > 1 && (words.front().front() == '!' || words.front().front() == '%')) words.front().erase(0, 1);
}

// Only its first words matter: those behind may hold what a shell would refuse.
Words beginning(const Words& words) {
  auto first = words.size() == 1 ? inspector::words(words.front(), " \t\r\n") : words;
  leave_out_what_is_before(first);
  return first;
}

// How many words name the installer; 0: it is none.
std::size_t words_of_installer(const Words& words) {
  const auto is = [&](std::size_t at, const char* word) { return at < words.size() && words[at] == word; };
  if (words.empty()) return 0;
  if (is_program(words[0], "pip") && is(1, "install")) return 2;
  if (is_program(words[0], "python") && is(1, "-m") && is(2, "pip") && is(3, "install")) return 4;
  if (words[0] == "uv" && is(1, "pip") && is(2, "install")) return 3;
  if (words[0] == "uv" && is(1, "add")) return 2;
  return 0;
}

class InstallerReader {
 public:
  explicit InstallerReader(Words words) : words_(std::move(words)) {}

  Pasted run() {
    for (at_ = words_of_installer(words_); at_ < words_.size(); ++at_)
      if (words_[at_].starts_with('-'))
        read_option(words_[at_]);
      else
        result_.requirements.push_back(words_[at_]);
    return std::move(result_);
  }

 private:
  void read_option(const std::string& word) {
    const bool is_long = word.starts_with("--");
    const auto end = is_long ? std::min(word.find('='), word.size()) : std::min<std::size_t>(2, word.size());
    const auto name = word.substr(0, end);
    if (has(flags_of_no_matter, word)) return;
    if (name == "-r" || name == "--requirement" || name == "--requirements") return result_.files.push_back(value(name, word, end));
    if (name == "-c" || name == "--constraint" || name == "--constraints") return result_.constraints.push_back(value(name, word, end));
    if (name == "-e" || name == "--editable") return result_.requirements.push_back("-e " + value(name, word, end));
    if (name == "-p" || name == "--python") return read_python(value(name, word, end));
    if (has(values_of_no_matter, name)) return void(value(name, word, end));
    if (!has(options_with_indexes, name))
      throw bad_input(fmt::format("{}: what {} does to what is installed is not known; leave it out", words_.front(), specs::in_quotes(word)));
    if (name == "--pre" || name == "--no-index") return result_.indexes.push_back(name);
    const auto as_pip = name == "--default-index" ? "--index-url" : name == "--index" ? "--extra-index-url" : name;
    result_.indexes.push_back(fmt::format("{} {}", as_pip, value(name, word, end)));
  }

  void read_python(const std::string& text) {
    if (text.empty() || text.find_first_not_of("0123456789.") != text.npos)
      throw bad_input(fmt::format("{}: --python {}: expected a version such as 3.11", words_.front(), specs::in_quotes(text)));
    result_.python = text;
  }

  // "-rFILE", "--index-url=URL", or the next word.
  std::string value(const std::string& name, const std::string& word, std::size_t end) {
    const bool here = word.size() > end;
    if (!here && at_ + 1 == words_.size()) throw bad_input(fmt::format("{}: {} needs a value", words_.front(), name));
    return here ? word.substr(end + (word[end] == '=' ? 1 : 0)) : words_[++at_];
  }

  Words words_;
  std::size_t at_ = 0;
  Pasted result_;
};

// Of what is longer no pattern is asked: std::regex goes as deep as a text is long.
bool is_short(const std::string& text) { return text.size() < 300; }

bool is_file(const std::string& text) {
  std::error_code error;
  return std::filesystem::exists(text, error);
}

// "nvcr.io/nvidia/pytorch:24.10-py3", "docker://pytorch/pytorch:2.5.1"
bool is_image(const std::string& text) {
  static const std::regex form(R"((docker://)?[\w.\-]+(:\d+)?(/[\w.\-]+)+:[\w.\-]+)");
  return is_short(text) && std::regex_match(text, form) && !is_file(text);
}

void refuse_container(const Words& words) {
  const auto begins = [&](std::initializer_list<const char*> programs, std::initializer_list<const char*> commands) {
    const auto is = [&](std::size_t at) { return [&words, at](const char* one) { return words[at] == one; }; };
    return words.size() > 1 && std::ranges::any_of(programs, is(0)) && std::ranges::any_of(commands, is(1));
  };
  const bool is_command = begins({"docker", "podman", "nerdctl", "singularity", "apptainer", "enroot"}, {"run", "pull", "exec", "build", "import"});
  const auto image = std::ranges::find_if(words, is_image);
  if (!is_command && (image == words.end() || words.size() > 1)) return;
  throw bad_input(fmt::format("{}: container images are not judged, only what is installed in one: docker run --rm {} pip freeze | stackx check - --hw MODEL",
                              specs::in_quotes(is_command ? words[0] + " " + words[1] : words[0]), image == words.end() ? "IMAGE" : *image));
}

void refuse_conda(const Words& words) {
  constexpr std::array<std::string_view, 3> programs{"conda", "mamba", "micromamba"};
  if (words.size() < 2 || !has(programs, words[0]) || (words[1] != "install" && words[1] != "create")) return;
  throw bad_input(fmt::format("{} {}: conda's packages are other builds than the package index's, and are not judged; ask about the index's, as in "
                              "\"torch==2.5.1\"",
                              words[0], words[1]));
}

bool is_version(const std::string& text) {
  static const std::regex form(R"(v?\d+(\.(\d+|\*))+((a|b|rc|\.post|\.dev)\d+)?(\+[\w.]+)?)");
  return std::regex_match(text, form);
}

std::string without_v(const std::string& version) { return version.substr(version.starts_with('v') ? 1 : 0); }

void refuse_versions(const Words& words) {
  static const std::regex glued(R"(([A-Za-z][\w.\-]*(?:\[[^\]]*\])?)(?:=|@)(v?\d[\w.*+]*)(=\S*)?)");  // conda's and npm's way
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!is_short(words[i]) || is_file(words[i])) continue;
    if (std::smatch parts; std::regex_match(words[i], parts, glued))
      throw bad_input(fmt::format("{} is no requirement; did you mean {}=={}?", specs::in_quotes(words[i]), parts[1].str(), without_v(parts[2].str())));
    if (!is_version(words[i])) continue;
    const bool follows = i > 0 && words[i - 1].find_first_of("=<>!~@/") == std::string::npos;
    throw bad_input(fmt::format("{} is no package; did you mean {}=={}?", words[i], follows ? words[i - 1] : "torch", without_v(words[i])));
  }
}

}  // namespace

bool is_installer(const Words& words) { return words_of_installer(beginning(words)) > 0; }

Pasted read_installer(const Words& words) {
  auto all = words.size() == 1 ? shell_words(words.front(), "the command") : words;
  leave_out_what_is_before(all);
  auto pasted = InstallerReader(std::move(all)).run();
  refuse_versions(pasted.requirements);
  return pasted;
}

void refuse_misread(const Words& words) {
  const auto first = beginning(words);
  refuse_container(first);
  refuse_conda(first);
  if (words.size() > 1) return refuse_versions(words);
  // "torch >= 2.5.1" is a requirement as it stands: of one word only what is a package and a version.
  if (first.size() <= 2) refuse_versions(first);
}

}  // namespace stackx::workspace
