// What tf_cnn_benchmarks.py prints (tensorflow/benchmarks):
//   TensorFlow:  1.13
//   Model:       resnet50
//   Batch size:  32 global
//                32 per device
//   Devices:     ['/gpu:0']
//   Step    Img/sec total_loss
//   10      images/sec: 94.5 +/- 1.1 (jitter = 12.4)       7.88
//   total images/sec: 94.60
// behind any prefix that a launcher adds. Each run of the text is one result in images_per_s, the
// mean over its steps; a run without "total" is its last step line, and a remark. The deviation
// ("+/-") is that of the mean, jitter a scaled median absolute deviation of the steps: both are
// details. Without a line "Model:" a number means nothing: refused.
#pragma once

#include <map>

#include "importers/importer.hpp"

namespace stackx::importers {

bool matches_tf_cnn_benchmarks(std::string_view text);
Imported read_tf_cnn_benchmarks(std::string_view text, const std::string& name,
                                const Origin& origin);

// The same facts out of another place (Kubebench), by the labels above.
struct TfCnnRun {
  std::map<std::string, std::string> header;
};
void describe_tf_cnn(specs::Published& published, const TfCnnRun& run);

}  // namespace stackx::importers
