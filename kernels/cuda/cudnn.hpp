// What operations through cuDNN 7, 8 and 9 share: its enumerations, descriptors and version.
#pragma once

#include <string>

namespace stackx::kernels::cuda {

// Values of cuDNN's enumerations, the same in 7, 8 and 9 (cudnn.h, cudnn_ops*.h).
enum TensorFormat { kNchw = 0, kNhwc = 1 };
enum DataType { kFloat = 0, kDouble = 1, kHalf = 2, kBfloat16 = 9 };  // the last since 8.1

std::string cudnn_version_text(int version);  // 8907 is 8.9.7; from 9 on 91002 is 9.10.2

// A descriptor: made by one function, given back by another.
class CudnnDescriptor {
 public:
  CudnnDescriptor() = default;
  CudnnDescriptor(const CudnnDescriptor&) = delete;
  CudnnDescriptor& operator=(const CudnnDescriptor&) = delete;
  ~CudnnDescriptor() {
    if (value_ != nullptr) destroy_(value_);
  }
  int make(int (*create)(void**), int (*destroy)(void*)) {
    destroy_ = destroy;
    return create(&value_);
  }
  void* get() const { return value_; }

 private:
  void* value_ = nullptr;
  int (*destroy_)(void*) = nullptr;
};

}  // namespace stackx::kernels::cuda
