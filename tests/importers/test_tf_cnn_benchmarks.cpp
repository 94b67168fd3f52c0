#include "importers/tf_cnn_benchmarks.hpp"

#include "tests/importers/fixture.hpp"

using namespace stackx::importers;

namespace {

const std::string header =
    "TensorFlow:  1.13\nModel:       resnet50\nDataset:     imagenet (synthetic)\nMode:        training\n"
    "SingleSess:  False\nBatch size:  64 global\n             32 per device\nNum batches: 100\n"
    "Num epochs:  0.00\nDevices:     ['/gpu:0', '/gpu:1']\nNUMA bind:   False\nData format: NCHW\n"
    "Optimizer:   sgd\nVariables:   parameter_server\n==========\nDone warm up\nStep\tImg/sec\ttotal_loss\n";
const std::string steps =
    "1\timages/sec: 90.1 +/- 0.0 (jitter = 0.0)\t7.765\n"
    "100\timages/sec: 94.5 +/- 1.1 (jitter = 12.4)\t8.030\n";
const std::string total = "----\ntotal images/sec: 94.60\n----\n";

}  // namespace

TEST_CASE("header, steps and total of one run") {
  const auto published = only(read(header + steps + total));
  CHECK(published.metric == "images_per_s");
  CHECK(published.value == 94.6);
  CHECK(published.statistic == "mean");
  CHECK(published.devices == 2);
  CHECK(published.workload.text() ==
        "train_resnet50:batch=64,batch_per_device=32,data_format=NCHW,dataset=imagenet%20(synthetic),"
        "optimizer=sgd,suite=tf_cnn_benchmarks,variables=parameter_server");
  CHECK(published.stack.components == std::map<std::string, std::string>{{"tensorflow", "1.13"}});
  CHECK(published.details.at("deviation_of_mean") == "1.1");
  CHECK(published.details.at("jitter") == "12.4");
  CHECK(published.details.at("steps") == "100");
}

TEST_CASE("behind a launcher's prefixes") {
  std::string kubeflow, mpi;
  for (const auto line : {"TensorFlow:  1.13", "Model:       vgg16", "Batch size:  32 global",
                          "10\timages/sec: 82.0 +/- 1.0 (jitter = 2.6) 8.038", "total images/sec: 82.40"}) {
    kubeflow += std::string("INFO|2024-12-07T13:55:05|/opt/launcher.py|27| ") + line + "\r\n";
    mpi += std::string("[1,0]<stdout>:") + line + "\n";
  }
  CHECK(only(read(kubeflow)).value == 82.4);
  CHECK(only(read(kubeflow)).workload.pi == "train_vgg16");
  CHECK(only(read(mpi)).workload.params.at("batch") == "32");
}

TEST_CASE("several runs of one text, and one that was cut off") {
  auto second = header;
  second.replace(second.find("training"), 8, "forward-only");
  const auto imported = read(header + steps + total + second + steps);
  REQUIRE(imported.results.size() == 2);
  CHECK(imported.results[1].value == 94.5);
  CHECK(imported.results[1].workload.pi == "infer_resnet50");
  CHECK(remarked(imported, "ends after step 100 without its total"));
}

TEST_CASE("a number without a model is refused, and so is a number that is none") {
  CHECK(has(refused(steps + total), "no line \"Model:\""));
  CHECK(has(refused(header + "total images/sec: nan\n"), "expected a number of images/sec"));
  CHECK(has(refused(header + "total images/sec: -1\n"), "positive"));
  CHECK(has(refused(header + "total images/sec: \n"), "expected a number"));
}
