#include "kernels/collectives/mpi_api.hpp"

#include <array>

namespace stackx::kernels::collectives {
namespace {

// MPICH's mpi.h; the ABI that MPICH, Intel and MVAPICH agreed on keeps these values.
struct Fixed {
  static constexpr int kWorld = 0x44000000, kByte = 0x4c00010d, kInt = 0x4c000405,
                       kFloat = 0x4c00040a, kDouble = 0x4c00080b, kMax = 0x58000001,
                       kMin = 0x58000002, kSum = 0x58000003;
};

template <typename Function>
void take(const SharedObject& object, const char* name, Function*& function) {
  function = object.require<Function>(name);
}

template <typename Handle>
Handle handle(const SharedObject& object, const char* symbol, int fixed) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<Handle>(object.require<void()>(symbol));
  } else {
    return fixed;
  }
}

std::string digits_after(const std::string& text, const std::string& mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return "";
  const std::size_t begin = text.find_first_not_of(" \t:v", at + mark.size());
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_first_of(" \t\n,", begin) - begin);
}

}  // namespace

template <typename Handle>
MpiApi<Handle>::MpiApi(const SharedObject& object) {
  take(object, "MPI_Init", init);
  take(object, "MPI_Finalize", finalize);
  take(object, "MPI_Abort", abort);
  take(object, "MPI_Comm_size", size);
  take(object, "MPI_Comm_rank", rank);
  take(object, "MPI_Barrier", barrier);
  take(object, "MPI_Send", send);
  take(object, "MPI_Recv", receive);
  take(object, "MPI_Allreduce", all_reduce);
  take(object, "MPI_Allgather", all_gather);
  take(object, "MPI_Reduce_scatter_block", reduce_scatter);
  take(object, "MPI_Bcast", broadcast);
  take(object, "MPI_Alltoall", all_to_all);
  world = handle<Handle>(object, "ompi_mpi_comm_world", Fixed::kWorld);
  byte = handle<Handle>(object, "ompi_mpi_byte", Fixed::kByte);
  float32_ = handle<Handle>(object, "ompi_mpi_float", Fixed::kFloat);
  float64_ = handle<Handle>(object, "ompi_mpi_double", Fixed::kDouble);
  int32_ = handle<Handle>(object, "ompi_mpi_int", Fixed::kInt);
  sum_ = handle<Handle>(object, "ompi_mpi_op_sum", Fixed::kSum);
  max_ = handle<Handle>(object, "ompi_mpi_op_max", Fixed::kMax);
  min_ = handle<Handle>(object, "ompi_mpi_op_min", Fixed::kMin);
  // MPI_STATUS_IGNORE: 0 in Open MPI, 1 in MPICH.
  ignored_status = reinterpret_cast<void*>(std::uintptr_t{std::is_pointer_v<Handle> ? 0 : 1});
}

template <typename Handle>
std::optional<Handle> MpiApi<Handle>::type_of(Element element) const {
  switch (element) {
    case Element::float32:
      return float32_;
    case Element::float64:
      return float64_;
    case Element::int32:
      return int32_;
    default:
      return std::nullopt;
  }
}

template <typename Handle>
Handle MpiApi<Handle>::operation_of(Reduction reduction) const {
  return reduction == Reduction::sum ? sum_ : reduction == Reduction::max ? max_ : min_;
}

template struct MpiApi<int>;
template struct MpiApi<void*>;

bool has_open_mpi_handles(const SharedObject& object) {
  return object.find<void()>("ompi_mpi_comm_world") != nullptr;
}

bool is_mpi(const SharedObject& object) { return object.find<void()>("MPI_Allreduce") != nullptr; }

MpiVersion mpi_version(const SharedObject& object) {
  std::array<char, 8192> text{};  // MPICH's maximum; Open MPI's is 256
  int length = 0;
  object.require<int(char*, int*)>("MPI_Get_library_version")(text.data(), &length);
  return parse_mpi_version(text.data());
}

MpiVersion parse_mpi_version(const std::string& text) {
  MpiVersion result{"mpi", std::nullopt, text.substr(0, text.find('\n'))};
  constexpr std::pair<const char*, const char*> kKnown[] = {{"openmpi", "Open MPI"},
                                                            {"mvapich2", "MVAPICH2 Version"},
                                                            {"mvapich", "MVAPICH Version"},
                                                            {"intel-mpi", "Intel(R) MPI Library"},
                                                            {"mpich", "MPICH Version"}};
  for (const auto& [kind, mark] : kKnown) {
    if (!text.starts_with(mark)) continue;
    result.kind = kind;
    if (const std::string version = digits_after(text, mark); !version.empty())
      result.version = version;
    break;
  }
  return result;
}

}  // namespace stackx::kernels::collectives
