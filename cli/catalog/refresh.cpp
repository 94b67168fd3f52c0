#include "cli/catalog/refresh.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "advisor/facts/refresh.hpp"
#include "cli/output/print.hpp"
#include "inspector/paths.hpp"
#include "pypi/transfer/url.hpp"
#include "specs/error.hpp"
#include "specs/python/pep508.hpp"
#include "workspace/index/pip.hpp"
#include "workspace/output.hpp"
#include "workspace/progress.hpp"
#include "workspace/words.hpp"

namespace stackx::cli {
namespace {

namespace fs = std::filesystem;

// What PyTorch lists on its own index; NVIDIA's wheels there are those of the package index.
const std::vector<std::string> of_pytorch{"torch", "torchvision", "torchaudio", "triton", "xformers"};

const std::vector<std::string> nvidia_containers{"nvidia/pytorch", "nvidia/tensorflow", "nvidia/jax"};

struct RefreshOptions {
  std::vector<std::string> names;
  std::string output, index_url, pip = "python3";
  std::string pytorch_index = "https://download.pytorch.org/whl";
  std::string redistributables = "https://developer.download.nvidia.com/compute/cuda/redist";
  std::string registry = "https://nvcr.io";
  bool only_package_index = false;
};

// Where the facts stand that every command reads first, else the user's own directory.
fs::path directory_of(const RefreshOptions& options, const Globals& globals) {
  if (!options.output.empty()) return options.output;
  const auto shipped = globals.data_directory() / "generated";
  if (access(shipped.c_str(), W_OK) == 0) return shipped;
  return inspector::data_directory() / "generated";
}

std::vector<std::string> only_asked(const std::vector<std::string>& names, const std::vector<std::string>& asked) {
  if (asked.empty()) return names;
  std::vector<std::string> result;
  for (const auto& name : asked) {
    const auto parsed = specs::parse_dependency(name);
    if (!parsed || parsed->text() != parsed->name)
      throw bad_input(fmt::format("\"{}\": expected the name of a package alone, such as torch", name));
    result.push_back(parsed->name);
  }
  return result;
}

nlohmann::json report_json(const advisor::RefreshReport& report, const std::string& today) {
  nlohmann::json news = nlohmann::json::array(), missed = nlohmann::json::array();
  for (const auto& one : report.news)
    news.push_back({{"package", one.name}, {"newest", one.newest}, {"added", one.added},
                    {"withdrawn", one.withdrawn}, {"unread", one.unread}});
  for (const auto& one : report.not_reached) missed.push_back({{"what", one.what}, {"reason", one.reason}});
  return {{"$schema", "stackx/refresh/1"}, {"as_of", today}, {"news", news},
          {"unchanged", report.unchanged}, {"not_reached", missed}};
}

void print_news(const advisor::PackageNews& one) {
  const auto count = one.added.size();
  auto line = fmt::format("{:<28} newest {}", one.name, one.newest);
  if (count > 0 && count <= 4) line += fmt::format(", new: {}", fmt::join(one.added, ", "));
  if (count > 4) line += fmt::format(", {} new", count);
  if (!one.withdrawn.empty()) line += fmt::format(", withdrawn: {}", fmt::join(one.withdrawn, ", "));
  workspace::print("  {}\n", line);
  for (const auto& unread : one.unread) workspace::print("    requirements not known of {}\n", unread);
}

void print_report(const advisor::RefreshReport& report, const fs::path& directory) {
  if (report.news.empty() && report.unchanged == 0)
    workspace::print("Nothing was read: no source could be reached; all that was known stays.\n");
  else if (report.news.empty())
    workspace::print("Nothing new: {} as {}.\n", workspace::counted(report.unchanged, "package"),
                     report.unchanged == 1 ? "it was" : "they were");
  else
    workspace::print("News of {} {}; {} as they were. Written to {}.\n", report.news.size(),
                     report.news.size() == 1 ? "package" : "packages", report.unchanged, directory.string());
  for (const auto& one : report.news) print_news(one);
  if (report.not_reached.empty()) return;
  workspace::print("Not read, what was known of it stays:\n");
  for (const auto& one : report.not_reached)
    one.reason.empty() ? workspace::print("  {}: it lists no such project\n", one.what)
                       : workspace::print("  {}\n    {}\n", one.what, one.reason);
}

void refresh(const RefreshOptions& options, Globals& globals) {
  const auto directory = directory_of(options, globals);
  const auto today = workspace::today();
  pypi::check_web_url(options.pytorch_index, "--pytorch-index");
  pypi::check_web_url(options.redistributables, "--redistributables");
  pypi::check_web_url(options.registry, "--registry");
  const auto settings = workspace::pip_settings({.python = options.pip, .index_url = options.index_url});
  if (settings.index_url.empty())
    throw bad_input("pip is told to ask no index (PIP_NO_INDEX, `pip config list`), and facts come from an index alone; name one with --index-url");
  workspace::remark("Facts are written to {}{}\n", directory.string(), options.output.empty() ? "; --output DIR writes others" : "");
  workspace::ProgressLine line;
  auto http = workspace::http_settings(settings);
  http.has_offline = false;
  http.waiting = [&](const std::string& server, std::chrono::seconds time) {
    line.show(fmt::format("waiting {} s for {}", time.count(), server));
  };
  const auto transport = pypi::make_curl(http);
  const auto show = [&](const pypi::Progress& progress) {
    line.show(fmt::format("[{}/{}]  {}", progress.done, progress.planned, progress.current));
  };
  const pypi::Cache cache(inspector::cache_directory() / "pypi");
  pypi::Index packages({settings.index_url, false}, cache, *transport, show);
  pypi::Index pytorch({options.pytorch_index, false}, cache, *transport, show);
  std::vector<advisor::PackageSource> sources{
      {"the package index", "PyPI", directory,
       only_asked(advisor::packages_to_refresh(globals.data_directory()), options.names), &packages}};
  if (!options.only_package_index && options.names.empty())
    sources.push_back({"PyTorch's own index", "PyTorch's index", directory / "pytorch", of_pytorch, &pytorch});
  auto report =
      advisor::refresh_packages(sources, today, [&](const std::string& news) { line.say(news); });
  if (sources.size() > 1)
    advisor::refresh_nvidia({options.redistributables, options.registry, nvidia_containers}, directory, today, *transport, report);
  line.finish();
  if (globals.json)
    print_json(report_json(report, today));
  else
    print_report(report, directory);
  for (const auto& one : report.not_reached)
    if (!one.reason.empty() && one.what.starts_with(sources.front().title)) globals.exit_code = 3;
}

}  // namespace

void add_catalog_refresh(Command catalog, Globals& globals) {
  auto options = std::make_shared<RefreshOptions>();
  const auto command = catalog.add_subcommand(
      "refresh", "Bring the facts about packages up to date: releases, wheels, requirements");
  command.add_option("names", options->names, "Only these packages, also such that stackx does not follow yet");
  command.add_option("-o,--output", options->output, "Directory to write [that of the facts that come with stackx, where it may be written; else stackx/generated below $XDG_DATA_HOME]")
      .type_name("DIR");
  command.add_option("--index-url", options->index_url, "Another index than pip's").type_name("URL");
  command.add_option("--pytorch-index", options->pytorch_index, "Where PyTorch's builds for each CUDA are listed")
      .type_name("URL")
      .show_default();
  command.add_option("--redistributables", options->redistributables, "Where NVIDIA lists CUDA releases").type_name("URL").show_default();
  command.add_option("--registry", options->registry, "The registry of NVIDIA's containers").type_name("URL").show_default();
  command.add_flag("--only-package-index", options->only_package_index, "Neither PyTorch's own index nor NVIDIA's lists");
  command.add_option("--pip", options->pip, "Python that has the pip to ask").type_name("PYTHON").show_default();
  command.callback([options, &globals] { refresh(*options, globals); });
}

}  // namespace stackx::cli
