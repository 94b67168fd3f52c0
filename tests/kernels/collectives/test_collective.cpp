// What collective operations count, and their check without any library.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <functional>

#include "kernels/collectives/collective.hpp"
#include "kernels/collectives/exchange_check.hpp"
#include "kernels/collectives/mpi_api.hpp"
#include "kernels/collectives/operation.hpp"

using namespace stackx::kernels;
using namespace stackx::kernels::collectives;
using Bytes = std::vector<unsigned char>;

namespace {

constexpr std::uint64_t kSeed = 5;

Exchange exchange_of(Kind kind, Element element = Element::float32, std::size_t ranks = 3,
                     Reduction reduction = Reduction::sum) {
  return *Exchange::of(kind, element, reduction, ranks, 4800);
}

double element_at(const Exchange& exchange, const Bytes& bytes, std::size_t i) {
  const auto as = [&](auto value) {
    std::memcpy(&value, bytes.data() + i * sizeof(value), sizeof(value));
    return value;
  };
  switch (exchange.element) {
    case Element::float64:
      return as(double{});
    case Element::float32:
      return static_cast<double>(as(float{}));
    case Element::int32:
      return as(std::int32_t{});
    case Element::float16:
      return static_cast<double>(from_float16(as(std::uint16_t{})));
    default:
      return static_cast<double>(from_bfloat16(as(std::uint16_t{})));
  }
}

void set(const Exchange& exchange, Bytes& bytes, std::size_t i, double value) {
  const auto as = [&](auto stored) {
    std::memcpy(bytes.data() + i * sizeof(stored), &stored, sizeof(stored));
  };
  switch (exchange.element) {
    case Element::float64:
      return as(value);
    case Element::float32:
      return as(static_cast<float>(value));
    case Element::int32:
      return as(static_cast<std::int32_t>(value));
    case Element::float16:
      return as(to_float16(static_cast<float>(value)));
    default:
      return as(to_bfloat16(static_cast<float>(value)));
  }
}

// What `rank` should receive, one summand after the other in the element's own precision.
Bytes right(const Exchange& exchange, std::size_t rank) {
  std::vector<Bytes> sent(exchange.ranks, Bytes(exchange.sent() * size_of(exchange.element)));
  for (std::size_t r = 0; r < exchange.ranks; ++r) fill_input(exchange, kSeed, r, sent[r].data());
  Bytes result(exchange.received() * size_of(exchange.element));
  for (std::size_t i = 0; i < exchange.received(); ++i) {
    const std::size_t block = i / exchange.part, at = i % exchange.part;
    if (exchange.kind == Kind::broadcast) {
      set(exchange, result, i, element_at(exchange, sent[0], i));
    } else if (exchange.kind == Kind::all_gather) {
      set(exchange, result, i, element_at(exchange, sent[block], at));
    } else if (exchange.kind == Kind::alltoall) {
      set(exchange, result, i, element_at(exchange, sent[block], rank * exchange.part + at));
    } else {
      const std::size_t from = exchange.kind == Kind::reduce_scatter ? rank * exchange.part + i : i;
      set(exchange, result, i, element_at(exchange, sent[0], from));
      for (std::size_t r = 1; r < exchange.ranks; ++r) {
        const double a = element_at(exchange, result, i), b = element_at(exchange, sent[r], from);
        set(exchange, result, i,
            exchange.reduction == Reduction::sum   ? a + b
            : exchange.reduction == Reduction::max ? std::max(a, b)
                                                   : std::min(a, b));
      }
    }
  }
  return result;
}

double exact_at(const Exchange& exchange, std::size_t rank, std::size_t i) {
  const auto of = [&](std::size_t source, std::size_t index) { return input_of(kSeed, source, index, exchange.element); };
  const std::size_t source = i / exchange.part, at = i % exchange.part;
  if (exchange.kind == Kind::broadcast) return of(0, i);
  if (exchange.kind == Kind::all_gather) return of(source, at);
  if (exchange.kind == Kind::alltoall) return of(source, rank * exchange.part + at);
  double sum = 0;  // exact: of few numbers with few digits
  for (std::size_t r = 0; r < exchange.ranks; ++r)
    sum += of(r, exchange.kind == Kind::reduce_scatter ? rank * exchange.part + i : i);
  return sum;
}

// By what the standard library says of an exponent; none of these results is near 0.
double ulps_by_hand(const Exchange& exchange, std::size_t rank, const Bytes& bytes) {
  const int digits = exchange.element == Element::float32 ? 24 : exchange.element == Element::float16 ? 11 : 8;
  double most = 0;
  for (std::size_t i = 0; i < exchange.received(); ++i) {
    const double exact = exact_at(exchange, rank, i);
    REQUIRE(std::abs(exact) > 0x1p-14);
    most = std::max(most, std::abs(element_at(exchange, bytes, i) - exact) / std::ldexp(1, std::ilogb(exact) - digits + 1));
  }
  return most;
}

}  // namespace

