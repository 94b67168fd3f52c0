#include "kernels/collectives/nccl.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/device/nvml.hpp"
#include "kernels/operation.hpp"

namespace stackx::kernels::collectives {
namespace {

using cuda::Buffer;
using cuda::Device;

constexpr int kBfloat16Since = 21000;  // 2.10

int type_of(Element element) {  // ncclDataType_t
  switch (element) {
    case Element::int32:
      return 2;
    case Element::float16:
      return 6;
    case Element::float64:
      return 8;
    case Element::bfloat16:
      return 9;
    default:
      return 7;
  }
}

int operation_of(Reduction reduction) {  // ncclRedOp_t
  return reduction == Reduction::sum ? 0 : reduction == Reduction::max ? 2 : 3;
}

struct Rank {  // a GPU
  std::unique_ptr<Device> device;
  Buffer sent, received;
  void* comm = nullptr;
};

class StreamsSampler : public Sampler {
 public:
  StreamsSampler(std::function<void()> call, std::function<void()> wait, const Clock& clock,
                 cuda::Conditions* conditions)
      : call_(std::move(call)), wait_(std::move(wait)), clock_(clock), conditions_(conditions) {}
  std::int64_t run(std::uint64_t mini_batch) override {
    const std::int64_t begin = clock_.steady_ns();
    for (std::uint64_t i = 0; i < mini_batch; ++i) call_();
    wait_();
    return clock_.steady_ns() - begin;
  }
  void measured() override { conditions_->add(); }

 private:
  std::function<void()> call_, wait_;
  const Clock& clock_;
  cuda::Conditions* conditions_;
};

class NcclCommunicator : public Communicator {
 public:
  NcclCommunicator(std::string library, std::vector<std::string> with, std::size_t wanted,
                   std::optional<std::string> component, const Clock& clock)
      : stack_(std::move(library), std::move(with)),
        wanted_(wanted),
        component_(std::move(component)),
        clock_(clock) {}

  ~NcclCommunicator() override {
    for (const Rank& rank : ranks_)
      if (rank.comm != nullptr) nccl_.ncclCommDestroy(rank.comm);
  }
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  std::optional<Unsupported> connect() override {
    nccl_ = cuda::load_api<cuda::Nccl>(stack_.open("nccl"));
    if (auto refusal = open_devices()) return refusal;
    const Device& first = *ranks_.front().device;
    conditions_.emplace(first.info(), first.driver().version);
    std::vector<void*> comms(ranks_.size());
    std::vector<int> ordinals;
    for (const Rank& rank : ranks_) ordinals.push_back(rank.device->info().ordinal);
    check(nccl_.ncclCommInitAll(comms.data(), static_cast<int>(comms.size()), ordinals.data()),
          "ncclCommInitAll");
    for (std::size_t i = 0; i < ranks_.size(); ++i) ranks_[i].comm = comms[i];
    return std::nullopt;
  }

  std::size_t ranks() const override { return ranks_.size(); }
  std::optional<double> free_device_memory() const override {
    std::optional<double> least;
    for (const Rank& rank : ranks_) {
      select(rank);
      if (const auto bytes = rank.device->free_memory()) least = std::min(*bytes, least.value_or(*bytes));
    }
    return least;
  }
  Buffers buffers() const override { return Buffers::of_device; }
  std::vector<std::size_t> own_ranks() const override {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < ranks_.size(); ++i) all.push_back(i);
    return all;
  }
  const Processes& processes() const override { return alone_; }

  std::optional<Unsupported> prepare(const Exchange& exchange) override {
    exchange_ = exchange;
    if (exchange.element == Element::bfloat16 && nccl_.version < kBfloat16Since)
      return fmt::format("NCCL {} has no bfloat16", nccl_version_text(nccl_.version));
    if (exchange.kind == Kind::alltoall && nccl_.ncclSend == nullptr)
      return fmt::format("NCCL {} cannot send: alltoall needs 2.7",
                         nccl_version_text(nccl_.version));
    const std::size_t width = size_of(exchange.element);
    for (Rank& rank : ranks_) {
      select(rank);
      auto sent = rank.device->allocate(exchange.sent() * width),
           received = rank.device->allocate(exchange.received() * width);
      if (!sent) return sent.error();
      if (!received) return received.error();
      rank.sent = std::move(*sent);
      rank.received = std::move(*received);
    }
    return std::nullopt;
  }

  // NCCL's broadcast is out of place: what other ranks send is not read, so it is poison too.
  void write(std::size_t number, const void* input, const void* poison) override {
    const Rank& rank = ranks_[number];
    const bool listens = exchange_.kind == Kind::broadcast && number != 0;
    select(rank);
    rank.device->upload(rank.sent, listens ? poison : input, rank.sent.bytes());
    rank.device->upload(rank.received, poison, rank.received.bytes());
  }

