// stackx check REQUIREMENT... | FILE: will this run here?
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "advisor/candidate/have.hpp"
#include "advisor/check/asked.hpp"
#include "advisor/check/check_json.hpp"
#include "advisor/check/on_several.hpp"
#include "cli/commands.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/output/check_text.hpp"
#include "cli/output/print.hpp"
#include "cli/served/client.hpp"
#include "cli/served/requirements.hpp"
#include "specs/error.hpp"
#include "workspace/index/pip_index.hpp"
#include "workspace/output.hpp"

namespace stackx::cli {
namespace {

struct CheckOptions {
  advisor::CheckRequest request;
  bool strict = false, deep = false;
  std::string server, have;
  pypi::PipOptions pip;
};

// "2.17" -> "2_17"
std::string glibc_in_tag(std::string version) {
  std::ranges::replace(version, '.', '_');
  return version;
}

// --have driver=V, as advise has it, is --driver V; so is --have python=V.
advisor::CheckRequest request_of(const CheckOptions& options) {
  auto request = options.request;
  request.index_url = options.pip.index_url;
  const auto have = advisor::read_have(options.have);
  const auto take = [](std::string& given, const std::string& kept, const char* option) {
    if (!given.empty() && !kept.empty() && given != kept)
      throw bad_input(fmt::format("--{} {} and --have {}={}: give one of them", option, given, option, kept));
    if (given.empty()) given = kept;
  };
  take(request.driver, have.driver, "driver");
  take(request.python, have.python, "python");
  if (!have.cuda.empty())
    throw bad_input(fmt::format("--have cuda={}: packages bring their CUDA; name a build of it, as in torch==2.7.1+cu118", have.cuda));
  if (!have.glibc.empty()) throw bad_input(fmt::format("--have glibc={}: that is --platform, as in --platform manylinux_{}_x86_64", have.glibc, glibc_in_tag(have.glibc)));
  return request;
}

// What no catalog holds is asked of the package index that pip uses.
auto with_index(const CheckOptions& options, const auto& ask) {
  if (!options.deep) return ask(nullptr);
  workspace::PipIndex index(options.pip, false);
  auto checked = ask(&*index);
  index.finish();
  return checked;
}

int exit_code_of(advisor::Answer answer, const CheckOptions& options) {
  return answer == advisor::Answer::no || (answer == advisor::Answer::unknown && options.strict) ? 1 : 0;
}

// Of one kind of hardware or of several, each as its type is printed.
void tell(const auto& checked, advisor::Answer answer, const std::string& text, const CheckOptions& options, Globals& globals) {
  if (globals.json)
    print_json(advisor::to_json(checked));
  else
    print_check(checked);
  if (answer == advisor::Answer::unknown && !options.strict && globals.json)
    workspace::say("stackx: unknown: {}; --strict ends with 1\n", text);
  globals.exit_code = exit_code_of(answer, options);
}

void run_check(const CheckOptions& options, Globals& globals) {
  auto request = request_of(options);
  if (const auto several = advisor::several_asked(request, globals); !several.empty()) {
    const auto checked = with_index(options, [&](pypi::Index* index) { return advisor::check_on_several(request, several, globals, index); });
    return tell(checked, checked.answer(), checked.text(), options, globals);
  }
  const auto checked = with_index(options, [&](pypi::Index* index) { return advisor::check(request, globals, index); });
  tell(checked, checked.answer, checked.text, options, globals);
}

// Without --hw a server would answer for its own machine, in words that are about this one.
void ask_server_for(const CheckOptions& options, const Command& command, Globals& globals) {
  if (!command.given("--hw"))
    throw bad_input("--server: name the hardware that is meant: --hw h100; `--hw host` is the machine of the server");
  ask_server(options.server, command, globals, {{"what", requirements_for_server(options.request)}, {"extra", {}}, {"group", {}}});
}

}  // namespace

void add_check(Command app, Globals& globals) {
  auto options = std::make_shared<CheckOptions>();
  auto& request = options->request;
  const auto command = app.add_subcommand("check", "Will these packages run on that GPU, driver and Python?");
  command.describe(
      {"The answer is the first line: Yes, No with the reason and the nearest that runs, or Unknown. Nothing is "
       "downloaded and nothing runs.",
       {{"Requirements on a GPU that is not here", "stackx check \"jax[cuda12]==0.6.2\" --hw v100"},
        {"What is installed in this environment", "pip freeze | stackx check - --hw h100"},
        {"A project with its extra cu128", "stackx check pyproject.toml --extra cu128 --hw v100"},
        {"A lock file with the driver that a cluster has", "stackx check uv.lock --hw a100 --driver 535.183.01"}}});
  command.add_option("what", request.what,
                     "Requirements (torch==2.4.0 \"jax[cuda12]\") or a file: requirements.txt, Pipfile, Pipfile.lock, "
                     "pylock.toml, pyproject.toml, uv.lock, poetry.lock, environment.yml; - reads `pip freeze` from stdin. "
                     "Without any: the environment that is active here")
      .type_name("REQUIREMENT|FILE");
  command.add_option("--hw", request.hardware, "GPU or CPU, as in `stackx hw list`, or several: v100,h100; host: this machine")
      .type_name("MODEL")
      .show_default();
  command.add_option("--driver", request.driver, "NVIDIA's driver: 535.183.01").type_name("VERSION");
  command.add_option("--have", options->have, "As advise has it: driver=535.183.01,python=3.11").type_name("NAME=VERSION,...");
  command.add_option("--python", request.python, "Python: 3.11; without it any that these install on").type_name("X.Y");
  command.add_option("--python-env", request.environment, "What is installed in this environment").type_name("DIR");
  add_optional_parts(command, request.extras, request.groups);
  command.add_option("--platform", request.platform,
                     "For another host than the GPU's usual: linux aarch64, manylinux_2_28_x86_64")
      .type_name("PLATFORM");
  command.add_option("--catalog", request.catalogs, "A catalog of your own over the facts; may be repeated")
      .type_name("FILE")
      .one_each();
  command.add_flag("--deep", options->deep, "Packages that no catalog holds are looked up in the package index");
  command.add_option("--index-url", options->pip.index_url,
                     "An index in place of pip's: one of PyTorch's (https://download.pytorch.org/whl/cu126), or any for --deep")
      .type_name("URL");
  command.add_option("--extra-index-url", request.extra_index_url, "One of PyTorch's indexes beside the usual one").type_name("URL");
  command.add_option("--pip", options->pip.python, "For --deep: Python that has the pip to ask").type_name("PYTHON").show_default();
  command.add_flag("--strict", options->strict, "Exit code 1 where the answer is unknown");
  add_server_option(command, options->server);
  command.callback([options, command, &globals] {
    options->server.empty() ? run_check(*options, globals) : ask_server_for(*options, command, globals);
  });
}

}  // namespace stackx::cli
