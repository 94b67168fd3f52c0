#include "inspector/workshop.hpp"

#include <algorithm>

#include "inspector/python/uv.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<Uv> make_uv(const Context& context, const fs::path& cache, Exposure exposure) {
  return std::make_shared<Uv>(UvOptions{context.supervisor.parent_path(), cache / "uv", context.offline, context.stop,
                                        exposure == Exposure::open});
}

WheelStore make_wheels(const fs::path& cache, std::shared_ptr<Uv> uv, Exposure exposure) {
  return {cache / "wheels",
          [uv = std::move(uv)](const WheelRequest& request, const fs::path& target) { return uv->install(request, target); },
          exposure};
}

std::unique_ptr<StackPythons> make_pythons(const Context& context, const fs::path& cache, const specs::CampaignSpec& limits,
                                           std::shared_ptr<Uv> uv, const Runner& runner) {
  PythonInstaller::Settings settings;
  settings.supervisor = context.supervisor;
  settings.bootstrap = context.pis.python / "bootstrap.py";
  settings.data = context.data;
  settings.wheels = cache / "wheels";
  settings.build_seconds = limits.build_seconds;
  settings.memory_bytes = std::max(limits.memory_bytes(), settings.memory_bytes);
  settings.processes = limits.processes;
  settings.exposure = runner.exposure();
  settings.fetch = context.fetch_source;
  settings.offline = context.offline;
  settings.stop = context.stop;
  return std::make_unique<StackPythons>(cache, std::make_shared<PythonInstaller>(settings, std::move(uv), *runner.confiner),
                                        context.stop, runner.exposure());
}

std::unique_ptr<Images> make_images(const Context& context, const specs::CampaignSpec& limits, const Runner& runner) {
  if (!runner.engine) return nullptr;
  return std::make_unique<Images>(*runner.engine,
                                  Images::Settings{context.cache / "images", context.offline, context.stop,
                                                   limits.build_seconds, context.supervisor, 60, context.image_archives});
}

}  // namespace

Environments make_environments(const Context& context, const specs::Catalog& catalog, const specs::CampaignSpec& limits,
                               const Runner& runner) {
  const auto cache = root_of(runner.exposure(), context.cache);
  const auto uv = make_uv(context, cache, runner.exposure());
  return {catalog, make_wheels(cache, uv, runner.exposure()), std::make_unique<Packages>(),
          make_pythons(context, cache, limits, uv, runner), make_images(context, limits, runner)};
}

}  // namespace stackx::inspector
