#include "advisor/check/asked.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "advisor/check/asked_indexes.hpp"
#include "advisor/check/asked_machine.hpp"
#include "advisor/check/look_up.hpp"
#include "advisor/check/misspelt.hpp"
#include "advisor/check/of_conda.hpp"
#include "advisor/check/world/python_world.hpp"
#include "advisor/check/world/pythons.hpp"
#include "advisor/facts/driver_span.hpp"
#include "inspector/discover/python_environments.hpp"
#include "inspector/paths.hpp"
#include "specs/error.hpp"
#include "specs/format/input_file.hpp"
#include "specs/format/json.hpp"
#include "specs/format/text_file.hpp"
#include "specs/hardware/accelerator.hpp"
#include "specs/python/package_list.hpp"
#include "specs/python/pip_text.hpp"
#include "specs/python/wheel_target.hpp"
#include "specs/version/version_text.hpp"
#include "workspace/asked/pasted.hpp"
#include "workspace/asked/project.hpp"
#include "workspace/load.hpp"
#include "workspace/this_machine.hpp"
#include "workspace/words.hpp"

namespace stackx::advisor {
namespace {

namespace fs = std::filesystem;

constexpr const char* usual_python = "3.12";

class Reading {
 public:
  // `asks_index`: what is not known is looked up later.
  Reading(const CheckRequest& request, const Knowledge& knowledge, const workspace::Context& context, bool asks_index = false)
      : request_(request), knowledge_(knowledge), context_(context), accelerators_(request.accelerators), asks_index_(asks_index) {}

  Question run(const std::string& hardware) {
    question_ = {}, indexes_ = {}, typed_ = {}, conda_ = {}, read_a_file_ = false;
    question_.hardware = hardware;
    question_.driver = request_.driver;
    question_.set_python(request_.python);
    if (!accelerators_) accelerators_ = std::make_shared<specs::Accelerators>(specs::load_accelerators(context_.data_directory()));
    ask_of_machine(question_, request_.platform, *accelerators_, context_);
    if (!request_.environment.empty())
      read_environment(request_.environment);
    else if (request_.what.empty())
      read_environment(active_environment());
    read_words();
    refuse_parts_of_nothing();
    indexes_.look_beside_the_usual(request_.extra_index_url);
    indexes_.look_instead_of_the_usual(request_.index_url);
    indexes_.tell(question_);
    ask_of_the_index(conda_, knowledge_, question_);
    if (question_.asked.empty()) throw bad_input(nothing_to_check());
    check_extras();
    check_words();
    if (!asks_index_) refuse_misspelt(typed_, knowledge_, *accelerators_);
    leave_out_by_markers();
    say_forward_compatibility();
    return std::move(question_);
  }

 private:
  void take(specs::PackageList list) {
    indexes_.look_at(list);
    for (auto& one : list.dependencies) take(std::move(one));
    if (conda_.meant.empty()) conda_ = {last_file_, std::move(list.conda_cuda), {}};
    std::ranges::move(list.meant, std::back_inserter(conda_.meant));
    for (auto& one : list.constraints) question_.constraints.push_back(std::move(one));
    for (auto& one : list.overrides) question_.overrides.push_back(std::move(one));
    for (auto& one : list.skipped) question_.skipped.push_back(std::move(one));
    if (list.python) question_.pythons = list.python;
  }

  void read_words() {
    if (workspace::is_installer(request_.what)) return read(workspace::read_installer(request_.what));
    workspace::refuse_misread(request_.what);
    for (const auto& text : request_.what) read(text);
  }

  void read(const workspace::Pasted& pasted) {
    if (request_.python.empty() && !pasted.python.empty()) question_.set_python(pasted.python);
    const auto list_of = [&](const char* option, const std::string& file) {
      auto list = context_.words_name_files ? list_in(file) : std::nullopt;
      if (!list) throw bad_input(fmt::format("{} {}: there is no such file here", option, specs::in_quotes(file)));
      return std::move(*list);
    };
    for (const auto& file : pasted.files) {
      read_a_file_ = true;
      last_file_ = specs::to_utf8(file.substr(0, 200));
      take(list_of("-r", file));
    }
    for (const auto& file : pasted.constraints) std::ranges::move(list_of("-c", file).dependencies, std::back_inserter(question_.constraints));
    auto list = specs::parse_freeze(fmt::format("{}\n{}\n", fmt::join(pasted.requirements, "\n"), fmt::join(pasted.indexes, "\n")), "the command");
    typed_ = list.dependencies;
    take(std::move(list));
  }

