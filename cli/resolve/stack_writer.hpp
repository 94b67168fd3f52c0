// Stacks on stdout, one a line: {"components": {...}, "id": "...", "score": n} or words, folded in a terminal.
//
// The text of every version is made once and lines are put together from it in a buffer: listing is
// bound by the hash that makes the id.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "resolver/resolver.hpp"

namespace stackx::cli {

class StackWriter {
 public:
  using Sink = std::function<void(const specs::Stack&)>;  // hears of every stack, too
  StackWriter(const resolver::Resolver& resolver, bool json, Sink sink = {});
  ~StackWriter();
  StackWriter(const StackWriter&) = delete;
  StackWriter& operator=(const StackWriter&) = delete;

  void write(const resolver::Choice& choice, const std::string& score = "");  // "": none
  void write(const specs::Stack& stack);
  void flush();

 private:
  void end_line(const std::string& score);

  const resolver::Resolver& resolver_;
  bool json_;
  std::size_t width_;
  Sink sink_;
  std::vector<std::vector<std::string>> canonical_, words_;  // by component and version
  std::string stack_, line_, buffer_;
};

}  // namespace stackx::cli
