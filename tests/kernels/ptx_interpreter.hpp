// Runs a kernel of PTX text on the CPU, one thread after the other: enough of PTX for the kernels of
// kernels/cuda/ptx.hpp, in which threads do not meet. Global memory is this process's. What it does
// not know, an access that is not aligned, and a register that was never set throw.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

class PtxKernel {
 public:
  PtxKernel(const std::string& text, const std::string& name) {
    const auto at = text.find(".entry " + name + "(");
    if (at == std::string::npos) throw std::runtime_error("no kernel " + name);
    const auto open = text.find("\n{", at), close = text.find("\n}", at);
    std::istringstream parameters(text.substr(at, open - at));
    for (std::string word, last; parameters >> word; last = word)
      if (last == ".u64" || last == ".u32" || last == ".f64")
        parameters_.push_back(word.substr(0, word.find_first_of(",)")));
    std::istringstream lines(text.substr(open + 2, close - open - 2));
    for (std::string line; std::getline(lines, line);) add(line);
  }

  // Arguments as 64-bit patterns, in order.
  void run(unsigned grid, unsigned block, const std::vector<std::uint64_t>& arguments) const {
    if (arguments.size() != parameters_.size()) throw std::runtime_error("other parameters");
    for (unsigned b = 0; b < grid; ++b)
      run_block(b, grid, block, arguments);
  }
  void run_block(unsigned number, unsigned grid, unsigned block, const std::vector<std::uint64_t>& arguments) const {
    for (unsigned t = 0; t < block; ++t) thread(number, t, grid, arguments);
  }

 private:
  struct Instruction {
    std::string guard, op;
    std::vector<std::string> operands;
  };

  void add(std::string line) {
    for (char& c : line)
      if (std::strchr(",;{}\t", c) != nullptr) c = ' ';
    std::istringstream words(line);
    Instruction next;
    if (!(words >> next.op) || next.op == ".reg") return;
    if (next.op.back() == ':') {
      labels_[next.op.substr(0, next.op.size() - 1)] = code_.size();
      return;
    }
    if (next.op[0] == '@') {
      next.guard = next.op.substr(1);
      words >> next.op;
    }
    for (std::string word; words >> word;) next.operands.push_back(word);
    code_.push_back(next);
  }

  void thread(unsigned block, unsigned thread, unsigned grid,
              const std::vector<std::uint64_t>& arguments) const {
    std::map<std::string, std::uint64_t> r = {
        {"%ctaid.x", block}, {"%tid.x", thread}, {"%nctaid.x", grid}};
    for (std::size_t pc = 0;;) {
      const Instruction& i = code_.at(pc++);
      const auto& o = i.operands;
      if (!i.guard.empty() && r.at(i.guard) == 0) continue;
      const auto value = [&](std::size_t n) { return operand(r, o.at(n)); };
      const auto number = [&](std::size_t n) { return std::bit_cast<double>(value(n)); };
      const auto set = [&](auto v) { r[o.at(0)] = pattern(v); };
      const auto low = [&](std::size_t n) { return static_cast<std::uint32_t>(value(n)); };
      if (i.op == "ret") return;
      if (i.op == "bra")
        pc = labels_.at(o.at(0));
      else if (i.op == "mov.u32" || i.op == "mov.f64" || i.op == "cvta.to.global.u64")
        set(value(1));
      else if (i.op == "shl.b32")
        set(std::uint64_t{low(1) << low(2)});
      else if (i.op == "add.u32")
        set(std::uint64_t{low(1) + low(2)});
      else if (i.op == "add.u64")
        set(value(1) + value(2));
      else if (i.op == "mul.wide.u32")
        set(std::uint64_t{low(1)} * low(2));
      else if (i.op == "mad.wide.u32")
        set(std::uint64_t{low(1)} * low(2) + value(3));
      else if (i.op == "add.f64")
        set(number(1) + number(2));
      else if (i.op == "fma.rn.f64")
        set(std::fma(number(1), number(2), number(3)));
      else if (i.op == "setp.ge.u32")
        set(std::uint64_t{low(1) >= low(2)});
      else if (i.op == "setp.eq.u64")
        set(std::uint64_t{value(1) == value(2)});
      else if (i.op.starts_with("ld.param."))
        set(argument(o.at(1), arguments));
      else if (i.op == "ld.global.v2.f64") {
        const double* from = place<double>(r, o.at(2), 16);
        r[o[0]] = pattern(from[0]);
        r[o[1]] = pattern(from[1]);
      } else if (i.op == "st.global.v2.f64") {
        double* to = place<double>(r, o.at(0), 16);
        to[0] = number(1);
        to[1] = number(2);
      } else if (i.op == "st.global.f64")
        *place<double>(r, o.at(0), 8) = number(1);
      else if (i.op == "red.global.add.u32")
        *place<std::uint32_t>(r, o.at(0), 4) += low(1);
      else
        throw std::runtime_error("unknown instruction " + i.op);
    }
  }

  static std::uint64_t pattern(std::uint64_t v) { return v; }
  static std::uint64_t pattern(double v) { return std::bit_cast<std::uint64_t>(v); }

  static std::uint64_t operand(const std::map<std::string, std::uint64_t>& r,
                               const std::string& text) {
    if (text[0] == '%') return r.at(text);
    return text.starts_with("0d") ? std::stoull(text.substr(2), nullptr, 16) : std::stoull(text);
  }

  std::uint64_t argument(const std::string& text, const std::vector<std::uint64_t>& values) const {
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      if (text == "[" + parameters_[i] + "]") return values[i];
    throw std::runtime_error("no parameter " + text);
  }

  // "[%rd3+4096]"
  template <typename T>
  static T* place(const std::map<std::string, std::uint64_t>& r, const std::string& text,
                  std::uint64_t alignment) {
    const auto plus = text.find('+');
    const std::uint64_t base = r.at(text.substr(1, std::min(plus, text.size() - 1) - 1));
    const std::uint64_t at =
        base + (plus == std::string::npos ? 0 : std::stoull(text.substr(plus + 1)));
    if (at % alignment != 0) throw std::runtime_error("not aligned: " + text);
    return reinterpret_cast<T*>(at);
  }

  std::vector<std::string> parameters_;
  std::vector<Instruction> code_;
  std::map<std::string, std::size_t> labels_;
};
