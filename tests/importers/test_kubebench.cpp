#include "importers/kubebench.hpp"

#include "tests/importers/fixture.hpp"

using namespace stackx::importers;

TEST_CASE("a report: columns in any order, quoted cells, other columns") {
  const auto imported = read(
      "model,total_images/sec,experiment,batch_size,tensorflow,data_format,mode\r\n"
      "resnet50,120.25,\"a, \"\"b\"\"\",32 global,1.8,NHWC,training\r\n"
      "vgg16,40.5,c,16 global,1.8,NCHW,training\r\n");
  CHECK(imported.remarks.empty());
  REQUIRE(imported.results.size() == 2);
  const auto& first = imported.results[0];
  CHECK(first.value == 120.25);
  CHECK(first.metric == "images_per_s");
  CHECK(first.workload.text() == "train_resnet50:batch=32,data_format=NHWC,suite=tf_cnn_benchmarks");
  CHECK(first.stack.components.at("tensorflow") == "1.8");
  CHECK(first.details.at("experiment") == "a, \"b\"");
  CHECK(imported.results[1].workload.pi == "train_vgg16");
}

TEST_CASE("bad lines are remarked, the rest is kept") {
  const auto imported = read("total_images/sec,model\n1,resnet50\nx,resnet50\n2\n,resnet50\n3,\nnan,a\n-1,a\n4,b,c\n");
  CHECK(imported.results.size() == 1);
  CHECK(imported.remarks.size() == 7);
  CHECK(remarked(imported, "line 3: not imported: expected a number of images/sec, found \"x\""));
  CHECK(remarked(imported, "line 4: not imported: 1 cells, expected 2"));
  CHECK(remarked(imported, "line 6: not imported: it names no model"));
}

TEST_CASE("a table that is none is refused with its place") {
  CHECK(has(refused("model,batch_size\na,1\n", "kubebench"), "total_images/sec is missing"));
  CHECK(has(refused("", "kubebench"), "empty"));
  CHECK(has(refused("total_images/sec,model\n1,\"open\n2,b\n"), "file:2: the quoted cell has no end"));
  CHECK(has(refused("total_images/sec,model,Model\n1,a,b\n"), "twice"));
  CHECK(has(refused("total_images/sec,model\n"), "no result found"));
}
