#include "kernels/collectives/mpi.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <exception>
#include <limits>
#include <nlohmann/json.hpp>

#include "kernels/collectives/mpi_api.hpp"
#include "kernels/operation.hpp"

namespace stackx::kernels::collectives {
namespace {

constexpr int kTag = 7, kFailed = 3;
constexpr std::size_t kTextBytes = 512;

// Anonymous pages: zero, then written by the rank that uses them.
class Pages {
 public:
  explicit Pages(std::size_t bytes = 0) : bytes_(bytes) {
    if (bytes == 0) return;
    data_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data_ == MAP_FAILED) throw LoadError(fmt::format("no memory for {} bytes", bytes));
  }
  ~Pages() {
    if (data_ != nullptr) munmap(data_, bytes_);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(Pages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

void require(int status, const char* function) {
  if (status != 0) throw LoadError(fmt::format("{} fails with error {}", function, status));
}

template <typename Handle>
class World : public Processes {
 public:
  explicit World(const SharedObject& library) : api_(library) {
    require(api_.init(nullptr, nullptr), "MPI_Init");
    int size = 0, rank = 0;
    require(api_.size(api_.world, &size), "MPI_Comm_size");
    require(api_.rank(api_.world, &rank), "MPI_Comm_rank");
    count_ = static_cast<std::size_t>(size);
    index_ = static_cast<std::size_t>(rank);
  }

  // MPI_Finalize waits for the others: not with an exception on its way out.
  ~World() override {
    if (std::uncaught_exceptions() == 0) api_.finalize();
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  std::size_t count() const override { return count_; }
  std::size_t index() const override { return index_; }
  void barrier() const override { require(api_.barrier(api_.world), "MPI_Barrier"); }

  void end_all(int status) const override { api_.abort(api_.world, status); }

  std::int64_t largest(std::int64_t mine) const override {
    if (index_ != 0) {
      send(0, &mine, sizeof(mine));
    } else {
      for (std::size_t rank = 1; rank < count_; ++rank) {
        std::int64_t other = 0;
        receive(rank, &other, sizeof(other));
        mine = std::max(mine, other);
      }
    }
    from_first(&mine, sizeof(mine));
    return mine;
  }

  std::string text_of(std::size_t process, const std::string& mine) const override {
    std::array<char, kTextBytes> text{};
    mine.copy(text.data(), text.size() - 1);
    if (process != 0 && index_ == process) send(0, text.data(), text.size());
    if (process != 0 && index_ == 0) receive(process, text.data(), text.size());
    from_first(text.data(), text.size());
    return text.data();
  }

  const MpiApi<Handle>& api() const { return api_; }

 private:
  void send(std::size_t to, const void* data, std::size_t bytes) const {
    end_unless(
        api_.send(data, static_cast<int>(bytes), api_.byte, static_cast<int>(to), kTag, api_.world),
        "MPI_Send");
  }
  void receive(std::size_t from, void* data, std::size_t bytes) const {
    end_unless(api_.receive(data, static_cast<int>(bytes), api_.byte, static_cast<int>(from), kTag,
                            api_.world, api_.ignored_status),
               "MPI_Recv");
  }
  // As MPI's own handler of errors does, which is in force here: ranks that cannot talk can agree on
  // nothing, and a destructor (a phase's end asks for the time) cannot throw.
  void end_unless(int status, const char* function) const {
    if (status == 0) return;
    fmt::print(stderr, "stackx-pi: rank {}: {} fails with error {}\n", index_, function, status);
    api_.abort(api_.world, kFailed);
    _exit(kFailed);
  }
  void from_first(void* data, std::size_t bytes) const {
    if (index_ != 0) return receive(0, data, bytes);
    for (std::size_t rank = 1; rank < count_; ++rank) send(rank, data, bytes);
  }

  MpiApi<Handle> api_;
  std::size_t count_ = 1, index_ = 0;
};

class LoopSampler : public Sampler {
 public:
  LoopSampler(std::function<void()> call, const Clock& clock, const Processes& processes)
      : call_(std::move(call)), clock_(clock), processes_(processes) {}
  std::int64_t run(std::uint64_t mini_batch) override {
    processes_.barrier();
    const std::int64_t begin = clock_.steady_ns();
    for (std::uint64_t i = 0; i < mini_batch; ++i) call_();
    return processes_.largest(clock_.steady_ns() - begin);
  }

 private:
  std::function<void()> call_;
  const Clock& clock_;
  const Processes& processes_;
};

template <typename Handle>
class MpiCommunicator : public Communicator {
 public:
  MpiCommunicator(const SharedObject& library, std::size_t wanted,
                  std::optional<std::string> component, const Clock& clock)
      : library_(library), wanted_(wanted), component_(std::move(component)), clock_(clock) {}

  std::optional<Unsupported> connect() override {
    version_ = mpi_version(library_);
    world_ = std::make_unique<World<Handle>>(library_);
    if (wanted_ != 0 && wanted_ != world_->count())
      throw LoadError(fmt::format(
          "{}: {} ranks asked for, MPI_COMM_WORLD has {}; the program that started this process"
          " must be of the same MPI",
          library_.path(), wanted_, world_->count()));
    return std::nullopt;
  }

  std::size_t ranks() const override { return world_->count(); }
  std::vector<std::size_t> own_ranks() const override { return {world_->index()}; }
  const Processes& processes() const override {
    return world_ ? static_cast<const Processes&>(*world_) : alone_;
  }

  // MPI has no half precision to add, but moves any bytes.
  std::optional<Unsupported> prepare(const Exchange& exchange) override {
    exchange_ = exchange;
    std::size_t width = 1;
    const auto type = api().type_of(exchange.element);
    if (!type && reduces(exchange.kind))
      return fmt::format("MPI has no reduction of {}", to_string(exchange.element));
    if (!type) width = size_of(exchange.element);
    type_ = type.value_or(api().byte);
    operation_ = api().operation_of(exchange.reduction);
    const std::size_t count = exchange.part * width;
    if (count > std::numeric_limits<int>::max())
      return fmt::format("{} elements a call: MPI counts them by an int", count);
    count_ = static_cast<int>(count);
    sent_ = Pages(exchange.sent() * size_of(exchange.element));
    received_ = Pages(
        exchange.kind == Kind::broadcast ? 0 : exchange.received() * size_of(exchange.element));
    return std::nullopt;
  }

  void write(std::size_t rank, const void* input, const void* poison) override {
    const bool listens = exchange_.kind == Kind::broadcast && rank != 0;
    std::memcpy(sent_.data(), listens ? poison : input, sent_.bytes());
    if (received_.bytes() > 0) std::memcpy(received_.data(), poison, received_.bytes());
  }

  void read(std::size_t, void* received) override {
    const Pages& from = exchange_.kind == Kind::broadcast ? sent_ : received_;
    std::memcpy(received, from.data(), from.bytes());
  }

  void call() override {
    const auto& mpi = api();
    void *in = sent_.data(), *out = received_.data();
    switch (exchange_.kind) {
      case Kind::all_reduce:
        return require(mpi.all_reduce(in, out, count_, type_, operation_, mpi.world),
                       "MPI_Allreduce");
      case Kind::all_gather:
        return require(mpi.all_gather(in, count_, type_, out, count_, type_, mpi.world),
                       "MPI_Allgather");
      case Kind::reduce_scatter:
        return require(mpi.reduce_scatter(in, out, count_, type_, operation_, mpi.world),
                       "MPI_Reduce_scatter_block");
      case Kind::broadcast:
        return require(mpi.broadcast(in, count_, type_, 0, mpi.world), "MPI_Bcast");
      case Kind::alltoall:
        return require(mpi.all_to_all(in, count_, type_, out, count_, type_, mpi.world),
                       "MPI_Alltoall");
    }
  }

  std::unique_ptr<Sampler> sampler(const Clock&) override {
    return std::make_unique<LoopSampler>([this] { call(); }, clock_, *world_);
  }

  void describe(nlohmann::json& document) const override {
    LibraryInfo info;
    info.kind = version_.kind;
    info.version = version_.version;
    info.config = version_.text;
    if (!info.version) info.note = "the library does not tell its version in a form we know";
    put_library(document, info, library_.path(), component_);
  }

 private:
  const MpiApi<Handle>& api() const { return world_->api(); }

  SharedObject library_;
  std::size_t wanted_;
  std::optional<std::string> component_;
  const Clock& clock_;
  MpiVersion version_;
  Processes alone_;
  std::unique_ptr<World<Handle>> world_;
  Exchange exchange_;
  Handle type_{}, operation_{};
  int count_ = 0;
  Pages sent_, received_;
};

}  // namespace

std::unique_ptr<Communicator> mpi_communicator(const SharedObject& library, std::size_t wanted,
                                               std::optional<std::string> component,
                                               const Clock& clock) {
  library.make_global();
  if (has_open_mpi_handles(library))
    return std::make_unique<MpiCommunicator<void*>>(library, wanted, std::move(component), clock);
  return std::make_unique<MpiCommunicator<int>>(library, wanted, std::move(component), clock);
}

}  // namespace stackx::kernels::collectives
