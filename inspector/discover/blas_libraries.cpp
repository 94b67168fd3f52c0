#include "inspector/discover/blas_libraries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <map>
#include <set>

#include "specs/error.hpp"
#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "specs/python/pep508.hpp"
#include "specs/version/version.hpp"
#include "specs/version/text_scanner.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& directory) {
  std::error_code error;
  return fs::is_directory(directory, error);
}

std::vector<fs::path> entries(const fs::path& directory) {
  std::vector<fs::path> result;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error))
    result.push_back(entry->path());
  std::sort(result.begin(), result.end());
  return result;
}

std::string last_line(const std::string& text) {
  const auto lines = words(text, "\n");
  return lines.empty() ? "" : tail(lines.back(), 300);
}

std::string text_at(const specs::Node& node, std::string_view key) {
  const auto found = node.find(key);
  return found && found->json().is_string() ? found->text() : "";
}

std::expected<LibraryAnswer, std::string> read_answer(const std::string& text) {
  try {
    const auto document = specs::Node::parse_text(text, "the PI's output");
    if (const auto why = document.find("unsupported")) return std::unexpected(why->text());
    if (!document.at("check").at("pass").boolean())
      return std::unexpected("its product of two matrices is wrong");
    const auto library = document.at("library");
    LibraryAnswer answer;
    answer.kind = library.at("kind").text();
    answer.interface = text_at(library, "interface");
    answer.threading = text_at(library, "threading");
    answer.core = text_at(library, "core");
    answer.version = text_at(document.at("loaded"), answer.kind);
    return answer;
  } catch (const Error& error) {
    return std::unexpected(error.what());
  }
}

// "0.3.21" of "0.3.21", "0.9.0-1", "AOCL-BLIS 4.1.0 Build 20230630", "0.3.23.dev".
std::string number_in(const std::string& text) {
  for (std::size_t from = 0; from < text.size();) {
    from = text.find_first_of("0123456789", from);
    if (from == std::string::npos) break;
    auto to = std::min(text.find_first_not_of("0123456789.", from), text.size());
    auto number = text.substr(from, to - from);
    while (number.ends_with('.')) number.pop_back();
    if (number.find('.') != std::string::npos) return number;
    from = to;
  }
  return "";
}

// "3.11.0" and "2" of Debian's "1:3.11.0-2"; "0.3.21" and "ds.4" of "0.3.21+ds-4".
std::pair<std::string, std::string> split_debian(std::string version) {
  if (const auto colon = version.find(':'); colon != std::string::npos) version.erase(0, colon + 1);
  const auto end = std::min(version.find_first_not_of("0123456789."), version.size());
  return {version.substr(0, end), version.substr(end)};
}

// "3.11.0" of libblas.so.3.11.0; nothing of libblas.so.3, which only says how it is called.
std::string file_number(const fs::path& file) {
  const auto name = file.filename().string();
  const auto at = name.rfind(".so.");
  return at == std::string::npos ? "" : number_in(name.substr(at + 4));
}

// "numpy" of .../numpy.libs/x.so and .../numpy/.libs/x.so, "scipy-openblas64" of .../scipy_openblas64/lib/x.so.
std::string bundled_with(const fs::path& file) {
  const auto parent = file.parent_path();
  const auto name = parent.filename().string();
  if (name.size() > 5 && name.ends_with(".libs"))
    return specs::normalized_name(name.substr(0, name.size() - 5));
  if (name == ".libs" || name == "lib")
    return specs::normalized_name(parent.parent_path().filename().string());
  return "";
}

std::string wheel_label(const fs::path& file, const std::vector<PythonEnvironment>& environments) {
  const auto package = bundled_with(file);
  for (const auto& environment : environments) {
    const bool inside =
        std::any_of(environment.sites.begin(), environment.sites.end(), [&](const fs::path& site) {
          return std::mismatch(site.begin(), site.end(), file.begin(), file.end()).first ==
                 site.end();
        });
    const auto found = environment.distributions.find(package);
    if (inside && found != environment.distributions.end())
      return specs::label_from(package + "." + found->second.version);
  }
  return "";
}

// One file, asked and named.
class Asker {
 public:
  Asker(const AskLibrary& ask, const Settings& settings, Packages& packages,
        const std::vector<PythonEnvironment>& environments, const Remarks& remarks)
      : ask_(ask),
        settings_(settings),
        packages_(packages),
        environments_(environments),
        remarks_(remarks) {}

