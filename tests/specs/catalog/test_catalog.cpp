#include <unistd.h>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <filesystem>
#include <fstream>

#include "specs/catalog/catalog.hpp"
#include "specs/format/json.hpp"
#include "tests/specs/message_of.hpp"

namespace catalog_tests {

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

const std::string hash(64, 'a');

Catalog parse(const std::string& components) {
  return parse_catalog(Node::parse_text(
      R"({"$schema": "stackx/catalog/1", "components": )" + components + "}", "c.json"));
}
std::string refusal(const std::string& components) {
  return message_of([&] { check(parse(components), "c.json"); });
}
// One version 1.0 of the package a, with b, python and cpu to speak of.
std::string with(const std::string& entry) {
  return R"({"a": {"kind": "package", "versions": {"1.0": )" + entry +
         R"(}}, "b": {"kind": "package", "versioning": "opaque", "versions": {"x": {"attributes": {"abi": "11"}}}},
             "python": {"kind": "runtime", "versions": {"3.9.2": {}, "3.11": {}}},
             "cpu": {"kind": "hardware", "versioning": "opaque", "versions": {"skylake":
               {"attributes": {"isa": ["avx2", "fma"], "cores": 8, "vendor": "intel", "level": 7.10}}}}})";
}
Requirement requirement(const std::string& key, const std::string& value,
                        Versioning scheme = Versioning::pep440) {
  return parse_requirement(key, Node::parse_text(value, "r"), scheme);
}

class Directory {
 public:
  Directory() : path_(fs::temp_directory_path() / ("stackx-catalogs-" + std::to_string(getpid()))) {
    fs::create_directories(path_);
  }
  ~Directory() { fs::remove_all(path_); }
  fs::path file(const std::string& name, const std::string& components) const {
    std::ofstream(path_ / name) << R"({"$schema": "stackx/catalog/1", "components": )" << components
                                << "}";
    return path_ / name;
  }

 private:
  fs::path path_;
};

}  // namespace

TEST_CASE("everything in a catalog is read") {
  const Catalog catalog = parse(with(R"({
      "attributes": {"abi": 7.0, "flags": ["x", "y"]},
      "requires": {"python": ">=3.9,<4", "cpu.isa": {"contains": ["avx2", "fma"]},
                   "b": {"any": ["==x", "==y"]}},
      "requires_if": [{"if": {"python": "<3.10"}, "then": {"b": "==x"}}],
      "conflicts": {"tensorflow": "<2.5"},
      "provides": {"blas": "3.9"},
      "artifacts": [{"type": "wheel", "file": "a-1.0.whl", "sha256": ")" +
                                     hash + R"(", "size": 5, "library": "lib/a.so"},
                    {"type": "system", "package": "liba", "package_version": "1.0-1", "library": "/usr/lib/a.so"}],
      "environment": {"OMP_NUM_THREADS": 2, "PI_EMPTY": ""}, "parameters": {"threads": 2, "alpha": 0.50},
      "reports": "1.0.dev", "sources": [{"url": "https://example.org", "read": "2026-11-20", "title": "T"}]})"));
  const Component& a = *catalog.find("a");
  CHECK(a.kind == Kind::package);
  CHECK(a.versioning == Versioning::pep440);
  CHECK(a.file == "c.json");
  const VersionEntry& entry = a.versions.at(0);
  CHECK(std::get<std::string>(entry.attributes.at("abi")) == "7.0");
  CHECK(std::get<std::vector<std::string>>(entry.attributes.at("flags")) ==
        std::vector<std::string>{"x", "y"});
  std::vector<std::string> requirements;
  for (const auto& each : entry.requires_) requirements.push_back(each.text());
  CHECK(requirements ==
        std::vector<std::string>{"python >=3.9,<4", "cpu.isa contains avx2, fma", "b ==x or ==y"});
  CHECK(entry.requires_if.at(0).if_.at(0).text() == "python <3.10");
  CHECK(entry.requires_if.at(0).then.at(0).text() == "b ==x");
  CHECK(entry.conflicts.at(0).text() == "tensorflow <2.5");
  CHECK(entry.provides.at("blas").text() == "3.9");
  CHECK(entry.artifacts.at(0).size == 5);
  CHECK(entry.artifacts.at(0).sha256 == hash);
  CHECK(entry.artifacts.at(1).type == ArtifactType::system);
  CHECK(entry.artifacts.at(1).package_version == "1.0-1");
  CHECK(entry.environment ==
        std::map<std::string, std::string>{{"OMP_NUM_THREADS", "2"}, {"PI_EMPTY", ""}});
  CHECK(entry.parameters == std::map<std::string, std::string>{{"threads", "2"}, {"alpha", "0.5"}});
  CHECK(entry.reports == "1.0.dev");
  CHECK(entry.sources == std::vector<std::string>{"T: https://example.org (read 2026-11-20)"});
  CHECK_NOTHROW(check(catalog, "c.json"));
}