  void read(const std::string& text) {
    std::error_code error;
    if (!context_.words_name_files) {
      read_word(text);
    } else if (auto list = list_in(text)) {
      read_a_file_ = true;
      last_file_ = specs::to_utf8(text.substr(0, 200));
      take(std::move(*list));
    } else if (names_a_place(text) && fs::is_directory(text, error)) {
      read_environment(text);
    } else {
      read_word(text);
    }
  }

  specs::PythonContext context_of_files() const { return context_of(request_, "linux " + question_.machine); }

  void refuse_parts_of_nothing() const {
    if (read_a_file_ || (request_.extras.empty() && request_.groups.empty())) return;
    const bool extra = !request_.extras.empty();
    throw bad_input(fmt::format("--{0} {1}: it is of a project's file, as in `stackx check pyproject.toml --{0} {1}`, and none is named{2}",
                                extra ? "extra" : "group", extra ? *request_.extras.begin() : *request_.groups.begin(),
                                extra ? "; an extra of a package stands with its name, as package[extra]" : ""));
  }

  // Of several kinds of hardware a file is read for each one's machine; a pipe gives its lines once.
  std::optional<specs::PackageList> list_in(const std::string& text) {
    std::error_code error;
    if (text != "-" && !fs::is_fifo(text, error)) return list_in_file(text, context_of_files());
    const auto known = piped_.find(text);
    return known != piped_.end() ? known->second : piped_.emplace(text, list_in_file(text, context_of_files())).first->second;
  }

  std::string nothing_to_check() const {
    const auto of_conda = std::ranges::any_of(question_.skipped, [](const auto& one) { return one.ends_with("(from conda)"); });
    const auto& left_out = question_.skipped;
    return std::string("nothing to check: no package is named there") + (left_out.empty() ? "" : " but " + left_out.front()) +
           (left_out.size() > 1 ? fmt::format(" and {} more", left_out.size() - 1) : "") + (left_out.empty() || of_conda ? "" : ", which cannot be judged") +
           (of_conda ? " that an index has, and conda's own are other builds than its; name what the index calls so, as in torch==2.4.*"
                     : "") +
           (read_a_file_ && left_out.empty() ? " (" + last_file_ + "); what is optional counts where it is named: --extra, --group" : "");
  }

  // Each is a package to the resolver, with all releases of the other.
  void check_extras() const {
    constexpr std::size_t most_extras = 200;
    std::map<std::string, std::set<std::string>> extras;
    for (const auto& [dependency, place] : question_.asked) {
      auto& of = extras[dependency.name];
      of.insert(dependency.extras.begin(), dependency.extras.end());
      if (of.size() > most_extras)
        throw bad_input(fmt::format(
            "{}: {} extras of {} are named up to here, and more than {} are not judged; leave some out", place,
            of.size(), dependency.name, most_extras));
    }
  }

  // "./torch", "envs/torch", ".": an environment. `check torch==2.1.0` and `check "torch @ https://..."` start no program
  // of the directory that somebody stands in, whatever its directories are called.
  static bool names_a_place(const std::string& text) {
    if (text == "." || text == "..") return true;
    for (const char* begin : {"/", "./", "../"})
      if (text.starts_with(begin)) return true;
    return text.find('/') != text.npos && text.find_first_of("@;<>=![ ") == text.npos;
  }

  // A file that is not there reads like a package's name.
  static bool looks_like_a_file(const std::string& text) {
    for (const char* ending : {".txt", ".in", ".lock", ".toml", ".yml", ".yaml", ".json"})
      if (text.ends_with(ending)) return true;
    return text == "Pipfile" || (text.find('/') != text.npos && text.find('@') == text.npos);
  }

  void read_word(const std::string& text) {
    if (looks_like_a_file(text) && !context_.words_name_files)
      throw bad_input(fmt::format("{}: a server reads no files for who asks it; send what is in it, a requirement each", specs::to_utf8(text.substr(0, 200))));
    if (looks_like_a_file(text)) throw bad_input(fmt::format("{}: there is no such file{}", specs::to_utf8(text.substr(0, 200)), specs::where_instead(text)));
    if (std::error_code error; context_.words_name_files && fs::is_directory(text, error) && !knowledge_.package(knowledge_.real_name(specs::normalized_name(text))))
      question_.remarks.push_back(fmt::format("{0} is a directory here, too; what is in it is ./{0}{1}", specs::to_utf8(text.substr(0, 200)), workspace::projects_in(text)));
    typed_.push_back(specs::read_dependency(text, "the command line"));
    take(typed_.back());
  }