  void add(const fs::path& found_at) {
    std::error_code error;
    const auto file = fs::canonical(found_at, error);
    if (error || !fs::is_regular_file(file, error) || !seen_.insert(file).second) return;
    const bool mkl = file.filename().string().starts_with("libmkl_rt");
    // Without OpenMP libraries beside it, MKL loads in sequential layers alone.
    const auto answer =
        ask_(file, mkl ? Environment{{"MKL_THREADING_LAYER", "SEQUENTIAL"}} : Environment{});
    if (!answer) return left_out(file, answer.error());
    if (file.filename().string().starts_with("libblas") && answer->kind != "netlib") {
      return left_out(file, fmt::format("only the interface to {}, which is looked at for itself",
                                        answer->kind));
    }
    const auto hash = specs::sha256_file(file);
    if (const auto [known, fresh] = contents_.emplace(hash, file); !fresh)
      return left_out(file, fmt::format("the same content as {}", known->second.string()));
    take(file, *answer, hash);
  }

  std::vector<BlasLibrary> result() { return std::move(result_); }

 private:
  void left_out(const fs::path& file, const std::string& why) {
    remarks_({Remark::left_out, fmt::format("{}: {}", file.string(), why)});
  }

  void take(const fs::path& file, const LibraryAnswer& answer, const std::string& hash) {
    const auto owner = packages_.owner(file);
    const auto package_version = owner ? packages_.version(*owner).value_or("") : "";
    const auto [upstream, revision] = split_debian(package_version);
    BlasLibrary library;
    library.answer = answer;
    library.file = file;
    library.reports = answer.version;
    library.provides = number_in(answer.version);
    if (answer.version.empty()) {
      // Others export the BLAS interface alone too (BLIS as Debian's libblas.so.3).
      if (owner && !owner->starts_with("libblas"))
        return left_out(file, fmt::format("exports the BLAS interface only, and package {} is not "
                                          "the reference BLAS",
                                          *owner));
      library.provides = owner ? upstream : file_number(file);
    }
    if (!specs::Version::parse(library.provides, specs::Versioning::pep440)) {
      return left_out(file, "neither it nor its name nor a package says which version it is");
    }
    auto label = wheel_label(file, environments_);
    if (label.empty() && owner)
      label = specs::label_from("debian" + (revision.empty() ? "" : "." + revision));
    if (label.empty()) label = "file." + hash.substr(0, 8);
    library.version = library.provides + "+" + label;
    library.component = component_of(answer);
    if (!names_.insert(library.component + " " + library.version).second)
      library.version += "." + hash.substr(0, 8);
    library.settings = settings_taken(file, answer);
    if (answer.kind == "mkl" && library.settings.empty())
      return left_out(file, "works in no threading layer");
    remarks_({Remark::found,
              fmt::format("{} {}: {}", library.component, library.version, file.string())});
    result_.push_back(std::move(library));
  }

  static std::string component_of(const LibraryAnswer& answer) {
    auto name = "local-" + answer.kind;
    if (answer.interface == "ilp64" && answer.kind != "mkl") name += "64";  // MKL has both
    if (!answer.threading.empty() && answer.kind != "mkl") name += "-" + answer.threading;
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '-');
    return name;
  }

  std::vector<std::string> settings_taken(const fs::path& file, const LibraryAnswer& answer) {
    std::vector<std::string> taken;
    const bool openblas = answer.kind == "openblas";
    if (!openblas && answer.kind != "mkl") return taken;
    for (const auto& [value, environment] : openblas ? settings_.core_types : settings_.layers) {
      if (environment.empty()) {
        taken.push_back(value);  // "auto": nothing to take
        continue;
      }
      const auto with = ask_(file, environment);
      // OpenBLAS passes over kernels that it was not built with.
      if (with && (!openblas || specs::lowered(with->core) == specs::lowered(value))) taken.push_back(value);
    }
    return taken;
  }

  const AskLibrary& ask_;
  const Settings& settings_;
  Packages& packages_;
  const std::vector<PythonEnvironment>& environments_;
  const Remarks& remarks_;
  std::set<fs::path> seen_;
  std::map<std::string, fs::path> contents_;
  std::set<std::string> names_;
  std::vector<BlasLibrary> result_;
};

void append_directory(std::vector<fs::path>& list, const fs::path& directory) {
  if (is_there(directory) && std::find(list.begin(), list.end(), directory) == list.end())
    list.push_back(directory);
}

void append_libraries(std::vector<fs::path>& list, const fs::path& prefix) {
  for (const char* below : {"lib", "lib64", "lib/intel64", "lib/intel64/gcc4.7", "cpu_gomp/lib"})
    append_directory(list, prefix / below);
}

}  // namespace

