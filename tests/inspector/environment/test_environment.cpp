#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "inspector/environment/environment.hpp"
#include "specs/error.hpp"
#include "specs/format/digest.hpp"
#include "tests/inspector/support.hpp"

using namespace stackx;
using namespace stackx::inspector;
using namespace stackx::inspector::testing;
using specs::Outcome;

namespace fs = std::filesystem;

namespace {

// A dpkg database of one package, which owns one file.
class FakePackages : public Packages {
 public:
  FakePackages(std::string owned, int& queries) : owned_(std::move(owned)), queries_(queries) {}

 protected:
  std::string query(const std::vector<std::string>& arguments) override {
    ++queries_;
    const auto& subject = arguments.back();
    if (arguments.front() == "-W" && subject == "libfoo1") return "installed 1.2+ds-3\n";
    if (arguments.front() == "-W" && subject == "removed") return "config-files 9\n";
    if (arguments.front() == "-S" && subject == owned_) return "libfoo1:amd64: " + owned_ + "\n";
    return "";
  }

 private:
  std::string owned_;
  int& queries_;
};

class Machine {
 public:
  explicit Machine(const std::string& components)
      : catalog_(
            catalog_of(R"({"$schema": "stackx/catalog/1", "components": {)" + components + "}}")) {}

  Environments& environments() {
    if (!environments_) {
      WheelStore wheels(root_ / "wheels",
                        [this](const WheelRequest& request, const fs::path& target) {
                          ++installed;
                          if (request.package == "broken") {
                            return std::expected<void, BuildFailure>(
                                std::unexpected(BuildFailure{"no network", "log"}));
                          }
                          testing::write(target / ("lib/lib" + request.package + ".so.1"),
                                         "library " + request.package);
                          return std::expected<void, BuildFailure>();
                        });
      environments_ = std::make_unique<Environments>(
          catalog_, std::move(wheels),
          std::make_unique<FakePackages>(owned_file().string(), queries));
    }
    return *environments_;
  }
  auto get(std::map<std::string, std::string> stack) {
    return environments().get(specs::Stack{std::move(stack)}, {});
  }
  specs::Catalog& catalog() { return catalog_; }
  fs::path owned_file() const { return root_ / "libfoo.so.1.2"; }
  const TempDirectory& root() const { return root_; }

  int installed = 0, queries = 0;

 private:
  TempDirectory root_;
  specs::Catalog catalog_;
  std::unique_ptr<Environments> environments_;
};

std::string wheel(const std::string& name, char digit, const std::string& library) {
  return R"({"type": "wheel", "file": ")" + name + R"(.whl", "sha256": ")" +
         std::string(64, digit) + R"(")" +
         (library.empty() ? "" : R"(, "library": ")" + library + "\"") + "}";
}

std::string component(const std::string& name, const std::string& body,
                      const std::string& head = R"("kind": "package")") {
  return "\"" + name + "\": {" + head + ", \"versions\": {" + body + "}}";
}

const std::string debian = R"("kind": "package", "versioning": "debian")";

}  // namespace

TEST_CASE("a stack is a list of wheels, and the loader's path to them", "[environment]") {
  Machine machine(
      component("mkl", R"("1": {"provides": {"blas": "1"}, "artifacts": [)" +
                           wheel("mkl", 'a', "lib/libmkl.so.1") + "]}") +
      "," +
      component("tbb", R"("2": {"reports": "2.0", "artifacts": [)" +
                           wheel("tbb", 'b', "lib/libtbb.so.1") + "]}") +
      "," +
      component("threads",
                R"("4": {"environment": {"OMP_NUM_THREADS": "4"}, "parameters": {"threads": 4}})",
                R"("kind": "setting")"));
  const auto environment = machine.get({{"mkl", "1"}, {"tbb", "2"}, {"threads", "4"}});
  REQUIRE(environment);
  const auto& made = **environment;
  const auto mkl = machine.root() / "wheels" / std::string(64, 'a');
  const auto tbb = machine.root() / "wheels" / std::string(64, 'b');
  CHECK(made.component == "mkl");  // tbb has a library too, but provides nothing
  CHECK(made.library == mkl / "lib/libmkl.so.1");
  CHECK(made.library_path == std::vector<fs::path>{mkl / "lib", tbb / "lib"});
  CHECK(made.visible == std::vector<fs::path>{mkl, tbb});
  CHECK(made.variables == Environment{{"OMP_NUM_THREADS", "4"}});
  CHECK(made.parameters == std::map<std::string, std::string>{{"threads", "4"}});
  CHECK(made.artifacts.at("mkl.whl") == std::string(64, 'a'));
  CHECK(made.artifacts.at("lib/libmkl.so.1") == specs::sha256("library mkl"));

  SECTION("another stack with the same wheels installs nothing") {
    REQUIRE(machine.get({{"mkl", "1"}, {"tbb", "2"}}));
    CHECK(machine.installed == 2);
  }
}

