#include "advisor/facts/driver_span.hpp"

#include <catch2/catch.hpp>

#include "specs/catalog/driver.hpp"
#include "specs/error.hpp"

using namespace stackx;
using namespace stackx::advisor;
using Catch::Matchers::Contains;

namespace {

const DriverSpan v100{"V100", "7.0", "384.81", "580"}, k80{"K80", "3.7", "346.46", "470"}, a100{"A100", "8.0", "450.36.06"},
    b200{"B200", "10.0", "570.26"}, orin{"Orin", "8.7"};

}  // namespace

TEST_CASE("driver span: a branch's last driver is in it, the next branch's first is not") {
  CHECK(v100.holds("384.81"));
  CHECK(v100.holds("580.159.04"));
  CHECK_FALSE(v100.holds("590.44.01"));
  CHECK_FALSE(v100.holds("384.66"));
  CHECK(b200.holds("610.43.02"));
  CHECK(v100.text() == "from 384.81 to the end of branch 580");
}

TEST_CASE("driver span: a product may be younger than its chip") {
  const DriverSpan h200{"H200", "9.0", "550.90.07", "", {"550.90.07", {"535.183.01"}}};
  CHECK(h200.holds("535.183.06"));
  CHECK_FALSE(h200.holds("545.29.06"));
  CHECK(driver_answer({h200}, "545.29.06").text == "No: driver 545.29.06 does not drive H200 (from 550.90.07 on; in other branches from 535.183.01).");
  CHECK(driver_answer({h200}, "").text == "Drivers from 550.90.07 on drive H200; of branch 535 from 535.183.01 on, too.");
  const DriverSpan l40s{"L40S", "8.9", "535.104.05", "", {"535.104.05", {"525.147.05"}}};
  CHECK(driver_answer({h200, l40s}, "").text == "Drivers from 550.90.07 on drive H200 and L40S: H200 sets the first; of branch 535 from 535.183.01 on, too.");
  CHECK(driver_answer({h200, a100, b200}, "").text == "Drivers from 570.26 on drive H200, A100 and B200: B200 sets the first.");
}

TEST_CASE("driver span: what drives several is from the newest's first to the oldest's last") {
  CHECK(driver_answer({v100, a100, b200}, "").text == "Drivers from 570.26 to the end of branch 580 drive V100, A100 and B200: B200 sets the first, V100 the last.");
  CHECK(driver_answer({a100}, "").text == "Drivers from 450.36.06 on drive A100.");
  const auto none = driver_answer({k80, b200, a100}, "");
  CHECK(none.text == "No driver drives K80, B200 and A100: B200 begins with 570.26, and K80 ends with branch 470.");
  CHECK(none.drives_all == false);
  CHECK_FALSE(common_span({k80, b200}));
}

TEST_CASE("driver span: one driver for several") {
  CHECK(driver_answer({v100, b200}, "575.57.08").text == "Yes: driver 575.57.08 drives V100 and B200.");
  const auto no = driver_answer({v100, a100, b200}, "535.183.01");
  CHECK(no.text == "No: driver 535.183.01 does not drive B200 (from 570.26 on); it drives V100 and A100.");
  CHECK(no.drives_all == false);
  CHECK(driver_answer({orin, b200}, "535.183.01").drives_all == false);  // whatever drives Orin
}

TEST_CASE("driver span: a bare number is a branch, and some driver of it will do") {
  CHECK(b200.holds("570"));
  CHECK_FALSE(b200.holds("565"));
  CHECK_FALSE(b200.holds("570.1"));
  CHECK(v100.holds("580"));
  CHECK_FALSE(v100.holds("590"));
  CHECK(driver_answer({v100, b200}, "570").text == "Yes: driver 570 drives V100 and B200, from 570.26 on.");
  CHECK(driver_answer({v100, b200}, "575").text == "Yes: driver 575 drives V100 and B200.");
}

TEST_CASE("driver span: what has drivers of its own is unknown, never a no") {
  const auto unknown = driver_answer({orin, a100}, "535.183.01");
  CHECK(unknown.text == "Unknown for Orin: no branch of NVIDIA's drivers is known for it. Driver 535.183.01 drives A100.");
  CHECK(unknown.drives_all == std::nullopt);
  CHECK_THAT(driver_answer({orin, a100}, "").text, Contains("Drivers from 450.36.06 on drive A100."));
}

TEST_CASE("driver span: what no driver is called") {
  specs::DriverFacts drivers;
  drivers.add_toolkit("12.4", "550.54.14");
  CHECK_NOTHROW(check_driver(drivers, ""));
  CHECK_NOTHROW(check_driver(drivers, "535.183.01"));
  CHECK_THROWS_WITH(check_driver(drivers, "12.4"), Contains("looks like a release of CUDA") && Contains("CUDA 12.4 came with driver 550.54.14"));
  CHECK_THROWS_WITH(check_driver(drivers, "9.0"), Contains("no driver of these GPUs is that old"));
  CHECK_THROWS_WITH(check_driver(drivers, "new"), Contains("expected a version such as 535.183.01"));
}
