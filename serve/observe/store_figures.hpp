// What the store says at the moment of a scrape, as families of gauges. Of a store that cannot be read, and of
// none (""): stackx_store_readable 0.
#pragma once

#include <prometheus/metric_family.h>

#include <filesystem>
#include <vector>

namespace stackx::serve {

std::vector<prometheus::MetricFamily> store_figures(const std::filesystem::path& store);

}  // namespace stackx::serve
