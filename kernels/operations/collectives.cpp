// all_reduce, all_gather, reduce_scatter, broadcast, alltoall: collective operations between ranks,
// by MPI (a rank a process) or NCCL (a rank a GPU).
//
// Which of the two is told by what --library exports, as with BLAS libraries: a parameter that says
// it again could only be wrong.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "kernels/collectives/launcher.hpp"
#include "kernels/collectives/mpi.hpp"
#include "kernels/collectives/mpi_api.hpp"
#include "kernels/collectives/nccl.hpp"
#include "kernels/collectives/operation.hpp"
#include "kernels/collectives/remote_shell.hpp"
#include "kernels/pi.hpp"

namespace stackx::kernels {
namespace {

using nlohmann::json;
using namespace collectives;

constexpr std::uint64_t kMostRanks = 1 << 16;
constexpr std::size_t kUsualRanks = 2;
constexpr int kFailed = 3;  // exit status

Kind kind_of(const Pi& pi) {
  for (const Kind kind : kKinds)
    if (std::string_view(pi.name) == to_string(kind)) return kind;
  throw UsageError(pi.name);
}

// One process's part; rank 0's is the document, the others' nothing.
json measure_here(const Pi& pi, const Parameters& parameters, Communicator& communicator,
                  const Clock& clock) {
  CollectiveOperation operation(kind_of(pi), parameters, communicator);
  const Clock shared =
      shared_clock([&]() -> const Processes& { return communicator.processes(); }, clock);
  try {
    json document = run_operation(pi, parameters, operation, shared);
    return communicator.processes().index() == 0 ? document : json();
  } catch (const std::exception& error) {
    if (communicator.processes().count() == 1) throw;
    fmt::print(stderr, "stackx-pi: rank {}: {}\n", communicator.processes().index(), error.what());
    communicator.processes().end_all(kFailed);
    throw;
  }
}

std::vector<std::string> words_of(const Pi& pi, const PiArguments& arguments) {
  std::vector<std::string> words{pi.name, "--library", *arguments.library};
  if (arguments.component) words.insert(words.end(), {"--component", *arguments.component});
  words.insert(words.end(), arguments.words.begin(), arguments.words.end());
  return words;
}

// By MPI's launcher: here, or, where somebody has started a process on each node, in all of them.
json run_launched(const Pi& pi, const PiArguments& arguments, const SharedObject& library,
                  std::size_t ranks, const std::optional<Started>& started) {
  std::optional<RemoteShell> shell;
  if (started) shell.emplace(*started);
  const auto version = mpi_version(library);
  const Ran ran = run_ranks(find_launcher(library.path(), version.kind), version.kind, ranks, words_of(pi, arguments),
                            shell ? &*shell : nullptr);
  json document = json::parse(ran.document);
  if (!ran.left) {
    const auto note = fmt::format("{} {}: its ranks had not left MPI_Finalize {} s after the result, and were ended", version.kind,
                                  version.version.value_or("of unknown version"), kLeave.count());
    document["notes"].push_back(note);
    fmt::print(stderr, "stackx-pi: {}\n", note);  // which an inspection keeps
  }
  return document;
}

json run_mpi(const Pi& pi, const PiArguments& arguments, Parameters& parameters,
             const SharedObject& library, const Clock& clock) {
  std::size_t ranks = parameters.whole("ranks", 0, kMostRanks);
  const auto started = started_by_words();
  if (!started && launched_by()) {
    if (const std::size_t asked = ranks_asked_for(); asked != 0) ranks = asked;
    const std::shared_ptr<Communicator> communicator = mpi_communicator(library, ranks, arguments.component, clock);
    json document = measure_here(pi, parameters, *communicator, clock);
    keep(communicator);  // MPI_Finalize waits for the others
    return document;
  }
  if (started && ranks != 0 && ranks != started->size)
    throw LoadError(fmt::format("ranks={}, but WORLD_SIZE={}", ranks, started->size));
  if (!started && parameters.whole("nodes", 0, kMostRanks) > 1 && ranks != 1)
    throw LoadError(fmt::format("nodes={}, but nobody has started this on other machines: `stackx cluster` does, or a launcher",
                                parameters.text("nodes")));
  if (ranks == 0) ranks = started ? started->size : kUsualRanks;
  // What cannot be read is said here once, not by every rank.
  CollectiveOperation(kind_of(pi), parameters,
                      *mpi_communicator(library, ranks, arguments.component, clock));
  plan_from(parameters);
  if (started && started->rank != 0) {
    wait_for_launcher(*started);
    return {};
  }
  return run_launched(pi, arguments, library, ranks, started);
}

json run_collective(const Pi& pi, const PiArguments& arguments, const Clock& clock) {
  if (!arguments.library)
    throw UsageError(fmt::format("{} needs --library PATH: the MPI or NCCL to measure", pi.name));
  Parameters parameters(pi.parameters, arguments.words);
  const SharedObject library(*arguments.library);
  if (is_nccl(library)) {
    const auto communicator =
        nccl_communicator(*arguments.library, arguments.with,
                          parameters.whole("ranks", 0, kMostRanks), arguments.component, clock);
    return measure_here(pi, parameters, *communicator, clock);
  }
  if (is_mpi(library)) return run_mpi(pi, arguments, parameters, library, clock);
  throw LoadError(fmt::format("{}: exports neither MPI's functions nor NCCL's", library.path()));
}

Pi collective_pi(Kind kind, const char* summary) {
  std::vector<Parameter> own{
      {"bytes", "1048576", "of the message, as given to nccl-tests (all_gather: the whole output)"},
      {"dtype", "float32", "float32, float64, int32; float16, bfloat16 where the library has them"},
      {"ranks", "0", "0: all that a launcher started; where none did, 2 (NCCL: every GPU)"},
      {"nodes", "0", "machines that they are spread over, as `stackx cluster` starts them; 0: not said"}};
  if (reduces(kind)) own.push_back({"reduction", "sum", "sum, max or min"});
  return {to_string(kind), summary, with_plan_parameters(std::move(own)), run_collective};
}

}  // namespace

Pi all_reduce_pi() {
  return collective_pi(Kind::all_reduce, "sum over all ranks, the result on each: MPI or NCCL");
}
Pi all_gather_pi() {
  return collective_pi(Kind::all_gather, "every rank's part to all ranks: MPI or NCCL");
}
Pi reduce_scatter_pi() {
  return collective_pi(Kind::reduce_scatter,
                       "sum over all ranks, a part of it on each: MPI or NCCL");
}
Pi broadcast_pi() {
  return collective_pi(Kind::broadcast, "from rank 0 to all ranks: MPI or NCCL");
}
Pi alltoall_pi() {
  return collective_pi(Kind::alltoall, "every rank sends a part to every other: MPI or NCCL");
}

}  // namespace stackx::kernels