TEST_CASE("versions keep the listed order; they are found by text and by normal form") {
  const Catalog catalog =
      parse(R"({"a": {"kind": "package", "versions": {"2.0": {}, "10.0": {}, "1.0RC1": {}}},
                                    "o": {"kind": "setting", "versioning": "opaque", "versions": {"z": {}, "a": {}}}})");
  std::vector<std::string> texts;
  for (const auto& entry : catalog.find("a")->versions) texts.push_back(entry.version.text());
  for (const auto& entry : catalog.find("o")->versions) texts.push_back(entry.version.text());
  CHECK(texts == std::vector<std::string>{"2.0", "10.0", "1.0RC1", "z", "a"});
  const Component& a = *catalog.find("a");
  CHECK(a.find("1.0rc1")->version.text() == "1.0RC1");
  CHECK(a.find("2")->version.text() == "2.0");
  CHECK(a.find("3") == nullptr);
  CHECK(a.find("not a version") == nullptr);
  CHECK(catalog.find("a", "2") == a.find("2"));
  CHECK(catalog.find("a", "3") == nullptr);
  CHECK(catalog.find("not a component", "2") == nullptr);
}

TEST_CASE("virtual components and their providers") {
  const Catalog catalog =
      parse(R"({"mkl": {"kind": "package", "versions": {"1": {}, "2": {"provides": {"blas": "3"}}}},
                                    "blis": {"kind": "package", "versions": {"1": {"provides": {"blas": "3"}}}},
                                    "app": {"kind": "package", "versions": {"1": {"requires": {"blas": ">=3"}}}}})");
  CHECK_NOTHROW(check(catalog, "c.json"));
  CHECK(catalog.is_virtual("blas"));
  CHECK_FALSE(catalog.is_virtual("mkl"));
  CHECK_FALSE(catalog.is_virtual("nothing"));
  std::vector<std::string> names;
  for (const auto* provider : catalog.providers("blas")) names.push_back(provider->name);
  CHECK(names == std::vector<std::string>{"blis", "mkl"});
}