TEST_CASE("a wheel that cannot be installed, or lacks its library, is a failed build",
          "[environment]") {
  Machine machine(
      component("broken", R"("1": {"artifacts": [)" + wheel("broken", 'a', "") + "]}") + "," +
      component("lacking",
                R"("1": {"artifacts": [)" + wheel("lacking", 'b', "lib/other.so") + "]}") +
      "," +
      component("leaving", R"("1": {"artifacts": [)" + wheel("leaving", 'c', "lib/x") + "]}"));
  const auto broken = machine.get({{"broken", "1"}});
  REQUIRE_FALSE(broken);
  CHECK(broken.error().outcome == Outcome::build_failed);
  CHECK(broken.error().reason == "no network");
  CHECK(broken.error().log_tail == "log");
  testing::write(machine.root() / "secret", "x");
  // The catalog's reader refuses such a path; whoever makes an artifact by other means is refused
  // here.
  machine.catalog().components.at("leaving").versions[0].artifacts[0].library = "../../secret";
  for (const std::string name : {"lacking", "leaving"}) {
    const auto result = machine.get({{name, "1"}});
    REQUIRE_FALSE(result);
    CHECK(result.error().outcome == Outcome::build_failed);
    CHECK(mentions(result.error().reason, "holds no file"));
  }
}

TEST_CASE("system packages must be installed, in the version asked for", "[environment]") {
  const auto system = [&](const std::string& package, const fs::path& library,
                          const std::string& more = "") {
    return R"({"artifacts": [{"type": "system", "package": ")" + package + "\"" +
           (library.empty() ? "" : R"(, "library": ")" + library.string() + "\"") + more + "}]}";
  };
  // The catalog is fixed at construction: one component a case.
  Machine cases(component("right", R"("1.2+ds-3": )" + system("libfoo1", ""), debian) + "," +
                component("older", R"("1.1-1": )" + system("libfoo1", ""), debian) + "," +
                component("stated", R"("7": )" + system("libfoo1", "",
                                                        R"(, "package_version": "1.2+ds-3")")) +
                "," + component("local", R"("1.2+ds-3": )" + system("libfoo1", "")) + "," +
                component("whichever", R"("system": )" + system("libfoo1", ""),
                          R"("kind": "runtime", "versioning": "opaque")") +
                "," + component("absent", R"("1": )" + system("libbar1", "")) + "," +
                component("gone", R"("9": )" + system("removed", "")) + "," +
                component("lost", R"("1": )" + system("libfoo1", "/nonexistent/lib.so")));
  for (const auto& [name, version] : std::map<std::string, std::string>{{"right", "1.2+ds-3"},
                                                                        {"stated", "7"},
                                                                        {"local", "1.2+ds-3"},
                                                                        {"whichever", "system"}}) {
    INFO(name);
    const auto environment = cases.get({{name, version}});
    REQUIRE(environment);
    CHECK((*environment)->parts.at(0).package_version == "1.2+ds-3");
  }
  const std::map<std::string, std::pair<std::string, std::string>> refused{
      {"older", {"1.1-1", "is installed in version 1.2+ds-3, wanted is 1.1-1"}},
      {"absent", {"1", "apt-get install libbar1"}},
      {"gone", {"9", "apt-get install removed"}},
      {"lost", {"1", "/nonexistent/lib.so is not there"}}};
  for (const auto& [name, rest] : refused) {
    INFO(name);
    const auto environment = cases.get({{name, rest.first}});
    REQUIRE_FALSE(environment);
    CHECK(environment.error().outcome == Outcome::unsupported);
    CHECK(mentions(environment.error().reason, rest.second));
  }
  CHECK(cases.queries == 3);  // libfoo1, libbar1 and removed once each
}

