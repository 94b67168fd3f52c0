#include <catch2/catch.hpp>

#include "inspector/discover/environment_modules.hpp"
#include "tests/inspector/fake_machine.hpp"
#include "tests/inspector/remarks.hpp"

using namespace stackx::inspector;
using namespace stackx::inspector::testing;
using Paths = std::vector<std::string>;

TEST_CASE("Tcl modules: set, setenv and paths, with variables") {
  const auto module = read_module("cuda/12.2", "/m/cuda/12.2",
                                  "#%Module1.0\n"
                                  "set version 12.2\n"
                                  "set root /apps/cuda-$version\n"
                                  "setenv CUDA_HOME $root\n"
                                  "prepend-path PATH ${root}/bin;\n"
                                  "  prepend-path   LD_LIBRARY_PATH \"$root/lib64:/more/lib\"\n"
                                  "append-path LD_LIBRARY_PATH {/braced dir/lib}\n"
                                  "setenv NAME [exec touch /tmp/x]\n"
                                  "setenv OTHER $unknown/lib\n"
                                  "setenv RELATIVE lib\n"
                                  "conflict cuda\n");
  CHECK(module.of("CUDA_HOME") == Paths{"/apps/cuda-12.2"});
  CHECK(module.of("PATH") == Paths{"/apps/cuda-12.2/bin"});
  CHECK(module.of("LD_LIBRARY_PATH") ==
        Paths{"/apps/cuda-12.2/lib64", "/more/lib", "/braced dir/lib"});
  CHECK(module.of("NAME").empty());
  CHECK(module.of("OTHER").empty());
  CHECK(module.of("RELATIVE").empty());
}

TEST_CASE("Lua modules: locals, pathJoin and concatenation") {
  const auto module = read_module("openblas/0.3.28", "/m/openblas/0.3.28.lua",
                                  "-- prepend_path(\"PATH\", \"/comment\")\n"
                                  "local version = \"0.3.28\"\n"
                                  "local root = pathJoin('/apps', 'openblas', version)\n"
                                  "prepend_path(\"LD_LIBRARY_PATH\", pathJoin(root, \"lib\"))\n"
                                  "setenv(\"OPENBLAS_ROOT\", root)\n"
                                  "prepend_path{\"PATH\", root}\n"
                                  "append_path( \"PATH\" , root .. \"/bin\" , \":\")\n"
                                  "setenv(\"HOST\", os.getenv(\"HOSTNAME\"))\n"
                                  "help([[ text ]])\n");
  CHECK(module.of("LD_LIBRARY_PATH") == Paths{"/apps/openblas/0.3.28/lib"});
  CHECK(module.of("OPENBLAS_ROOT") == Paths{"/apps/openblas/0.3.28"});
  CHECK(module.of("PATH") == Paths{"/apps/openblas/0.3.28/bin"});
  CHECK(module.of("HOST").empty());
}

TEST_CASE("what is no module has no paths") {
  CHECK(read_module("cuda/readme", "/m/cuda/readme", "set root /x\nsetenv CUDA_HOME /x\n")
            .paths.empty());
  CHECK(read_module("cuda/1", "/m/cuda/1.lua", "").paths.empty());
  CHECK(
      read_module("cuda/1", "/m/cuda/1.lua", "prepend_path(\"PATH\", \"/unfinished").paths.empty());
  CHECK(read_module("cuda/1", "/m/cuda/1.lua", "prepend_path(\nsetenv(\"\n=\n(((").paths.empty());
  CHECK(read_module("cuda/1", "/m/cuda/1", "#%Module\nsetenv CUDA_HOME \"/unfinished\nset a {\n")
            .paths.empty());
}

TEST_CASE("modules are found below MODULEPATH, those of other things are not read") {
  FakeMachine machine;
  machine.file("/apps/modules/cuda/12.2", "#%Module\nsetenv CUDA_HOME /apps/cuda\n");
  machine.file("/apps/modules/numlib/OpenBLAS/0.3.lua",
               "setenv(\"OPENBLAS_ROOT\", \"/apps/ob\")\n");
  machine.file("/apps/modules/gcc/12", "#%Module\nprepend-path PATH /apps/gcc/bin\n");
  machine.file("/apps/modules/cuda/.version", "#%Module\nsetenv CUDA_HOME /hidden\n");
  KeptRemarks remarks;
  const auto found =
      find_modules(machine.tree(), "relative:/apps/modules:/nowhere", remarks.keep());
  REQUIRE(found.size() == 2);
  CHECK(found[0].name == "cuda/12.2");
  CHECK(found[1].name == "numlib/OpenBLAS/0.3");
  CHECK(found[1].of("OPENBLAS_ROOT") == Paths{"/apps/ob"});
  CHECK(remarks.has(Remark::note, "module cuda/12.2"));
}
