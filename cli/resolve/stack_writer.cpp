#include "cli/resolve/stack_writer.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "cli/output/print.hpp"
#include "specs/error.hpp"
#include "specs/format/digest.hpp"
#include "specs/format/printable.hpp"
#include "workspace/output.hpp"

namespace stackx::cli {
namespace {

constexpr std::size_t buffer_bytes = 1 << 16;

std::string member(const std::string& name, const std::string& version) {
  return nlohmann::json(name).dump() + ':' + nlohmann::json(version).dump();
}

}  // namespace

StackWriter::StackWriter(const resolver::Resolver& resolver, bool json, Sink sink)
    : resolver_(resolver), json_(json), width_(output_width(analysis::unfolded)), sink_(std::move(sink)) {
  for (const auto& component : resolver.components()) {
    auto& members = canonical_.emplace_back();
    auto& words = words_.emplace_back();
    for (const auto& version : component.versions) {
      members.push_back(member(component.name, version));
      words.push_back(specs::printable(" " + component.name + "=" + version));
    }
  }
}

StackWriter::~StackWriter() {
  try {
    flush();
  } catch (const Error&) {
    // The reader has gone away; there is nobody left to tell.
  }
}

void StackWriter::flush() {
  const std::string text = std::exchange(buffer_, {});  // not written twice where it cannot be written
  workspace::write_out(text);
  workspace::flush_out();
}

void StackWriter::write(const resolver::Choice& choice, const std::string& score) {
  if (sink_) sink_(resolver_.stack(choice));
  stack_ = "{";
  line_.clear();
  for (std::size_t c = 0; c < choice.size(); ++c) {
    if (choice[c] < 0) continue;
    const auto version = static_cast<std::size_t>(choice[c]);
    if (stack_.size() > 1) stack_ += ',';
    stack_ += canonical_[c][version];
    if (!json_) line_ += words_[c][version];
  }
  stack_ += '}';
  end_line(score);
}

void StackWriter::write(const specs::Stack& stack) {
  if (sink_) sink_(stack);
  stack_ = "{";
  line_.clear();
  for (const auto& [component, version] : stack.components) {
    if (stack_.size() > 1) stack_ += ',';
    stack_ += member(component, version);
    line_ += specs::printable(" " + component + "=" + version);
  }
  stack_ += '}';
  end_line("");
}

void StackWriter::end_line(const std::string& score) {
  const std::string id = specs::sha256(stack_);
  if (json_) {
    buffer_ += R"({"components":)";
    buffer_ += stack_;
    buffer_ += R"(,"id":")";
    buffer_ += id;
    buffer_ += '"';
    if (!score.empty()) buffer_.append(R"(,"score":)").append(score);
    buffer_ += "}\n";
  } else {
    const std::string begin = (score.empty() ? "" : score + "  ") + id.substr(0, 12) + " ";
    const std::size_t indent = begin.size() + 1;
    const bool fits = indent + line_.size() <= width_;
    buffer_.append(begin).append(fits ? line_ : " " + analysis::wrap(line_, indent, width_)).append("\n");
  }
  if (buffer_.size() >= buffer_bytes) flush();
}

}  // namespace stackx::cli
