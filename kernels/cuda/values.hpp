// Inputs that can be checked exactly: whole numbers from 0 to 255, random by position and seed.
//
// Sums of up to 2^45 of them and products with small numbers are exact in float64, in any order, so
// results are compared for equality; and no value tells its neighbour, so that one element too few or
// in a wrong place shows. Made and compared by position, in pieces: arrays are as large as the
// device's memory, and the host need not hold one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/cuda/device/device.hpp"

namespace stackx::kernels::cuda {

inline double value_at(std::uint64_t seed, std::uint64_t index) {  // splitmix64
  std::uint64_t z = seed * 0xd1342543de82ef95u + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((z ^ (z >> 31)) & 0xff);
}

inline constexpr std::size_t kPiece = std::size_t{1} << 20;  // elements

inline void upload_values(const Device& device, const Buffer& to, std::size_t count,
                          std::uint64_t seed) {
  std::vector<double> piece(std::min(count, kPiece));
  for (std::size_t done = 0; done < count; done += piece.size()) {
    piece.resize(std::min(count - done, kPiece));
    for (std::size_t i = 0; i < piece.size(); ++i) piece[i] = value_at(seed, done + i);
    device.upload(to, piece.data(), piece.size() * sizeof(double), done * sizeof(double));
  }
}

// Calls visit(index, value) for each element.
inline void download_values(const Device& device, const Buffer& from, std::size_t count,
                            const std::function<void(std::size_t, double)>& visit) {
  std::vector<double> piece(std::min(count, kPiece));
  for (std::size_t done = 0; done < count; done += piece.size()) {
    piece.resize(std::min(count - done, kPiece));
    device.download(piece.data(), from, piece.size() * sizeof(double), done * sizeof(double));
    for (std::size_t i = 0; i < piece.size(); ++i) visit(done + i, piece[i]);
  }
}

}  // namespace stackx::kernels::cuda