TEST_CASE("what holds") {
  const Catalog catalog = parse(with("{}"));
  const VersionEntry& skylake = catalog.find("cpu")->versions.at(0);
  const VersionEntry& python = catalog.find("python")->versions.at(0);
  const auto on_cpu = [&](const char* key, const char* value) {
    return holds(requirement(key, value), skylake);
  };
  CHECK(holds(requirement("python", R"(">=3.9,<3.10")"), python));
  CHECK_FALSE(holds(requirement("python", R"(">=3.10")"), python));
  CHECK(holds(requirement("python", R"({"any": ["<3", ">=3.9"]})"), python));
  CHECK(holds(requirement("cpu", R"("==skylake")", Versioning::opaque), skylake));
  CHECK(on_cpu("cpu.isa", R"({"contains": ["avx2"]})"));
  CHECK_FALSE(on_cpu("cpu.isa", R"({"contains": ["avx2", "avx512f"]})"));
  CHECK(on_cpu("cpu.isa", R"({"any": [{"contains": ["avx512f"]}, {"contains": ["fma"]}]})"));
  CHECK(on_cpu("cpu.isa", R"("*")"));
  CHECK_FALSE(on_cpu("cpu.isa", R"(">=1")"));
  CHECK(on_cpu("cpu.cores", R"(">=8")"));
  CHECK_FALSE(on_cpu("cpu.cores", R"(">=10")"));
  CHECK(on_cpu("cpu.level", R"(">=7.9")"));  // 7.10 as written, not the number 7.1
  CHECK(on_cpu("cpu.vendor", R"("==intel")"));
  CHECK_FALSE(on_cpu("cpu.vendor", R"("==amd")"));
  CHECK(on_cpu("cpu.vendor", R"("!=amd")"));
  CHECK(on_cpu("cpu.vendor", R"({"any": ["==amd", "==intel"]})"));
  CHECK_FALSE(on_cpu("cpu.vendor", R"(">=1")"));
  CHECK_FALSE(on_cpu("cpu.cores", R"({"contains": ["8"]})"));
  CHECK_FALSE(on_cpu("cpu.nothing", R"("*")"));
}