  void read(std::size_t number, void* received) override {
    const Rank& rank = ranks_[number];
    select(rank);
    rank.device->synchronize();
    rank.device->download(received, rank.received, rank.received.bytes());
  }

  void call() override {
    check(nccl_.ncclGroupStart(), "ncclGroupStart");
    for (const Rank& rank : ranks_) enqueue(rank);
    check(nccl_.ncclGroupEnd(), "ncclGroupEnd");
  }

  std::unique_ptr<Sampler> sampler(const Clock&) override {
    return std::make_unique<StreamsSampler>([this] { call(); }, [this] { wait(); }, clock_,
                                            &*conditions_);
  }

  void describe(nlohmann::json& document) const override {
    LibraryInfo info;
    info.kind = "nccl";
    if (nccl_.version != 0) info.version = nccl_version_text(nccl_.version);
    if (!ranks_.empty()) {
      const Device& first = *ranks_.front().device;
      info.partners["cudart"] = cuda::cuda_version_text(first.cudart().version);
      document["gpu"] = first.json();
    }
    put_library(document, info, nccl_.path.empty() ? stack_.library() : nccl_.path, component_);
    if (conditions_) conditions_->describe(document);
  }

 private:
  std::optional<Unsupported> open_devices() {
    for (std::size_t i = 0; wanted_ == 0 || i < wanted_; ++i) {
      auto device = Device::open(std::to_string(i), stack_);
      if (!device && (i == 0 || wanted_ != 0))
        return i == 0 ? device.error()
                      : fmt::format("{} ranks asked for, a GPU each: {}", wanted_, device.error());
      if (!device) break;
      ranks_.push_back({std::move(*device), {}, {}, nullptr});
    }
    return std::nullopt;
  }

  void select(const Rank& rank) const {
    rank.device->check(rank.device->cudart().cudaSetDevice(rank.device->info().ordinal),
                       "cudaSetDevice");
  }

  void wait() const {
    for (const Rank& rank : ranks_) {
      select(rank);
      rank.device->synchronize();
    }
  }

  void check(int status, const char* function) const {
    if (status != 0)
      ranks_.front().device->fail(fmt::format("{}: {} ({})", function, nccl_.ncclGetErrorString(status), status));
  }

  void enqueue(const Rank& rank) const {
    const int type = type_of(exchange_.element), operation = operation_of(exchange_.reduction);
    const void* in = rank.sent.data();
    void *out = rank.received.data(), *stream = rank.device->stream();
    const std::size_t part = exchange_.part;
    switch (exchange_.kind) {
      case Kind::all_reduce:
        return check(nccl_.ncclAllReduce(in, out, part, type, operation, rank.comm, stream),
                     "ncclAllReduce");
      case Kind::all_gather:
        return check(nccl_.ncclAllGather(in, out, part, type, rank.comm, stream), "ncclAllGather");
      case Kind::reduce_scatter:
        return check(nccl_.ncclReduceScatter(in, out, part, type, operation, rank.comm, stream),
                     "ncclReduceScatter");
      case Kind::broadcast:
        return check(nccl_.ncclBroadcast(in, out, part, type, 0, rank.comm, stream),
                     "ncclBroadcast");
      case Kind::alltoall:
        return enqueue_all_to_all(rank, type);
    }
  }

  void enqueue_all_to_all(const Rank& rank, int type) const {  // as nccl-tests does it
    const std::size_t bytes = exchange_.part * size_of(exchange_.element);
    for (std::size_t peer = 0; peer < ranks_.size(); ++peer) {
      const int other = static_cast<int>(peer);
      check(nccl_.ncclSend(rank.sent.as<char>() + peer * bytes, exchange_.part, type, other,
                           rank.comm, rank.device->stream()),
            "ncclSend");
      check(nccl_.ncclRecv(rank.received.as<char>() + peer * bytes, exchange_.part, type, other,
                           rank.comm, rank.device->stream()),
            "ncclRecv");
    }
  }

  cuda::Stack stack_;
  std::size_t wanted_;
  std::optional<std::string> component_;
  const Clock& clock_;
  cuda::Nccl nccl_;
  std::vector<Rank> ranks_;
  std::optional<cuda::Conditions> conditions_;
  Processes alone_;
  Exchange exchange_;
};

}  // namespace

bool is_nccl(const SharedObject& object) { return object.find<void()>("ncclAllReduce") != nullptr; }

std::unique_ptr<Communicator> nccl_communicator(const std::string& library,
                                                std::vector<std::string> with, std::size_t wanted,
                                                std::optional<std::string> component,
                                                const Clock& clock) {
  return std::make_unique<NcclCommunicator>(library, std::move(with), wanted, std::move(component),
                                            clock);
}

std::string nccl_version_text(int version) {
  const int major = version < 10000 ? version / 1000 : version / 10000,
            rest = version < 10000 ? version % 1000 : version % 10000;
  return fmt::format("{}.{}.{}", major, rest / 100, rest % 100);
}

}  // namespace stackx::kernels::collectives