TEST_CASE("a library's symbolic links are resolved, and its owner is checked", "[environment]") {
  const TempDirectory root;
  testing::write(root / "real.so.1.2", "library");
  fs::create_symlink(root / "real.so.1.2", root / "link.so");
  class Owner : public Packages {
   public:
    explicit Owner(std::string answer) : answer_(std::move(answer)) {}

   protected:
    std::string query(const std::vector<std::string>& arguments) override {
      return arguments.front() == "-W" ? "installed 1\n" : answer_;
    }

   private:
    std::string answer_;
  };
  const auto catalog = catalog_of(
      R"({"$schema": "stackx/catalog/1", "components": {)" +
      component("foo",
                R"("1": {"artifacts": [{"type": "system", "package": "libfoo1", "library": ")" +
                    (root / "link.so").string() + "\"}]}") +
      "}}");
  const specs::Stack stack{{{"foo", "1"}}};
  const auto file = (root / "real.so.1.2").string();
  {
    Environments mine(catalog, WheelStore(root / "wheels", {}),
                      std::make_unique<Owner>("libfoo1:amd64: " + file + "\n"));
    const auto environment = mine.get(stack, {});
    REQUIRE(environment);
    CHECK((*environment)->library == file);
    CHECK((*environment)->component == "foo");
    CHECK((*environment)->artifacts.at(file) == specs::sha256("library"));
  }
  {
    Environments others(catalog, WheelStore(root / "wheels", {}),
                        std::make_unique<Owner>("libbar2: " + file + "\n"));
    const auto environment = others.get(stack, {});
    REQUIRE_FALSE(environment);
    CHECK(mentions(environment.error().reason, "belongs to package libbar2, not to libfoo1"));
  }
  Environments nobodys(catalog, WheelStore(root / "wheels", {}), std::make_unique<Owner>(""));
  const auto environment = nobodys.get(stack, {});  // any file of this machine could be named so
  REQUIRE_FALSE(environment);
  CHECK(mentions(environment.error().reason, "no package puts a library"));
}

TEST_CASE("settings that contradict each other are bad input", "[environment]") {
  const std::string setting = R"("kind": "setting", "versioning": "opaque")";
  Machine machine(
      component("a", R"("x": {"environment": {"PI_V": "1"}}, "p": {"parameters": {"q": 1}})",
                setting) +
      "," +
      component("b", R"("x": {"environment": {"PI_V": "2"}}, "same": {"environment": {"PI_V": "1"}},
                                   "p": {"parameters": {"q": 2}})",
                setting));
  CHECK(machine.get({{"a", "x"}, {"b", "same"}}));
  CHECK_THROWS_AS(machine.get({{"a", "x"}, {"b", "x"}}), Error);
  CHECK_THROWS_AS(machine.get({{"a", "p"}, {"b", "p"}}), Error);
  CHECK_THROWS_AS(machine.get({{"a", "unknown"}}), Error);
  CHECK_THROWS_AS(machine.get({{"unknown", "1"}}), Error);
}

TEST_CASE("two libraries that provide something cannot both be measured", "[environment]") {
  Machine machine(component("one", R"("1": {"provides": {"blas": "1"}, "artifacts": [)" +
                                       wheel("one", 'a', "lib/libone.so.1") + "]}") +
                  "," +
                  component("two", R"("1": {"provides": {"lapack": "1"}, "artifacts": [)" +
                                       wheel("two", 'b', "lib/libtwo.so.1") + "]}"));
  CHECK_THROWS_AS(machine.get({{"one", "1"}, {"two", "1"}}), Error);
}

