// The part of MPI that is called, as function pointers of a library opened at run time.
//
// MPI fixes an interface for compilers, not for linkers: libraries differ in what a handle is. Two
// kinds cover what is installed on nearly all machines, and the library's own symbols tell which:
//
//   Open MPI (libmpi.so.40: 3.0 to 5.0)  a handle is a pointer to a symbol: MPI_FLOAT is
//                                        &ompi_mpi_float
//   MPICH's ABI (libmpich.so.12,         a handle is an int of a fixed value; shared by MPICH,
//     libmpi.so.12; 3.1 to 4.x)          Intel MPI and MVAPICH2 since 2014
//
// Rejected: MPI's headers, which fix one kind at compile time (two programs, then, and a build that
// needs an MPI); MPI 5.0's standard ABI, which no library of a Debian or a cluster of today has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/collectives/collective.hpp"
#include "kernels/shared_object.hpp"

namespace stackx::kernels::collectives {

// Handle is void* or int.
template <typename Handle>
struct MpiApi {
  explicit MpiApi(const SharedObject& object);  // throws LoadError

  int (*init)(int*, char***);
  int (*finalize)();
  int (*abort)(Handle, int);
  int (*size)(Handle, int*);
  int (*rank)(Handle, int*);
  int (*barrier)(Handle);
  int (*send)(const void*, int, Handle, int, int, Handle);
  int (*receive)(void*, int, Handle, int, int, Handle, void* status);
  int (*all_reduce)(const void*, void*, int, Handle, Handle, Handle);
  int (*all_gather)(const void*, int, Handle, void*, int, Handle, Handle);
  int (*reduce_scatter)(const void*, void*, int, Handle, Handle, Handle);
  int (*broadcast)(void*, int, Handle, int, Handle);
  int (*all_to_all)(const void*, int, Handle, void*, int, Handle, Handle);

  Handle world, byte;
  void* ignored_status;
  std::optional<Handle> type_of(Element element) const;  // none: MPI cannot reduce it
  Handle operation_of(Reduction reduction) const;

 private:
  Handle float32_, float64_, int32_, sum_, max_, min_;
};

bool has_open_mpi_handles(const SharedObject& object);
bool is_mpi(const SharedObject& object);

// "openmpi" 4.1.4, "mpich" 4.0.2, "intel-mpi", "mvapich2" from MPI_Get_library_version; the kind is
// "mpi" and the version absent where the text is of no known form.
struct MpiVersion {
  std::string kind;
  std::optional<std::string> version;
  std::string text;  // its first line
};
MpiVersion mpi_version(const SharedObject& object);
MpiVersion parse_mpi_version(const std::string& text);

}  // namespace stackx::kernels::collectives