TEST_CASE("bus bandwidth is counted as nccl-tests' PERFORMANCE.md does", "[collectives]") {
  const auto factor = [](Kind kind, std::size_t ranks) {
    return Exchange::of(kind, Element::float32, Reduction::sum, ranks, 1 << 20)->bus_factor();
  };
  CHECK(factor(Kind::all_reduce, 8) == 2 * 7. / 8);
  CHECK(factor(Kind::all_gather, 8) == 7. / 8);
  CHECK(factor(Kind::reduce_scatter, 8) == 7. / 8);
  CHECK(factor(Kind::alltoall, 8) == 7. / 8);
  CHECK(factor(Kind::broadcast, 8) == 1);
  for (const Kind kind : kKinds) CHECK(factor(kind, 1) == 0);
}

TEST_CASE("a message is cut to whole elements a part", "[collectives]") {
  const auto gathered = *Exchange::of(Kind::all_gather, Element::float64, Reduction::sum, 3, 100);
  CHECK(gathered.part == 4);
  CHECK(gathered.message_bytes() == 96);
  CHECK(gathered.sent() == 4);
  CHECK(gathered.received() == 12);
  const auto scattered =
      *Exchange::of(Kind::reduce_scatter, Element::float64, Reduction::sum, 3, 100);
  CHECK(scattered.sent() == 12);
  CHECK(scattered.received() == 4);
  const auto reduced = *Exchange::of(Kind::all_reduce, Element::float64, Reduction::sum, 3, 100);
  CHECK(reduced.message_bytes() == 96);
  CHECK_FALSE(Exchange::of(Kind::alltoall, Element::float64, Reduction::sum, 3, 23));
}

TEST_CASE("a right result passes for every operation, type, rank and reduction", "[collectives]") {
  for (const Kind kind : kKinds)
    for (const std::string& name : kElementNames)
      for (const Reduction reduction : {Reduction::sum, Reduction::max, Reduction::min}) {
        const Exchange exchange = exchange_of(kind, *element_from(name), 3, reduction);
        for (std::size_t rank = 0; rank < exchange.ranks; ++rank) {
          INFO(to_string(kind) << " " << name << " " << to_string(reduction) << " " << rank);
          const Check check = check_result(exchange, kSeed, rank, right(exchange, rank).data());
          INFO(check.detail);
          CHECK(check.pass);
        }
      }
}

TEST_CASE("a wrong element, place, rank or seed fails, and what was not written", "[collectives]") {
  for (const Kind kind : kKinds)
    for (const std::string& name : kElementNames) {
      INFO(to_string(kind) << " " << name);
      const Exchange exchange = exchange_of(kind, *element_from(name));
      const Bytes result = right(exchange, 1);
      const auto passes = [&](const Bytes& bytes) {
        return check_result(exchange, kSeed, 1, bytes.data()).pass;
      };
      Bytes wrong = result;
      std::rotate(wrong.begin(), wrong.begin() + static_cast<long>(size_of(exchange.element)),
                  wrong.end());
      CHECK_FALSE(passes(wrong));
      wrong = result;
      set(exchange, wrong, exchange.received() - 1, 0);
      CHECK_FALSE(passes(wrong));
      poison(exchange, wrong.data());
      CHECK_FALSE(passes(wrong));
      CHECK_FALSE(check_result(exchange, kSeed + 1, 1, result.data()).pass);
      if (exchange.divided() && kind != Kind::all_gather)
        CHECK_FALSE(check_result(exchange, kSeed, 2, result.data()).pass);
    }
}

TEST_CASE("inputs are the same as in Python", "[collectives]") {
  // tests/kernels/python/test_collective.py has the same numbers
  CHECK(input_of(kSeed, 2, 7, Element::float64) == -0.6945551357273345);
  CHECK(input_of(kSeed, 2, 7, Element::int32) == -22760);
}