  // driver==535.183.01, python==3.11 and cuda-compat==12.8 (cuda-compat-12-8) are the machine's.
  void take(specs::PlacedDependency placed) {
    auto version = placed.dependency.versions.text();
    const bool exact = version.starts_with("==");
    if (exact) version.erase(0, version.find_first_not_of("= "));
    if (placed.dependency.name == "driver" && exact)
      question_.driver = version;
    else if (placed.dependency.name == "cuda-compat" && exact)
      question_.cuda_compat = specs::minor_release(version);
    else if (constexpr std::string_view compat = "cuda-compat-"; placed.dependency.name.starts_with(compat)) {
      question_.cuda_compat = placed.dependency.name.substr(compat.size());
      std::ranges::replace(question_.cuda_compat, '-', '.');
    } else if (placed.dependency.name == "python" && exact)
      question_.set_python(version);
    else
      question_.asked.push_back(without_alias(std::move(placed)));
  }

  // cudnn==9.1.0 is nvidia-cudnn-cu12==9.1.0.70: an alias names the first numbers of a version, and the package for that
  // CUDA which has it.
  specs::PlacedDependency without_alias(specs::PlacedDependency placed) const {
    auto& dependency = placed.dependency;
    const auto real = knowledge_.real_name(dependency.name);
    if (real == dependency.name) return placed;
    const auto text = dependency.versions.text();
    const bool exact = !specs::single_version(dependency.versions).empty();
    const auto stem = real.ends_with("-cu12") ? real.substr(0, real.size() - 2) : "";
    std::vector<std::string> names{real};
    if (!stem.empty()) names.insert(names.end(), {stem + "13", stem + "11"});
    for (const auto& name : names)
      for (const auto& range : {text, exact ? text + ".*" : text})
        if (has(name, range)) {
          dependency.name = name;
          dependency.versions = *specs::SpecifierSet::parse(range, specs::Versioning::pep440);
          return placed;
        }
    dependency.name = real;
    return placed;
  }

  bool has(const std::string& name, const std::string& range) const {
    const auto* package = knowledge_.package(name);
    const auto versions = specs::SpecifierSet::parse(range, specs::Versioning::pep440);
    return package && versions && std::ranges::any_of(package->releases, [&](const auto& release) {
             return versions->contains(release.version);
           });
  }

  static fs::path active_environment() {
    for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
      if (const char* value = std::getenv(variable); value && *value) return value;
    throw bad_input(
        "nothing to check: name requirements or a file, or activate an environment ($VIRTUAL_ENV, $CONDA_PREFIX)");
  }

  void read_environment(const fs::path& directory) {
    fs::path program = directory / "bin/python";
    if (!fs::exists(program)) program += "3";  // a system's own
    const auto interpreter = inspector::ask_interpreter(program);
    if (!interpreter)
      throw bad_input(fmt::format("{}: no environment of Python: {} does not answer{}", directory.string(), program.string(),
                                  workspace::projects_in(directory)));
    if (question_.python.empty()) question_.set_python(interpreter->version);
    for (const auto& [name, one] : inspector::distributions_in(inspector::ask_sites(*interpreter))) {
      const auto version = specs::Version::parse(one.version, specs::Versioning::pep440);
      if (!version) {
        question_.skipped.push_back(name + " (no version)");
        continue;
      }
      question_.asked.push_back(specs::read_dependency(name + "==" + one.version, directory.string()));
    }
  }

  void check_words() const {
    struct Word {
      std::string_view option, example;
      const std::string& text;
    };
    check_driver(knowledge_.drivers(), question_.driver);
    refuse_free_threaded(question_.python);
    for (const auto& [option, example, text] : {Word{"--python", "3.11", question_.python},
                                                {"cuda-compat", "12.8", question_.cuda_compat}})
      if (!text.empty() && !specs::Version::parse(text, specs::Versioning::pep440))
        throw bad_input(fmt::format("{} {}: expected a version such as {}", option, specs::in_quotes(text), example));
    refuse_unknown_python();
  }

  void refuse_unknown_python() const {
    const auto& known = known_pythons();
    const auto& python = question_.python;
    if (python.empty() || std::ranges::find(known, python) != known.end()) return;
    const auto version = specs::Version::parse(python, specs::Versioning::pep440);
    const bool newer = version && *specs::Version::parse(known.front(), specs::Versioning::pep440) < *version;
    throw bad_input(fmt::format("--python {}: {}; expected one of {}", python,
                                newer ? "newer than any Python that is known here" : "nothing is known of that Python", fmt::join(known, ", ")));
  }

