#include <catch2/catch.hpp>

#include "specs/format/json.hpp"
#include "specs/format/quantity.hpp"
#include "specs/thoth/amun.hpp"
#include "specs/thoth/pi.hpp"
#include "tests/specs/files.hpp"
#include "tests/specs/message_of.hpp"

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

using Words = std::vector<std::string>;
using Texts = std::map<std::string, std::string>;

AmunSpecification parse(const std::string& members) {
  return parse_amun(Node::parse_text(
      R"({"base": "registry.example/py37")" + (members.empty() ? "" : ", " + members) + "}",
      "spec.json"));
}
std::string refusal(const std::string& members) {
  return message_of([&] { parse(members); });
}

const std::string pipfile =
    R"({"packages": {"numpy": "*", "flask": {"version": ">=1", "extras": ["async"], "index": "pypi"}},
  "dev-packages": {"pytest": "*"}, "source": [{"name": "pypi", "url": "https://index.example/simple", "verify_ssl": true}],
  "requires": {"python_version": "3.7"}})";
const std::string lock =
    R"({"_meta": {"hash": {"sha256": "00"}, "pipfile-spec": 6, "requires": {"python_version": "3.7"},
  "sources": [{"name": "pypi"}, {"name": "other"}]},
  "default": {"numpy": {"version": "==1.16.6", "hashes": ["sha256:00FF", "sha256:00ff", "md5:11"], "index": "other"},
              "old": {"version": "==1", "hashes": ["sha256:22"], "markers": "python_version < '3.7'"}}, "develop": {}})";

std::string in_quotes_of_json(const std::string& text) { return Json(text).dump(); }

}  // namespace

TEST_CASE("an Amun specification needs a base image alone") {
  const auto least = parse("");
  CHECK(least.base == "registry.example/py37");
  CHECK(least.batch_size == 1);
  CHECK(least.package_manager == "micropipenv");
  CHECK_FALSE(least.requirements);
  CHECK_FALSE(least.locked);
  CHECK(least.script.empty());
  CHECK_THAT(message_of([] { parse_amun(Node::parse_text(R"({"script": "x"})", "spec.json")); }),
             Contains("spec.json: the key \"base\" is missing"));
  CHECK_THAT(message_of([] { parse_amun(Node::parse_text(R"({"base": " "})", "spec.json")); }),
             Contains("/base: expected the reference of a base image"));
}

TEST_CASE("batch_size is a number, or one as text") {
  CHECK(parse(R"("batch_size": 20)").batch_size == 20);
  CHECK(parse(R"("batch_size": "20")").batch_size == 20);
  CHECK(parse(R"("batch_size": "")").batch_size == 1);
  CHECK(parse(R"("batch_size": null)").batch_size == 1);
  for (const char* wrong : {"\"many\"", "-1", "\"1.5\"", "\"0\"", "[1]"}) {
    CAPTURE(wrong);
    CHECK_THAT(refusal(std::string(R"("batch_size": )") + wrong),
               Contains("spec.json: /batch_size: "));
  }
}

TEST_CASE("a misspelt key is an error, one with @ is a remark of Amun") {
  CHECK_NOTHROW(parse(R"("@created": "2020-08-05", "@x": {"y": 1})"));
  CHECK_THAT(refusal(R"("packges": [])"),
             Contains("spec.json: unknown key \"packges\"; did you mean \"packages\"?"));
  CHECK_THAT(refusal(R"("run": {"request": {}})"),
             Contains("spec.json: /run: unknown key \"request\""));
  CHECK_THAT(refusal(R"("python": {"requirement": {}})"), Contains("/python: unknown key"));
  CHECK_THAT(refusal(R"("files": [{"path": "/x", "contents": ""}])"),
             Contains("/files/0: unknown key"));
}