TEST_CASE("a sum in less precision fails", "[collectives]") {
  const Exchange wide = exchange_of(Kind::all_reduce, Element::float64);
  Bytes result = right(wide, 0);
  for (std::size_t i = 0; i < wide.received(); ++i)
    set(wide, result, i, static_cast<double>(static_cast<float>(element_at(wide, result, i))));
  CHECK_FALSE(check_result(wide, kSeed, 0, result.data()).pass);
}

TEST_CASE("ulps are those of the exact sum; what is moved has none, and one bit is told", "[collectives][ulps]") {
  for (const Kind kind : kKinds)
    for (const Element element : {Element::float32, Element::float16, Element::bfloat16})
      for (std::size_t rank = 0; rank < 3; ++rank) {
        const Exchange exchange = exchange_of(kind, element);
        INFO(to_string(kind) << " " << to_string(element) << " " << rank);
        Bytes bytes = right(exchange, rank);
        const auto found = [&] { return check_result(exchange, kSeed, rank, bytes.data()); };
        const double before = *found().max_ulps;
        CHECK(before == ulps_by_hand(exchange, rank, bytes));
        CHECK((before > 0) == reduces(kind));
        bytes[bytes.size() / 2 / size_of(element) * size_of(element)] ^= 1;
        CHECK(*found().max_ulps == ulps_by_hand(exchange, rank, bytes));
        if (!reduces(kind)) CHECK(*found().max_ulps == 1);
        if (!reduces(kind)) CHECK_FALSE(found().pass);
      }
  for (const Element element : {Element::float64, Element::int32}) {
    const Exchange exchange = exchange_of(Kind::all_reduce, element);
    CHECK_FALSE(check_result(exchange, kSeed, 0, right(exchange, 0).data()).max_ulps);
  }
}

TEST_CASE("an MPI says who it is", "[collectives]") {
  const auto is = [](const std::string& text, const std::string& kind, const std::string& version) {
    const MpiVersion found = parse_mpi_version(text);
    CHECK(found.kind == kind);
    CHECK(found.version.value_or("") == version);
  };
  is("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022",
     "openmpi", "4.1.4");
  is("Open MPI v5.0.0rc7, package: x", "openmpi", "5.0.0rc7");
  is("MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7 12:34:45 CDT 2022\n", "mpich",
     "4.0.2");
  is("MPICH Version:      4.2.1\n", "mpich", "4.2.1");
  is("Intel(R) MPI Library 2021.9 for Linux* OS\n", "intel-mpi", "2021.9");
  is("MVAPICH2 Version      :\t2.3.7\n", "mvapich2", "2.3.7");
  is("Some MPI", "mpi", "");
}

namespace {

// The first of three processes, of which the last may refuse.
struct Three : Processes {
  std::optional<std::string> last;
  std::size_t count() const override { return 3; }
  std::int64_t largest(std::int64_t mine) const override { return std::max<std::int64_t>(mine, last ? 1 : 0); }
  std::string text_of(std::size_t process, const std::string& mine) const override { return process == 2 ? *last : mine; }
};

struct Connected : Communicator {
  Three three;
  std::optional<Unsupported> connect() override { return std::nullopt; }
  std::size_t ranks() const override { return 3; }
  std::vector<std::size_t> own_ranks() const override { return {0}; }
  const Processes& processes() const override { return three; }
  std::optional<Unsupported> prepare(const Exchange&) override { return std::nullopt; }
  void write(std::size_t, const void*, const void*) override {}
  void read(std::size_t, void*) override {}
  void call() override {}
  std::unique_ptr<Sampler> sampler(const Clock&) override { return nullptr; }
  void describe(nlohmann::json&) const override {}
};

}  // namespace

TEST_CASE("what one process refuses all refuse, in the words of the first that does", "[collectives]") {
  const Pi pi = all_reduce_pi();
  Connected connected;
  const CollectiveOperation operation(Kind::all_reduce, Parameters(pi.parameters, {"nodes=2", "bytes=4096"}), connected);
  CHECK_FALSE(operation.agreed(std::nullopt));
  CHECK(operation.agreed("too large here") == "too large here");
  connected.three.last = "too large there";
  CHECK(operation.agreed(std::nullopt) == "too large there");
  CHECK(operation.agreed("too large here") == "too large here");
  CHECK(operation.need().processes == 2);  // of three on two nodes, at the most
  CHECK(operation.need().host() == 2 * 4 * 4096);
}