TEST_CASE("mistakes in a catalog name their place") {
  CHECK_THAT(refusal(with(R"({"requirs": {}})")),
             Contains("c.json: /components/a/versions/1.0: unknown key \"requirs\"; did you mean "
                      "\"requires\"?"));
  CHECK_THAT(
      refusal(with(R"({"requires": {"python": ">=3.9,<<4"}})")),
      Contains("c.json: /components/a/versions/1.0/requires/python: \">=3.9,<<4\": column "));
  CHECK_THAT(refusal(with(R"({"requires": {"b": ">=1"}})")),
             Contains("/requires/b: ") && Contains("opaque"));
  CHECK_THAT(
      refusal(with(R"({"requires": {"pythn": "*"}})")),
      Contains("c.json: a 1.0: requires \"pythn *\"") && Contains("did you mean \"python\"?"));
  CHECK_THAT(refusal(with(R"({"requires_if": [{"if": {"zig": "*"}, "then": {"zag": "*"}}]})")),
             Contains("\"zag\""));
  CHECK_THAT(
      refusal(with(R"({"requires": {"b.abj": "*"}})")),
      Contains("no version of b has the attribute \"abj\"") && Contains("did you mean \"abi\"?"));
  CHECK(refusal(with(R"({"requires": {"cpu.numa": "*"}})")) ==
        "(no error)");  // the host may have it
  CHECK_THAT(refusal(with(R"({"provides": {"v": "1"}, "requires": {"v.x": "*"}})")),
             Contains("a virtual component has no attributes"));
  CHECK_THAT(refusal(with(R"({"requires": {"python": {"any": []}}})")),
             Contains("/any: expected at least one"));
  CHECK_THAT(refusal(with(R"({"requires": {"cpu.isa": {"contains": []}}})")),
             Contains("/contains: expected at least one"));
  CHECK_THAT(refusal(with(R"({"requires": {"python": {"contains": ["x"]}}})")),
             Contains("component.attribute"));
  CHECK_THAT(refusal(with(R"({"requires": {"python": {"any": ["*"], "contains": ["x"]}}})")),
             Contains("unknown key \"contains\""));
  CHECK_THAT(refusal(with(R"({"requires": {"python": 3}})")), Contains("expected a specifier"));
  CHECK_THAT(refusal(with(R"({"requires": {"a": "*"}})")), Contains("names itself"));
  CHECK_THAT(refusal(with(R"({"conflicts": {"a": "*"}})")), Contains("names itself"));
  CHECK_THAT(refusal(with(R"({"requires": {"cpu.isa.x": "*"}})")), Contains("\"isa.x\""));
  CHECK_THAT(refusal(with(R"({"requires_if": [{"if": {}, "then": {"b": "*"}}]})")),
             Contains("/requires_if/0/if: "));
  CHECK_THAT(refusal(with(R"({"requires_if": [{"if": {"b": "*"}, "then": {}}]})")),
             Contains("/requires_if/0/then: "));
  CHECK_THAT(refusal(with(R"({"provides": {"blas": "*"}})")),
             Contains("/provides/blas: \"*\" is no pep440 version"));
  CHECK_THAT(refusal(with(R"({"provides": {"python": "3"}})")),
             Contains("provides \"python\", which is itself declared"));
  CHECK_THAT(refusal(with(R"({"provides": {"a": "3"}})")), Contains("it provides itself"));
  CHECK_THAT(refusal(with(R"({"environment": {"A-B": "1"}})")), Contains("/environment/A-B: "));
  CHECK_THAT(refusal(with(R"({"environment": {"PI_A": "\u0000"}})")), Contains("NUL"));
  for (const char* name : {"A", "LD_PRELOAD", "PS1", "PI_", "OMP_", "MKL", "XDG_CONFIG_HOME", "NVIDIA_VISIBLE_DEVICES"})
    CHECK_THAT(refusal(with(fmt::format(R"({{"environment": {{"{}": "x"}}}})", name))), Contains("a setting of what is measured"));
  CHECK_THAT(refusal(with(R"({"environment": {"OMP_TOOL_LIBRARIES": "/tmp/x.so"}})")), Contains("a setting without '/'"));
  CHECK_THAT(refusal(with(R"({"parameters": {"dtype": "a,b"}})")), Contains("/parameters/dtype: "));
  CHECK_THAT(refusal(with(R"({"sources": [{"url": "https://example.org"}]})")),
             Contains("/sources/0: the key \"read\" is missing"));
}

TEST_CASE("mistakes in artifacts") {
  const auto artifact = [](const std::string& text) {
    return refusal(with(R"({"artifacts": [)" + text + "]}"));
  };
  const std::string wheel = R"("type": "wheel", "sha256": ")" + hash + "\"";
  CHECK(artifact("{" + wheel + R"(, "file": "a.whl"})") == "(no error)");
  CHECK_THAT(artifact(R"({"type": "whel"})"), Contains("did you mean \"wheel\"?"));
  CHECK_THAT(artifact("{" + wheel + "}"), Contains("\"file\" is missing"));
  CHECK_THAT(artifact(R"({"type": "wheel", "file": "a.whl"})"), Contains("\"sha256\" is missing"));
  CHECK_THAT(artifact(R"({"type": "wheel", "file": "a.whl", "sha256": "12"})"),
             Contains("64 lower-case"));
  CHECK_THAT(artifact("{" + wheel + R"(, "file": "../a.whl"})"), Contains("without a directory"));
  CHECK_THAT(artifact("{" + wheel + R"(, "file": "a.whl", "library": "lib/../../x.so"})"),
             Contains("inside the environment"));
  CHECK_THAT(artifact("{" + wheel + R"(, "file": "a.whl", "library": "/x.so"})"),
             Contains("inside the environment"));
  CHECK_THAT(artifact("{" + wheel + R"(, "file": "a.whl", "size": -1})"), Contains("/size: "));
  CHECK_THAT(artifact(R"({"type": "system"})"), Contains("\"package\" is missing"));
  CHECK_THAT(artifact(R"({"type": "system", "package": "libx", "library": "x.so"})"),
             Contains("absolute"));
}

TEST_CASE("what of an artifact reaches pip is a name and a version, nothing else") {
  const auto wheel = [](const std::string& key, const std::string& value) {
    return refusal(with(R"({"artifacts": [{"type": "wheel", "file": "a.whl", "sha256": ")" + hash + R"(", ")" +
                        key + R"(": ")" + value + R"("}]})"));
  };
  for (const char* good : {"a", "Ten_sor.Flow-2", "nvidia-cublas-cu12"}) CHECK(wheel("package", good) == "(no error)");
  for (const char* bad :
       {"x\\n--index-url http://evil/", "evil @ http://evil/x.whl", "--pre", "x\\n", "x[y]", "x y", "x;y", "é"})
    CHECK_THAT(wheel("package", bad), Contains("/artifacts/0/package: ") && Contains("a Python package"));
  for (const char* good : {"1.0", "1!2.0rc1.post2+cu126", "v1"}) CHECK(wheel("package_version", good) == "(no error)");
  for (const char* bad : {"1.0\\n", " 1.0", "1.0 --hash=x", "1.0\\n--pre", "1.0,>2", "1.*", "one"})
    CHECK_THAT(wheel("package_version", bad), Contains("/artifacts/0/package_version: ") && Contains("PEP 440"));
}

