#include <catch2/catch.hpp>

#include "analysis/text/table.hpp"

using namespace stackx::analysis;

namespace {

std::string plain(const std::vector<Column>& columns, std::size_t width) { return table_text(columns, Paint{false}, width); }

const std::vector<Column> wide{{"name", false, {"v100-sxm2-16gb", "a100"}},
                               {"product", false, {"Tesla V100 SXM2 16GB of NVIDIA", "A100"}},
                               {"FP16 tensor", true, {"125", "312"}}};

}  // namespace

TEST_CASE("a table that fits is a line a row", "[table]") {
  const std::string whole =
      "name            product                         FP16 tensor\n"
      "v100-sxm2-16gb  Tesla V100 SXM2 16GB of NVIDIA          125\n"
      "a100            A100                                    312\n";
  CHECK(plain(wide, 59) == whole);
  CHECK(table_text(wide, Paint{false}) == whole);
}

TEST_CASE("a table that is too wide folds texts and titles within their columns", "[table]") {
  CHECK(plain(wide, 50) ==
        "name            product                FP16 tensor\n"
        "v100-sxm2-16gb  Tesla V100 SXM2 16GB           125\n"
        "                of NVIDIA\n"
        "a100            A100                           312\n");
  CHECK(plain({wide[0], wide[2]}, 24) ==
        "                    FP16\n"
        "name              tensor\n"
        "v100-sxm2-16gb       125\n"
        "a100                 312\n");
}

TEST_CASE("what would be too narrow to read goes below its row, and long words stay whole", "[table]") {
  CHECK(plain(wide, 40) ==
        "name            FP16 tensor\n"
        "v100-sxm2-16gb          125\n"
        "      product: Tesla V100 SXM2 16GB of\n"
        "        NVIDIA\n"
        "a100                    312\n"
        "      product: A100\n");
  const std::string address = "https://example.org/a/path/that/is/longer/than/the/page";
  CHECK(plain({{"n", true, {"1"}}, {"source", false, {address}}, {"none", false, {"-"}}}, 40) ==
        "n  none\n"
        "1  -\n"
        "      source:\n"
        "        " + address + "\n");
}

TEST_CASE("a table that cannot fold is a block a row", "[table]") {
  const std::string id(30, '0');
  CHECK(plain({{"campaign", false, {id, id}}, {"bytes of it", true, {"12345678901", ""}}}, 40) ==
        "campaign     " + id + "\n"
        "bytes of it  12345678901\n"
        "\n"
        "campaign     " + id + "\n"
        "bytes of it\n");
}

TEST_CASE("an interval in a cell is not parted", "[table]") {
  CHECK(plain({{"verdict", false, {"SLOWER x0.899 [0.897, 0.903]"}}, {"n", true, {"24"}}}, 26) ==
        "verdict                  n\n"
        "SLOWER x0.899           24\n"
        "[0.897, 0.903]\n");
}

TEST_CASE("a paragraph breaks at blanks, not within what is between backquotes", "[table]") {
  CHECK(split("to see all: `stackx hw list`, or ` alone") ==
        std::vector<std::string>{"to", "see", "all:", "`stackx hw list`,", "or", "`", "alone"});
  CHECK(wrap("what can be asked for: `stackx workload list` shows it", 2, 29) ==
        "what can be asked for:\n  `stackx workload list`\n  shows it");
  CHECK(wrap({"Next:", "stackx advise --hw v100 --lock 'a b.txt'"}, 2, "", 20) == "Next:\n  stackx advise --hw v100 --lock 'a b.txt'");
  CHECK(folded("a line\n  of words that are many\n", 14) == "a line\n  of words\n    that are\n    many\n");
  CHECK(wrap({"a: 1, 2, 3", "suite: inference, inference_device"}, 2, ";", 24) == "a: 1, 2, 3; suite:\n  inference,\n  inference_device");
  CHECK(paragraph("a b", 3) == "   a b\n");
  CHECK(indented("a\n\nb\n", 2) == "  a\n\n  b\n");
}
