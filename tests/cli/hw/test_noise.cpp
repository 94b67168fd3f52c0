#include <catch2/catch.hpp>

#include "cli/hw/noise.hpp"

using namespace stackx::cli;
using namespace stackx::inspector;

TEST_CASE("the page of what is noisy: advice below its finding, a command for root in one line", "[noise]") {
  const NoiseReport report{{3},
                           {{"load", "2.50 over the last minute, on 2 processors, of which one is free", NoiseVerdict::noisy,
                             "wait until it is below 0.25 (uptime shows it), and see who runs"},
                            {"turbo", "on", NoiseVerdict::noisy, "as root: echo 0 > /sys/devices/system/cpu/cpufreq/boost"},
                            {"swap", "none", NoiseVerdict::good, ""}}};
  CHECK(noise_text(report, 80) ==
        "noisy    load                     2.50 over the last minute, on 2 processors, of\n"
        "                                  which one is free\n"
        "                                  -> wait until it is below 0.25 (uptime shows\n"
        "                                     it), and see who runs\n"
        "noisy    turbo                    on\n"
        "                                  -> as root:\n"
        "                                     echo 0 > /sys/devices/system/cpu/cpufreq/boost\n"
        "good     swap                     none\n"
        "1 of 3 checks good, 2 noisy, 0 unknown; for inspections on CPU 3\n");
}