TEST_CASE("what of an artifact reaches apt is a package and a version, nothing else") {
  const auto system = [](const std::string& package, const std::string& version) {
    return refusal(with(R"({"artifacts": [{"type": "system", "package": ")" + package +
                        R"(", "package_version": ")" + version + R"("}]})"));
  };
  for (const char* good : {"libstdc++6", "g++", "python2.7", "0ad", "libc6:i386", "libc6:kfreebsd-amd64"})
    CHECK(system(good, "1.0-1") == "(no error)");
  for (const char* bad : {"/tmp/evil.deb", "libc6-", "libc6-:amd64", "libc6 x-", "libc6\\n", "-y", "+x", "task^", "a/sid",
                          "a=1", "A1", "x", "libc6:", "libc6:a-", "libc6:a:b", "a*"})
    CHECK_THAT(system(bad, "1.0-1"), Contains("/artifacts/0/package: ") && Contains("a Debian package"));
  for (const char* good : {"1:0.3.21+ds-4", "7", "1.0~rc1+b2"}) CHECK(system("liba", good) == "(no error)");
  for (const char* bad : {"1.0-", "1.0 libc6-", "1.0\\n", " 1", "*", "sid", "1/../2"})
    CHECK_THAT(system("liba", bad), Contains("/artifacts/0/package_version: ") && Contains("a Debian package"));
}

TEST_CASE("names and versions that could not be file names are errors") {
  const auto named = [](const std::string& name) {
    return refusal("{\"" + name + R"(": {"kind": "package", "versions": {}}})");
  };
  const auto version = [](const std::string& text) {
    return refusal(R"({"a": {"kind": "package", "versioning": "opaque", "versions": {")" + text +
                   R"(": {}}}})");
  };
  for (const char* good : {"a", "A1", "lib-x_y+z", "0ad"}) CHECK(named(good) == "(no error)");
  for (const char* bad : {"", "a.b", "a/b", "a b", "-a", "a\\n", "é", ".."})
    CHECK(named(bad) != "(no error)");
  CHECK_THAT(named("a.b"), Contains("a dot separates component and attribute"));
  CHECK(named(std::string(129, 'a')) != "(no error)");
  for (const char* good : {"a", "v100-sxm2-16gb", "1.0~rc1", "..."})
    CHECK(version(good) == "(no error)");
  for (const char* bad : {"", ".", "..", "a/b", "a b", "a\\u0001", "é", " a"})
    CHECK(version(bad) != "(no error)");
}

