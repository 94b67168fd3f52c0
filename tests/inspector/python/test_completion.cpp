#include <catch2/catch.hpp>

#include <fstream>
#include <memory>

#include "inspector/python/completion.hpp"
#include "tests/inspector/support.hpp"
#include "tests/specs/message_of.hpp"

using namespace stackx;
using namespace stackx::inspector;
using namespace stackx::inspector::testing;
using stackx::tests::message_of;
using Catch::Matchers::Contains;
using Requirements = std::vector<std::string>;

namespace {

namespace fs = std::filesystem;

class Wheels {
 public:
  NamedWheel add(const std::string& name, const std::string& version, const std::string& headers) {
    const auto directory = scratch_ / name;
    const auto info = name + "-" + version + ".dist-info";
    fs::create_directories(directory / info);
    std::ofstream(directory / info / "METADATA") << "Metadata-Version: 2.1\nName: " << name << "\nVersion: " << version << "\n"
                                                 << headers << "\nRequires-Dist: of-the-description\n";
    all_.push_back(std::make_unique<Wheel>());
    all_.back()->directory = directory;
    all_.back()->files = {{info + "/METADATA", 1}, {name + "/vendored-1.dist-info/METADATA", 1}};
    return {all_.back().get(), name, version};
  }

 private:
  TempDirectory scratch_;
  std::vector<std::unique_ptr<Wheel>> all_;
};

const auto python311 = specs::MarkerEnvironment::for_python("3.11", "linux x86_64");

Requirements lacking(const std::vector<NamedWheel>& wheels) { return completion_of(wheels, python311).requirements; }

std::vector<ChosenWheel> chosen(const std::string& pylock) {
  const TempDirectory scratch;
  std::ofstream(scratch / "pylock.toml") << pylock;
  return read_choice(scratch / "pylock.toml");
}

}  // namespace

TEST_CASE("what wheels require and the stack has not, for its Python", "[completion]") {
  Wheels wheels;
  const auto torch = wheels.add("torch", "2.6.0",
                                "Requires-Dist: sympy ==1.13.1 ; python_version >= \"3.9\"\r\nRequires-Dist: Typing_Extensions>=4.10\n"
                                "Requires-Dist: setuptools; python_version >= \"3.12\"\nRequires-Dist: opt-einsum>=3; extra == \"opt\"\n");
  CHECK(lacking({torch}) == Requirements{"numpy", "sympy==1.13.1", "typing-extensions>=4.10"});
  const auto typing = wheels.add("typing.extensions", "4.1", "");  // older than is required, and the stack's own choice
  CHECK(lacking({torch, typing}) == Requirements{"numpy", "sympy==1.13.1"});
  const auto sympy = wheels.add("sympy", "1.13.1", "");
  CHECK(lacking({torch, typing, sympy}).empty());  // nothing lacks: NumPy is not added either
  const auto numpy = wheels.add("numpy", "2.0", "");
  CHECK(lacking({torch, numpy}) == Requirements{"sympy==1.13.1", "typing-extensions>=4.10"});
  const auto completion = completion_of({torch, typing}, python311);
  CHECK(completion.present == std::map<std::string, std::string>{{"torch", "2.6.0"}, {"typing-extensions", "4.1"}});
}

TEST_CASE("what a wheel says becomes no option and no URL", "[completion]") {
  Wheels wheels;
  const auto evil = wheels.add("evil", "1.0", "Requires-Dist: other @ https://example.org/other.whl\nRequires-Dist: --index-url=x\n"
                                              "Name: --index-url=https://example.org\n");
  const auto completion = completion_of({evil}, python311);
  CHECK(completion.present.empty());
  CHECK(completion.requirements == Requirements{"numpy", "other"});
  const auto version = wheels.add("odd", "1.0", "Version: 1.0 --index-url x\n");
  CHECK(completion_of({version}, python311).present.empty());
}

TEST_CASE("a local label that names an extra asks for it; a package without a file is asked for itself", "[completion]") {
  Wheels wheels;
  auto jax = wheels.add("jax", "0.6", "Requires-Dist: plugin[with]>=0.6; extra == \"cuda12\"\nProvides-Extra: cuda12\n");
  CHECK(lacking({jax}).empty());
  jax.version = "0.6+cuda12";
  CHECK(lacking({jax}) == Requirements{"numpy", "plugin[with]>=0.6"});
  jax.version = "0.6+cuda13";
  CHECK(lacking({jax}).empty());
  CHECK(lacking({{nullptr, "Torch", "2.14.1+cu126"}}) == Requirements{"numpy", "torch==2.14.1+cu126"});
  CHECK(lacking({{nullptr, "cudnn", "9.8.0"}}).empty());  // whatever else is chosen, of this version if it is
  CHECK(completion_of({{nullptr, "cudnn", "9.8.0"}}, python311).constraints ==
        Requirements{"nvidia-cudnn-cu11==9.8.0.*", "nvidia-cudnn-cu12==9.8.0.*", "nvidia-cudnn-cu13==9.8.0.*"});
}

TEST_CASE("a choice as uv writes it", "[completion]") {
  const auto hash = std::string(64, 'a');
  const auto read = chosen("lock-version = \"1.0\"\n[[packages]]\nname = \"torch\"\nversion = \"2.14.1+cu126\"\n"
                           "wheels = [{ url = \"https://example.org/whl/torch-2.14.1%2Bcu126-py3-none-any.whl\", size = 42, "
                           "hashes = { sha256 = \"" + hash + "\" } }]\n"
                           "[[packages]]\nname = \"six\"\nversion = \"1\"\nwheels = [{ path = \"here/six-1-py3-none-any.whl\", "
                           "hashes = { sha256 = \"" + hash + "\" } }]\n");
  REQUIRE(read.size() == 2);
  CHECK(read[0].package == "torch");
  CHECK(read[0].artifact.file == "torch-2.14.1+cu126-py3-none-any.whl");
  CHECK(read[0].artifact.size == 42);
  CHECK(read[0].artifact.sha256 == hash);
  CHECK(read[1].artifact.file == "six-1-py3-none-any.whl");
  CHECK(chosen("lock-version = \"1.0\"\n").empty());
  CHECK_THAT(message_of([] { chosen("[[packages]]\nname = \"x\"\nversion = \"1\"\nwheels = []\n"); }), Contains("no wheel was chosen"));
  CHECK_THAT(message_of([] { chosen("[[packages]]\nname = \"x\"\n"); }), Contains("pylock.toml:1"));
}
