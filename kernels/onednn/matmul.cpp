#include "kernels/onednn/matmul.hpp"

#include <fmt/format.h>

namespace stackx::kernels {
namespace {

using onednn::Dims;

class OneDnn : public Library {
 public:
  explicit OneDnn(const SharedObject& object) : engine_(object) {}

  LibraryInfo info() const override {
    LibraryInfo info = engine_.info();
    info.core = step_.primitive.implementation;  // known once a product is prepared
    return info;
  }

  std::expected<int, Unsupported> use_threads(int threads) override {
    return engine_.use_threads(threads);
  }

  std::expected<Multiply, Unsupported> prepare(const Product& p) override {
    engine_.start();
    const onednn::Handle descriptors[] = {
        describe(p.a, p.batch), p.transposed_b ? describe_transposed(p.b, p.batch) : describe(p.b, p.batch),
        describe(p.c, p.batch)};
    auto primitive = create_matmul(engine_, fmt::format("{} matmul", to_string(p.dtype)),
                                   descriptors[0], descriptors[1], descriptors[2]);
    if (!primitive) return std::unexpected(primitive.error());
    step_ = {*primitive,
             {{onednn::kSource, engine_.memory(descriptors[0], p.a.data())},
              {onednn::kWeights, engine_.memory(descriptors[1], p.b.data())},
              {onednn::kDestination, engine_.memory(descriptors[2], p.c.data())}}};
    return Multiply{[this] {
                      engine_.execute(step_);
                      engine_.wait();
                    },
                    p.batch == 1 ? "matmul" : fmt::format("matmul, a batch of {}", p.batch)};
  }

 private:
  onednn::Handle describe(const Matrix& matrix, std::size_t batch) {
    const auto rows = static_cast<std::int64_t>(matrix.rows() / batch),
               columns = static_cast<std::int64_t>(matrix.columns());
    return engine_.plain(
        matrix.element(),
        batch == 1 ? Dims{rows, columns} : Dims{static_cast<std::int64_t>(batch), rows, columns});
  }

  onednn::Handle describe_transposed(const Matrix& matrix, std::size_t batch) {
    const auto rows = static_cast<std::int64_t>(matrix.rows() / batch),
               columns = static_cast<std::int64_t>(matrix.columns());
    return batch == 1 ? engine_.strided(matrix.element(), {columns, rows}, {1, columns})
                      : engine_.strided(matrix.element(), {static_cast<std::int64_t>(batch), columns, rows},
                                        {rows * columns, 1, columns});
  }

  onednn::Engine engine_;
  onednn::Step step_;
};

}  // namespace

std::unique_ptr<Library> make_onednn(const SharedObject& object) {
  if (!onednn::Engine::recognises(object)) return nullptr;
  return std::make_unique<OneDnn>(object);
}

namespace onednn {

PrimitiveOr create_matmul(Engine& engine, const std::string& what, Handle a, Handle b, Handle c,
                          Handle attributes) {
  constexpr Handle kNoBias = nullptr;
  return engine.is_v2()
             ? engine.create_v2(what, "dnnl_matmul_desc_init", attributes, a, b, kNoBias, c)
             : engine.create_v3(what, "dnnl_matmul_primitive_desc_create", attributes, a, b,
                                kNoBias, c);
}

}  // namespace onednn
}  // namespace stackx::kernels