TEST_CASE("requests are quantities of Kubernetes") {
  const auto spec = parse(
      R"("build": {"requests": {"cpu": "750m", "memory": "512M"}},
         "run": {"requests": {"cpu": 2, "memory": "4Gi",
                 "hardware": {"cpu_family": "6", "cpu_model": 94, "physical_cpus": 32, "processor": "Xeon"}}})");
  CHECK(spec.build.cpus == 0.75);
  CHECK(spec.build.memory_bytes == 512e6);
  CHECK(spec.run.cpus == 2);
  CHECK(spec.run.memory_bytes == 4294967296.0);
  CHECK(spec.run.hardware.cpu_family == 6);
  CHECK(spec.run.hardware.cpu_model == 94);
  CHECK(spec.run.hardware.physical_cpus == 32);
  CHECK(spec.run.hardware.processor == "Xeon");
  CHECK_FALSE(spec.build.hardware.cpu_family);
  CHECK_THAT(refusal(R"("run": {"requests": {"memory": "4 gigabytes"}})"),
             Contains("/run/requests/memory: expected a quantity as Kubernetes writes it"));
}

TEST_CASE("quantities") {
  const std::pair<const char*, double> good[] = {{"1", 1},
                                                 {"0.5", 0.5},
                                                 {".5", 0.5},
                                                 {"750m", 0.75},
                                                 {"1e3", 1000},
                                                 {"2E", 2e18},
                                                 {"2Ei", 0x1p61},
                                                 {"1k", 1000},
                                                 {"1Ki", 1024},
                                                 {"3Mi", 3145728},
                                                 {"1.5Gi", 1610612736.0},
                                                 {" 4G ", 4e9},
                                                 {"1T", 1e12},
                                                 {"1P", 1e15},
                                                 {"1E3", 1000}};
  for (const auto& [text, value] : good) {
    CAPTURE(text);
    REQUIRE(parse_quantity(text));
    CHECK(*parse_quantity(text) == Approx(value));
  }
  for (const char* wrong : {"", " ", "m", "Gi", "-1", "+1", "1K", "1gi", "4Gi2", "0", "0Gi",
                            "1e999", "nan", "inf", "0x10", "1 Gi"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_quantity(wrong));
  }
}

TEST_CASE("environment: a list, or an object") {
  CHECK(
      parse(
          R"("environment": [{"name": "OMP_NUM_THREADS", "value": 1}, {"name": "A", "value": "b c"}, {"name": "E"}])")
          .environment == Texts{{"OMP_NUM_THREADS", "1"}, {"A", "b c"}, {"E", ""}});
  CHECK(parse(R"("environment": {"A": "$(x); \"y\""})").environment == Texts{{"A", "$(x); \"y\""}});
  for (const char* wrong :
       {R"({"name": "A=B", "value": ""})", R"({"name": "1A", "value": ""})",
        R"({"name": "", "value": ""})", R"({"value": "x"})", R"({"name": "A B"})"}) {
    CAPTURE(wrong);
    CHECK_THAT(refusal(R"("environment": [)" + std::string(wrong) + "]"),
               Contains("/environment/0"));
  }
  CHECK_THAT(
      refusal(R"("environment": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}])"),
      Contains("A is set to \"1\" and to \"2\""));
  CHECK_THAT(refusal("\"environment\": {\"A\": \"x\\u0000y\"}"), Contains("NUL"));
}