AskLibrary ask_with(const fs::path& pi) {
  return [pi](const fs::path& library,
              const Environment& settings) -> std::expected<LibraryAnswer, std::string> {
    Command command;
    command.argv = {pi.string(), "matmul", "--library", library.string()};
    for (const char* word :
         {"m=2", "n=2", "k=2", "repetitions=1", "warmup_ms=0", "min_sample_ms=0"})
      command.argv.emplace_back(word);
    command.environment = settings;
    command.environment.emplace("PATH", "/usr/local/bin:/usr/bin:/bin");
    command.environment.emplace("LC_ALL", "C.UTF-8");
    command.environment.emplace("HOME", "/");
    command.deadline = std::chrono::seconds(30);
    const auto finished = run(command);
    if (finished.end == End::not_started)
      throw broken_environment(
          fmt::format("{}: cannot be started, and it asks the libraries; it is built and installed "
                      "beside stackx",
                      pi.string()));
    if (finished.end == End::deadline) return std::unexpected("does not answer within 30 s");
    if (finished.end == End::signalled)
      return std::unexpected("loading or using it ends in " + signal_name(finished.status));
    if (!finished.ok()) {
      auto why = last_line(finished.err);
      if (why.starts_with("stackx-pi: ")) why.erase(0, 11);
      if (why.starts_with(library.string() + ": ")) why.erase(0, library.string().size() + 2);
      return std::unexpected(why.empty() ? "cannot be loaded" : why);
    }
    return read_answer(finished.out);
  };
}

bool is_blas_name(const std::string& name) {
  constexpr std::array<const char*, 6> stems{"libopenblas", "libscipy_openblas", "libblis",
                                             "libmkl_rt",   "libdnnl",           "libblas"};
  if (name.find(".so") == std::string::npos || name.ends_with(".debug")) return false;
  if (name.starts_with("libblastrampoline"))
    return false;  // Julia's, which needs telling where to go
  return std::any_of(stems.begin(), stems.end(),
                     [&](const char* stem) { return name.starts_with(stem); });
}

std::vector<fs::path> parse_loader_cache(const std::string& text) {
  std::vector<fs::path> result;
  for (const auto& line : words(text, "\n")) {
    const auto arrow = line.find(" => ");
    if (arrow == std::string::npos) continue;
    const fs::path file = line.substr(arrow + 4);
    if (file.is_absolute() && is_blas_name(file.filename())) result.push_back(file);
  }
  return result;
}

std::vector<fs::path> loader_files() {
  Command command;
  command.argv = {"/sbin/ldconfig", "-p"};
  command.environment = {{"LC_ALL", "C"}};
  const auto finished = run(command);
  return finished.ok() ? parse_loader_cache(finished.out) : std::vector<fs::path>();
}

std::vector<fs::path> find_blas_files(const std::vector<fs::path>& directories,
                                      const std::vector<PythonEnvironment>& environments) {
  auto places = directories;
  for (const auto& environment : environments) {
    for (const auto& site : environment.sites) {
      for (const auto& entry : entries(site))
        if (entry.filename().string().ends_with(".libs")) append_directory(places, entry);
      for (const char* inside :
           {"numpy/.libs", "scipy/.libs", "scipy_openblas32/lib", "scipy_openblas64/lib"})
        append_directory(places, site / inside);
    }
    const auto& interpreter = environment.interpreter;
    append_directory(
        places,
        (interpreter.environment.empty() ? interpreter.prefix : interpreter.environment) / "lib");
  }
  std::vector<fs::path> result;
  for (const auto& place : places)
    for (const auto& entry : entries(place))
      if (is_blas_name(entry.filename())) result.push_back(entry);
  return result;
}

std::vector<fs::path> usual_blas_directories() {
  std::vector<fs::path> result;
  for (const fs::path system : {"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib",
                                "/usr/local/lib", "/usr/local/lib64"}) {
    if (system.string().starts_with("/usr/local")) append_directory(result, system);
    for (const auto& entry : entries(system)) {
      const auto name = entry.filename().string();
      const bool blas = name.starts_with("openblas") || name.starts_with("blis") ||
                        name.starts_with("blas") || name.starts_with("mkl");
      if (blas) append_directory(result, entry);
    }
  }
  for (const char* variable :
       {"MKLROOT", "OPENBLAS_HOME", "OPENBLAS_ROOT", "AOCL_ROOT", "DNNLROOT"})
    if (const char* value = std::getenv(variable); value != nullptr && *value == '/')
      append_libraries(result, value);
  if (const char* path = std::getenv("LD_LIBRARY_PATH"))
    for (const auto& directory : words(path, ":"))
      if (directory.starts_with("/")) append_directory(result, directory);
  for (const fs::path parent :
       {"/opt", "/opt/intel", "/opt/intel/oneapi/mkl", "/opt/intel/oneapi/dnnl", "/opt/AMD"})
    for (const auto& entry : entries(parent)) append_libraries(result, entry);
  return result;
}

std::vector<BlasLibrary> ask_libraries(const std::vector<fs::path>& files, const AskLibrary& ask,
                                       const Settings& settings, Packages& packages,
                                       const std::vector<PythonEnvironment>& environments,
                                       const Remarks& remarks) {
  Asker asker(ask, settings, packages, environments, remarks);
  for (const auto& file : files) asker.add(file);
  return asker.result();
}

}  // namespace stackx::inspector
