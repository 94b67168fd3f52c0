#include "advisor/recipes/container/containerfile.hpp"

#include <fmt/format.h>

#include "advisor/recipes/quoting.hpp"
#include "specs/format/json.hpp"

namespace stackx::advisor {
namespace {

constexpr const char* write_lines =
    "import os, sys; os.path.isdir('/opt/stackx') or os.makedirs('/opt/stackx'); "
    "open(sys.argv[1], 'w').write('\\n'.join(sys.argv[2:]) + '\\n')";

// ["a", "b"]; from the word `fold` on, one word a line.
std::string exec_form(const std::vector<std::string>& words, std::size_t fold = 1000) {
  std::string text = "[";
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i >= fold ? ", \\\n     " : ", ";
    text += specs::Json(words[i]).dump();
  }
  return text + "]";
}

std::string env_quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '$') result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string stack_head(const specs::Stack& stack, const specs::Workload& workload) {
  std::string text = fmt::format("# stack {}\n", stack.id());
  for (const auto& [name, version] : stack.components) text += fmt::format("#   {} {}\n", name, version);
  return text + fmt::format("# workload {}\n", one_line(workload.text()));
}

}  // namespace

std::string containerfile(const specs::Stack& stack, const specs::Workload& workload,
                          const specs::Catalog& catalog, const ContainerText& asked) {
  const auto steps = container_steps(stack, workload, catalog, asked);
  std::string text = asked.head.empty() ? stack_head(stack, workload) : asked.head;
  if (steps.context == "python")
    text += "# build context: the directory that holds stackx's python/ (kernels/ of the source tree)\n";
  if (steps.context == "stackx-pi") text += "# build context: the directory that holds stackx-pi\n";
  for (const auto& note : steps.notes) text += "# " + note + "\n";
  if (!steps.cuda.empty()) text += fmt::format("FROM {} AS cuda\n", steps.cuda);
  text += fmt::format("FROM {}\n", steps.from);
  if (!steps.cuda.empty())  // toolkits of some releases have cuBLAS beside cuDNN
    text += "COPY --from=cuda /usr/local/cuda/lib64/ /usr/local/cuda/lib64/\n"
            "COPY --from=cuda /usr/lib/x86_64-linux-gnu/libcu* /opt/cuda/lib/\n";
  for (const auto& run : steps.runs) {
    std::vector<std::string> words;
    if (!run.file.empty()) words = {steps.program, "-c", write_lines, run.file};
    const auto fold = run.file.empty() || run.words.size() == 1 ? 1000 : words.size();
    words.insert(words.end(), run.words.begin(), run.words.end());
    text += fmt::format("RUN {}\n", exec_form(words, fold));
  }
  if (!steps.context.empty()) text += fmt::format("COPY {0} /opt/stackx/{0}\n", steps.context);
  // Settings of the stack, for what is measured: what installs it is not to be directed by them.
  for (const auto& [name, value] : steps.variables) text += fmt::format("ENV {}={}\n", name, env_quoted(value));
  return text + fmt::format("ENTRYPOINT {}\n", exec_form(steps.entry));
}

}  // namespace stackx::advisor