TEST_CASE("a path must be there, with the contents stated", "[environment]") {
  const TempDirectory root;
  testing::write(root / "tool", "tool");
  const auto at = [&](const std::string& name, const std::string& hash) {
    return R"({"artifacts": [{"type": "path", "file": ")" + (root / name).string() + "\"" +
           (hash.empty() ? "" : R"(, "sha256": ")" + hash + "\"") + "}]}";
  };
  Machine machine(component("here", R"("1": )" + at("tool", "")) + "," +
                  component("exact", R"("1": )" + at("tool", specs::sha256("tool"))) + "," +
                  component("changed", R"("1": )" + at("tool", std::string(64, 'f'))) + "," +
                  component("away", R"("1": )" + at("nothing", "")));
  CHECK(machine.get({{"here", "1"}}));
  CHECK(machine.get({{"exact", "1"}}));
  REQUIRE_FALSE(machine.get({{"changed", "1"}}));
  REQUIRE_FALSE(machine.get({{"away", "1"}}));
  CHECK(machine.get({{"away", "1"}}).error().outcome == Outcome::unsupported);
}

TEST_CASE("a runtime of several paths: the first is its library, the loader finds the others", "[environment]") {
  const TempDirectory root;
  const auto place = fs::canonical(root.path());
  const auto artifact = [&](const std::string& directory, const std::string& library) {
    fs::create_directories(place / directory);
    testing::write(place / directory / library, library);
    return R"({"type": "path", "file": ")" + (place / directory).string() + R"(", "library": ")" +
           (place / directory / library).string() + "\"}";
  };
  const auto both = artifact("runtime", "libcudart.so") + "," + artifact("compiler", "libnvrtc.so");
  Machine machine(component("cuda", R"("1": {"artifacts": [)" + both + "]}", R"("kind": "runtime")") + "," +
                  component("blas", R"("1": {"provides": {"products": "1"}, "artifacts": [)" +
                                        artifact("blas", "libcublas.so") + "]}"));
  const auto environment = machine.get({{"cuda", "1"}, {"blas", "1"}});
  REQUIRE(environment);
  using Paths = std::vector<fs::path>;
  CHECK((*environment)->library == place / "blas/libcublas.so");
  CHECK((*environment)->partners == Paths{place / "runtime/libcudart.so", place / "compiler/libnvrtc.so"});
  CHECK((*environment)->library_path == Paths{place / "runtime", place / "compiler"});
}

TEST_CASE("what is no file, or one without end, fails its stack by the component's name", "[environment]") {
  const TempDirectory root;
  testing::write(root / "tool", "tool");
  testing::write(root / "huge", "");
  fs::create_directory(root / "directory");
  fs::resize_file(root / "huge", std::uintmax_t{40} << 30);
  REQUIRE(mkfifo((root / "pipe").c_str(), 0600) == 0);
  const auto with = [&](const std::string& file, const std::string& library) {
    Machine machine(component("victim", R"("1": {"artifacts": [{"type": "path", "file": ")" + (root / file).string() +
                                            R"(", "library": ")" + (root / library).string() + "\"}]}"));
    const auto made = machine.get({{"victim", "1"}});
    if (made) return std::string();
    CHECK(made.error().outcome == Outcome::unsupported);
    CHECK_THAT(made.error().reason, Catch::StartsWith("victim 1: ") && Catch::Contains("correct the catalog"));
    return made.error().reason;
  };
  CHECK(with("directory", "tool") == "");
  CHECK_THAT(with("tool", "directory"), Catch::Contains("directory is a directory; expected a file"));
  for (const auto& [file, library] : {std::pair("tool", "pipe"), {"pipe", "tool"}})
    CHECK_THAT(with(file, library), Catch::Contains("pipe is no regular file"));
  CHECK_THAT(with("tool", "huge"), Catch::Contains("huge holds more than 4 GiB"));
}
