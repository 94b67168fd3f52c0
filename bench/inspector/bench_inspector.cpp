// What bench/inspector/run times of the inspector, through its library.
//
//   bench-inspector materialise SUPERVISOR CATALOG...   prepares the stack for the local runner, offline
//   bench-inspector requirements SUPERVISOR CATALOG...  its wheels for this machine's Python, as pip and uv read them
//   bench-inspector base SUPERVISOR                     an image of bookworm with pip, and how the engine is called
//   bench-inspector overhead N SUPERVISOR CATALOG...    N pairs of a container inspection and a plain run of the same
//
// The stack is read from stdin as `stackx resolve --json` prints it. Prints one JSON object (lines of text for
// `requirements`).
#include <fmt/core.h>

#include <chrono>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "inspector/confinement/container.hpp"
#include "inspector/confinement/engine.hpp"
#include "inspector/inspector.hpp"
#include "inspector/paths.hpp"
#include "inspector/process/process.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"

namespace {

using namespace stackx;
using namespace stackx::inspector;
namespace fs = std::filesystem;
using specs::Json;

// One thread, one short sample: what is left is starting and ending.
const specs::Workload workload{
    "hello_world", {{"repetitions", "1"}, {"min_sample_ms", "0"}, {"warmup_ms", "0"}}};

const auto say = [](const std::string& line) { fmt::print(stderr, "{}\n", line); };

class Timer {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

Context context_for(const fs::path& supervisor) {
  Context context;
  context.cache = cache_directory();
  context.supervisor = supervisor;
  context.data = fs::path(STACKX_SOURCE_DIR) / "specs/data";
  context.pis.python = fs::path(STACKX_SOURCE_DIR) / "kernels/python";
  context.pis.native = supervisor;  // no native stack is run here
  context.say = say;
  return context;
}

specs::Stack read_stack() {
  const std::string text(std::istreambuf_iterator<char>(std::cin), {});
  const auto node = specs::Node::parse_text(text, "stdin");
  specs::Stack stack;
  for (const auto& [component, version] : node.at("components").members())
    stack.components[component] = version.text();
  return stack;
}

Engine engine_for(const fs::path& supervisor) {
  auto engine = find_engine({cache_directory(), supervisor, say});
  if (!engine) throw broken_environment("no container engine works here: " + engine.error());
  return *engine;
}

void materialise(const fs::path& supervisor, const specs::Catalog& catalog) {
  const auto stack = read_stack();
  const Timer timer;
  auto context = context_for(supervisor);
  context.offline = std::getenv("BENCH_ONLINE") == nullptr;
  Inspector inspector(context, catalog, {});
  const auto prepared = inspector.prepare(stack, say);
  fmt::print("{}\n", Json{{"ok", prepared.ok},
                          {"reason", prepared.reason},
                          {"log", prepared.log_tail},
                          {"seconds", timer.seconds()}}.dump());
}

void requirements(const specs::Catalog& catalog) {
  const auto stack = read_stack();
  StackPythons pythons(cache_directory(), nullptr);
  const auto python = pythons.local(stack.components.at("python"));
  if (!python) throw broken_environment(python.error().reason);
  for (const auto& [name, version] : stack.components) {
    const auto* entry = catalog.find(name, version);
    if (entry == nullptr) continue;
    const auto* artifact = choose(entry->artifacts, python->target());
    if (artifact != nullptr)
      fmt::print("{}=={} --hash=sha256:{}\n", artifact->package.empty() ? name : artifact->package,
                 artifact->package_version.empty() ? version : artifact->package_version,
                 artifact->sha256);
  }
}

void base(const fs::path& supervisor) {
  const auto engine = engine_for(supervisor);
  Images images(engine, {cache_directory() / "images", false, {}, 900, supervisor});
  specs::Artifact bookworm;
  bookworm.type = specs::ArtifactType::debootstrap;
  bookworm.file = "bookworm";
  const auto image = images.get({bookworm, {"python3", "python3-pip"}, "/usr/bin/python3"}, say);
  if (!image) throw broken_environment(image.error().reason + "\n" + image.error().log_tail);
  fmt::print("{}\n", Json{{"image", image->id},
                          {"build", engine.command("build")},
                          {"rmi", engine.command("rmi")},
                          {"limits", engine.limits},
                          {"engine", engine.description()}}.dump());
}

// The same image, interpreter, tree and PI, with nothing of ours around it.
Command plain_run(const Engine& engine, const StackEnvironment& environment, const Pis& pis) {
  const auto pi = pi_command(pis, environment, workload.pi, workload.params);
  Command command;
  command.argv = engine.command("run");
  command.argv.insert(command.argv.end(), engine.limits.begin(), engine.limits.end());
  append(command.argv, {"--rm", "--network", "none", "--pull=never"});
  for (const auto* paths : {&environment.visible, &pi.visible})
    for (const auto& path : *paths) append(command.argv, {"--mount", bind_mount(path, false)});
  append(command.argv, {"--entrypoint", "", environment.image->id});
  command.argv.insert(command.argv.end(), pi.argv.begin(), pi.argv.end());
  command.environment = current_environment();
  return command;
}

void overhead(int pairs, const fs::path& supervisor, const specs::Catalog& catalog) {
  const auto stack = read_stack();
  const auto context = context_for(supervisor);
  const auto engine = engine_for(supervisor);
  specs::CampaignSpec campaign;
  campaign.runner = "container";
  Inspector inspector(context, catalog, campaign);
  if (const auto prepared = inspector.prepare(stack, say); !prepared.ok)
    throw broken_environment(prepared.reason + "\n" + prepared.log_tail);
  const auto nothing = [](const WheelRequest&, const fs::path&) -> std::expected<void, BuildFailure> {
    return std::unexpected(BuildFailure{"was installed a moment ago", ""});
  };
  const Container container(engine, supervisor);
  PythonInstaller::Settings settings;
  settings.offline = true;
  Environments environments(
      catalog, WheelStore(context.cache / "wheels", nothing), std::make_unique<Packages>(),
      std::make_unique<StackPythons>(context.cache,
                                     std::make_shared<PythonInstaller>(settings, nullptr, container)),
      std::make_unique<Images>(engine, Images::Settings{context.cache / "images", true, {}, 60, context.supervisor}));
  const auto environment = environments.get(stack, say);
  if (!environment) throw broken_environment(environment.error().reason);
  const auto plain = plain_run(engine, **environment, context.pis);

  const auto ours_once = [&] {
    const Timer timer;
    const auto result = inspector.inspect(stack, workload);
    const auto seconds = timer.seconds();
    if (result.outcome != specs::Outcome::ok) throw broken_environment(result.reason);
    return seconds;
  };
  const auto plain_once = [&] {
    const Timer timer;
    const auto finished = run(plain);
    const auto seconds = timer.seconds();
    if (!finished.ok()) throw broken_environment(tail(finished.err));
    return seconds;
  };
  Json ours = Json::array(), theirs = Json::array();
  ours_once(), plain_once();  // warm
  for (int i = 0; i < pairs; ++i) {
    if (i % 2 == 0) ours.push_back(ours_once());
    theirs.push_back(plain_once());
    if (i % 2 != 0) ours.push_back(ours_once());
  }
  fmt::print("{}\n", Json{{"ours", ours}, {"plain", theirs}, {"runner", inspector.runner()}}.dump());
}

specs::Catalog catalogs(char** first, char** last) {
  return specs::load_catalogs(std::vector<fs::path>(first, last));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 2 ? argv[1] : "";
  try {
    if (what == "materialise") {
      materialise(argv[2], catalogs(argv + 3, argv + argc));
    } else if (what == "requirements") {
      requirements(catalogs(argv + 3, argv + argc));
    } else if (what == "base") {
      base(argv[2]);
    } else if (what == "overhead" && argc > 3) {
      overhead(std::stoi(argv[2]), argv[3], catalogs(argv + 4, argv + argc));
    } else {
      fmt::print(stderr, "usage: see bench/inspector/bench_inspector.cpp\n");
      return 2;
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench-inspector: {}\n", error.what());
    return 3;
  }
}