TEST_CASE("files lie below the root") {
  const auto files =
      parse(R"("files": [{"path": "etc/x", "content": "a"}, {"path": "/opt//y", "content": ""}])")
          .files;
  REQUIRE(files.size() == 2);
  CHECK(files[0].path == "/etc/x");
  CHECK(files[0].content == "a");
  CHECK(files[1].path == "/opt/y");
  CHECK_THAT(refusal(R"("files": [{"path": "../x", "content": ""}])"),
             Contains("/files/0/path: expected a path without \"..\""));
  CHECK_THAT(refusal(R"("files": [{"content": ""}])"), Contains("\"path\" is missing"));
}

TEST_CASE("Pipfile and Pipfile.lock: as objects, and as text") {
  const std::string toml =
      "[packages]\nnumpy = \"*\"\nflask = {version = \">=1\", extras = [\"async\"]}\n"
      "[requires]\npython_version = \"3.7\"\n";
  const std::string objects =
      R"("python": {"requirements": )" + pipfile + R"(, "requirements_locked": )" + lock + "}";
  const std::string texts = R"("python": {"requirements": )" + in_quotes_of_json(toml) +
                            R"(, "requirements_locked": )" + in_quotes_of_json(lock) + "}";
  const std::string json_text = R"("python": {"requirements": )" + in_quotes_of_json(pipfile) +
                                R"(, "requirements_locked": )" + lock + "}";
  for (const auto& members : {objects, texts, json_text}) {
    CAPTURE(members);
    const auto spec = parse(members);
    REQUIRE(spec.requirements);
    CHECK(spec.python == "3.7");
    CHECK(spec.requirements->python->dependency.versions.text() == "==3.7.*");
    Words names;
    for (const auto& placed : spec.requirements->dependencies)
      names.push_back(placed.dependency.text());
    std::sort(names.begin(), names.end());
    CHECK(names == Words{"flask[async]>=1", "numpy"});
    CHECK_THAT(spec.requirements->dependencies[0].place,
               StartsWith("spec.json: /python/requirements"));
    const auto locked = spec.lock("3.7");
    REQUIRE(locked);
    CHECK(locked->components == Texts{{"numpy", "1.16.6"}});
    CHECK(locked->hashes.at("numpy") == Words{"00ff"});
    CHECK(locked->sources == Words{"pypi", "other"});
    CHECK(spec.lock("3.6")->components.size() == 2);
    CHECK(spec.lock("3.6")->hashes.at("old") == Words{"22"});
  }
}

TEST_CASE("the Python may stand in one place alone") {
  CHECK(
      parse(
          R"("python": {"requirements": {"requires": {"python_version": "3.8"}}, "requirements_locked": {"default": {}}})")
          .python == "3.8");
  CHECK(
      parse(R"("python": {"requirements": "[requires]\npython_full_version = '3.8.1'"})").python ==
      "3.8.1");
  CHECK(
      parse(
          R"("python": {"requirements": null, "requirements_locked": {"_meta": {"requires": {"python_version": "3.6"}}, "default": {}}})")
          .python == "3.6");
  CHECK(parse(R"("python": {"requirements": {"requires": {"python_version": "*"}}})").python == "");
}

TEST_CASE("errors inside Pipfile and lock name the specification") {
  CHECK_THAT(refusal(R"("python": {"requirements": {"packages": {"numpy": "nonsense"}}})"),
             Contains("spec.json: /python/requirements"));
  CHECK_THAT(
      refusal(R"("python": {"requirements": {"packages": {"numpy": {"git": "https://x"}}}})"),
      Contains("git"));
  const auto spec =
      parse(R"("python": {"requirements_locked": {"default": {"a": {"version": ">=1"}}}})");
  CHECK_THAT(
      message_of([&] { spec.lock("3.7"); }),
      Contains(
          "spec.json: /python/requirements_locked/default/a/version: \">=1\" is no exact version"));
}

TEST_CASE("a script is a text or a URL") {
  CHECK(parse(R"("script": "https://scripts.example/x.py")").script_is_url());
  CHECK(parse(R"("script": "http://scripts.example/x.py")").script_is_url());
  CHECK_FALSE(parse(R"x("script": "#!/usr/bin/env python3\nprint('https://x')")x").script_is_url());
  CHECK_FALSE(parse(R"x("script": "https://x\nprint()")x").script_is_url());
}

TEST_CASE("Amun files are told from ours by what stands in them") {
  const Files files;
  CHECK(is_amun_file(files.write("a.json", R"({"base": "x", "script": "y"})")));
  CHECK(is_amun_file(files.write("specification", R"( {"base": "x"})")));
  CHECK_FALSE(
      is_amun_file(files.write("b.json", R"({"$schema": "stackx/project/1", "base": "x"})")));
  CHECK_FALSE(is_amun_file(files.write("c.json", R"({"base": 1})")));
  CHECK_FALSE(is_amun_file(files.write("d.json", R"({"base": )")));
  CHECK_FALSE(is_amun_file(files.write("e.txt", "numpy\n")));
  CHECK_FALSE(is_amun_file(files.path()));
  CHECK_FALSE(is_amun_file(files.path() / "nothing"));
  CHECK(load_amun(files.path() / "a.json").base == "x");
  CHECK(is_python_project(files.path() / "a.json"));
  CHECK_THAT(message_of([&] { read_python_project(files.path() / "a.json", {}); }),
             Contains("/python/requirements: not there"));
}

TEST_CASE("Thoth's own scripts are PIs of ours") {
  const std::string place = "https://raw.example/thoth-station/performance/master/";
  const auto of = [&](const std::string& script, const Texts& environment = {}) {
    const auto pi = thoth_pi(place + script, environment);
    return pi ? pi->framework + " " + pi->workload.text() : "none: " + pi.error();
  };
  CHECK(of("tensorflow/matmul.py") == "tensorflow matmul:dtype=float32,k=512,m=512,n=512");
  CHECK(of("tensorflow/matmul.py?raw=1") == of("tensorflow/matmul.py"));
  CHECK(of("tensorflow/matmul.py", {{"MATMUL_MATRIX_SIZE", "64"},
                                    {"MATMUL_DTYPE", "float64"},
                                    {"MATMUL_REPS", "300"},
                                    {"MATMUL_DEVICE", "gpu"}}) ==
        "tensorflow matmul:device=gpu,dtype=float64,k=64,m=64,n=64,repetitions=300");
  CHECK(of("pytorch/matmul.py") == "torch matmul:dtype=float32,k=64,m=64,n=64");
  CHECK(of("tensorflow/conv1d.py") ==
        "tensorflow "
        "conv1d:batch=4,dtype=float32,in_channels=5,kernel=5,layout=channels_last,length=161,out_"
        "channels=32,padding=same,stride=2");
  CHECK(of("tensorflow/conv2d.py") ==
        "tensorflow "
        "conv2d:batch=4,dtype=float32,height=700,in_channels=1,kernel_h=20,kernel_w=5,layout="
        "channels_last,out_channels=32,"
        "padding=same,stride=2,width=161");
  CHECK(of("tensorflow/conv2d.py", {{"CONV_DATA_FORMAT", "NCHW"},
                                    {"FILTER_PADDING", "VALID"},
                                    {"TENSOR_DTYPE", "half"},
                                    {"BATCH", "8"}}) ==
        "tensorflow "
        "conv2d:batch=8,dtype=float16,height=700,in_channels=1,kernel_h=20,kernel_w=5,layout="
        "channels_first,out_channels=32,"
        "padding=valid,stride=2,width=161");
  CHECK(of("tensorflow/import.py") == "tensorflow import");
  CHECK(of("tensorflow/hello_world.py") == "tensorflow hello_world");
  CHECK_THAT(of("pytorch/conv2d.py"), Contains("none: FILTER_PADDING"));
  CHECK_THAT(of("tensorflow/conv2d.py", {{"FILTER_INPUT_CHANNELS", "2"}}),
             Contains("none: FILTER_INPUT_CHANNELS"));
  CHECK_THAT(of("tensorflow/matmul.py", {{"MATMUL_MATRIX_SIZE", "1e3"}}),
             Contains("none: MATMUL_MATRIX_SIZE=\"1e3\""));
  CHECK_THAT(of("tensorflow/matmul.py", {{"MATMUL_DTYPE", "int32"}}),
             Contains("none: MATMUL_DTYPE"));
  CHECK_THAT(of("tensorflow/mock.py"), Contains("none: our PIs are"));
  CHECK_THAT(of("python_interpreter/pybench.py"), Contains("none: it is none of"));
  CHECK_FALSE(thoth_pi("https://scripts.example/tensorflow/matmul.py", {}));
  CHECK_FALSE(thoth_pi("https://scripts.example/performance", {}));
}