TEST_CASE("one version has one spelling in a component") {
  const auto versions = [](const char* scheme, const char* one, const char* other) {
    return refusal(std::string(R"({"a": {"kind": "package", "versioning": ")") + scheme +
                   R"(", "versions": {")" + one + R"(": {}, ")" + other + R"(": {}}}})");
  };
  CHECK(versions("pep440", "1.0.0", "1.0") ==
        "c.json: /components/a/versions: \"1.0.0\" and \"1.0\" are the same pep440 version; keep "
        "one");
  CHECK_THAT(versions("pep440", "1.0rc1", "1.0-RC.1"), Contains("the same"));
  CHECK_THAT(versions("debian", "1.0-1", "0:1.0-1"), Contains("the same"));
  CHECK(versions("opaque", "1.0", "1.0.0") == "(no error)");
  CHECK(versions("pep440", "1.0", "1.0.1") == "(no error)");
  CHECK_THAT(versions("pep440", "1.0", "x.y"),
             Contains("/components/a/versions/x.y: \"x.y\" is no pep440 version: column"));
}

TEST_CASE("several files are one catalog; each knows the versioning of the others' components") {
  const Directory directory;
  const auto one = directory.file(
      "one.json", R"({"a": {"kind": "package", "versions": {"1": {"requires": {"b": "==x"}}}}})");
  const auto two = directory.file(
      "two.json", R"({"b": {"kind": "setting", "versioning": "opaque", "versions": {"x": {}}}})");
  const auto again = directory.file("again.json", R"({"b": {"kind": "setting", "versions": {}}})");
  const Catalog catalog = load_catalogs({one, two});
  CHECK_NOTHROW(check(catalog, "both"));
  CHECK(
      holds(catalog.find("a")->versions.at(0).requires_.at(0), catalog.find("b")->versions.at(0)));
  CHECK_THAT(message_of([&] {
               load_catalogs({two, again});
             }),
             Contains("two.json: /components/b: versioning \"opaque\" here, but \"pep440\" in ") && Contains("again.json"));
  CHECK_THAT(message_of([&] { check(load_catalog(again), ""), load_catalog(one); }),
             Contains("one.json: /components/a"));
}

TEST_CASE("components that will be added later may be required") {
  const Catalog catalog = parse(
      R"({"a": {"kind": "package", "versions": {"1": {"requires": {"gpu.memory_gib": ">=16"}}}}})");
  CHECK_THAT(message_of([&] { check(catalog, "c.json"); }), Contains("\"gpu\""));
  CHECK_NOTHROW(check(catalog, "c.json", {"gpu"}));
}

// Some complete others: an image needs the python that packages are for, a setting chooses among packages, everything
// for GPUs needs the GPU.
TEST_CASE("our own catalogs are sound") {
  const std::vector<std::string> for_gpus{"gpus.json", "cuda.json", "cudnn.json", "nccl.json", "gpu-tensorflow.json",
                                          "gpu-pytorch.json", "gpu-jax.json", "ngc.json", "cuda-wheels.json", "cudnn-wheels.json",
                                          "gpu-settings.json"};
  std::set<std::string> incomplete{"images.json", "framework-settings.json"};
  incomplete.insert(for_gpus.begin() + 1, for_gpus.end());
  for (const auto& entry : fs::directory_iterator(STACKX_SOURCE_DIR "/specs/data")) {
    if (!entry.is_regular_file()) continue;
    const Node document = Node::parse_file(entry.path());
    if (document.at("$schema").text() != "stackx/catalog/1") continue;
    if (incomplete.contains(entry.path().filename())) continue;
    CAPTURE(entry.path());
    CHECK_NOTHROW(check(load_catalog(entry.path()), entry.path().string()));
  }
  const fs::path data = STACKX_SOURCE_DIR "/specs/data";
  CHECK_NOTHROW(check(load_catalogs({data / "images.json", data / "frameworks.json",
                                     data / "framework-settings.json"}),
                      "frameworks"));
  CHECK_NOTHROW(check(load_catalogs({data / "images.json", data / "tensorflow1.json"}), "tensorflow1"));
  std::vector<fs::path> gpu_files;
  for (const auto& file : for_gpus) gpu_files.push_back(data / file);
  CHECK_NOTHROW(check(load_catalogs(gpu_files), "GPUs"));
}

}  // namespace catalog_tests