  // What no Python that is meant would install here: `; sys_platform == "win32"`.
  void leave_out_by_markers() {
    const auto platform = "linux " + question_.machine;
    std::vector<specs::MarkerEnvironment> environments;
    for (const auto& python : question_.python.empty() ? known_pythons() : std::vector{question_.python})
      environments.push_back(specs::Target(question_.release_of(python), platform).environment());
    std::vector<std::string> others;
    std::erase_if(question_.asked, [&](const specs::PlacedDependency& placed) {
      const auto holds = [&](const auto& environment) { return placed.dependency.holds(environment); };
      if (!placed.dependency.marker || std::ranges::any_of(environments, holds)) return false;
      others.push_back(specs::to_utf8(placed.dependency.text()));
      return true;
    });
    const auto target = question_.python.empty() ? platform : fmt::format("Python {} on {}", question_.python, platform);
    if (question_.asked.empty())
      throw bad_input(fmt::format("nothing to check: the marker{} of {} exclude{} {}", others.size() == 1 ? "" : "s",
                                  fmt::join(others, ", "), others.size() == 1 ? "s" : "", target));
    for (const auto& one : others) question_.skipped.push_back(fmt::format("{} (not for {})", one, target));
  }

  void say_forward_compatibility() {
    const auto& release = question_.cuda_compat;
    if (release.empty() || !question_.gpu) return;
    question_.remarks.push_back(
        !question_.gpu->data_center
            ? fmt::format("cuda-compat does not count: it is for data-center GPUs, and {} is none", gpu_in_words(*question_.gpu))
        : knowledge_.drivers().compatible_branches(release).empty()
            ? fmt::format("cuda-compat {} does not count: nobody states with which drivers it works", release)
            : fmt::format("counts on NVIDIA's package cuda-compat for CUDA {} being installed", release));
  }

  const CheckRequest& request_;
  const Knowledge& knowledge_;
  const workspace::Context& context_;
  std::shared_ptr<const specs::Accelerators> accelerators_;
  AskedIndexes indexes_;
  const bool asks_index_;
  bool read_a_file_ = false;
  std::string last_file_;
  std::vector<specs::PlacedDependency> typed_;  // not of files
  OfConda conda_;
  std::map<std::string, std::optional<specs::PackageList>> piped_;
  Question question_;
};

// Dockerfile, Containerfile, api.dockerfile: what it installs may be asked line by line.
void refuse_recipe_of_an_image(const fs::path& file) {
  const auto name = file.filename().string();
  if (!name.starts_with("Dockerfile") && !name.starts_with("Containerfile") && file.extension() != ".dockerfile") return;
  throw bad_input(fmt::format("{}: what makes an image is not read; paste a line of it that installs: stackx check \"RUN pip install torch==2.7.1\"",
                              specs::to_utf8(file.string().substr(0, 200))));
}

}  // namespace

specs::PythonContext context_of(const CheckRequest& request, const std::string& platform) {
  specs::PythonContext context;
  context.python = specs::minor_release(request.python);
  context.platform = platform;
  context.extras = request.extras;
  context.groups = request.groups;
  return context;
}

std::optional<specs::PackageList> list_in_file(const std::string& word, const specs::PythonContext& context) {
  std::error_code error;
  if (word == "-") return specs::parse_freeze(specs::pip_text(std::string(std::istreambuf_iterator<char>(std::cin), {}), "stdin"), "stdin");
  if (fs::is_fifo(word, error)) return specs::parse_freeze(specs::read_pip_text(word, "a list of packages"), word);  // <(pip freeze)
  if (!fs::is_regular_file(word, error)) return std::nullopt;
  refuse_recipe_of_an_image(word);
  return specs::read_package_list(word, context, usual_python);
}

Knowledge load_knowledge(const workspace::Context& context, const std::vector<std::string>& overlays) {
  const auto data = context.data_directory();
  Knowledge::Places places{{data / "generated"}, data / "facts", {}, data};
  if (const auto own = inspector::data_directory() / "generated"; fs::is_directory(own)) places.generated.push_back(own);
  places.overlays = workspace::user_overlays();
  for (const auto& name : overlays) {
    if (!fs::is_regular_file(name)) throw bad_input(fmt::format("--catalog {}: there is no such file", name));
    places.overlays.emplace_back(name);
  }
  return Knowledge(std::move(places));
}

Question question_of(const CheckRequest& request, const Knowledge& knowledge, const workspace::Context& context) {
  return Reading(request, knowledge, context).run(request.hardware);
}

std::vector<Checked> check_each(const CheckRequest& request, const std::vector<std::string>& hardware, const workspace::Context& context,
                                pypi::Index* index) {
  auto knowledge = load_knowledge(context, request.catalogs);
  Reading reading(request, knowledge, context, index != nullptr);
  std::vector<Checked> result;
  for (const auto& one : hardware) {
    auto question = reading.run(one);
    if (index) question.not_on_index = look_up(knowledge, question, *index, workspace::today());
    result.push_back(check(knowledge, question));
  }
  return result;
}

Checked check(const CheckRequest& request, const workspace::Context& context, pypi::Index* index) {
  return std::move(check_each(request, {request.hardware}, context, index).front());
}

}  // namespace stackx::advisor
