// Quantities as Kubernetes writes them: "750m" CPUs, "4Gi", "512M", "1.5", "1e3".
//
// A decimal number and a suffix: m (thousandths), k, M, G, T, P, E (powers of 1000), Ki, Mi, Gi, Ti, Pi, Ei
// (powers of 1024), or an exponent. Not read: n and u, which are for metrics.
// https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/ (read 2026-11-21)
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace stackx::specs {

// Positive and finite; else what is wrong.
std::expected<double, std::string> parse_quantity(std::string_view text);

}  // namespace stackx::specs
