// Kubebench's report: CSV, one line an experiment, columns in any order (they come out of a Go map).
//   total_images/sec,tensorflow,model,dataset,mode,batch_size,data_format,optimizer,variables,...
// Columns are the labels of tf_cnn_benchmarks in lower case with '_' for spaces, as its post-processor
// makes them; columns of other names are kept as details. RFC 4180 quoting. Lines with more or fewer
// cells than the header, without a number, or without a model are remarked.
#pragma once

#include "importers/importer.hpp"

namespace stackx::importers {

bool matches_kubebench(std::string_view text);
Imported read_kubebench(std::string_view text, const std::string& name, const Origin& origin);

}  // namespace stackx::importers
