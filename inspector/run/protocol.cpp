#include "inspector/run/protocol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <type_traits>

#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/format/json_reader.hpp"
#include "specs/result/metric.hpp"
#include "specs/result/text_limits.hpp"

namespace stackx::inspector {
namespace {

using specs::Json;
using specs::Node;
using specs::Outcome;

constexpr const char* not_a_number = "stackx: not a number";  // what NaN becomes before parsing

[[noreturn]] void reject(Outcome outcome, std::string reason) {
  throw Rejected{outcome, std::move(reason)};  // caught in parse_pi_output, never leaves this file
}

// NaN, Infinity and their kin as values (outside strings) become a string that no reader accepts.
std::string without_nan(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '"') {
      const auto from = at++;
      while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
      at = std::min(at + 1, text.size());
      result.append(text, from, at - from);
      continue;
    }
    std::size_t length = 0;
    for (const std::string_view word :
         {"-Infinity", "Infinity", "-inf", "inf", "-nan", "NaN", "nan"}) {
      if (text.compare(at, word.size(), word) == 0) {
        length = word.size();
        break;
      }
    }
    if (length != 0) {
      result.append(1, '"').append(not_a_number).append(1, '"');
    } else {
      result += text[at];
    }
    at += length != 0 ? length : 1;
  }
  return result;
}

bool is_nan(const Json& value) { return value.is_string() && value == not_a_number; }

std::string scalar(const Node& node) {
  const auto& value = node.json();
  if (is_nan(value)) return "NaN";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean() || value.is_null()) return value.dump();
  if (value.is_array()) return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  node.fail("expected a number, a string or a boolean");
}

std::map<std::string, std::string> scalars(const Node& object) {
  std::map<std::string, std::string> result;
  for (const auto& [key, value] : object.members()) result[key] = scalar(value);
  return result;
}

std::int64_t sample(const Node& node) {
  const auto& value = node.json();
  const auto bad = [&](const std::string& what) {
    reject(Outcome::invalid_samples,
           fmt::format("the PI reports a time that is {} at {}; expected whole nanoseconds above 0",
                       what, node.pointer()));
  };
  if (is_nan(value) || value.is_null()) bad("not a finite number");
  if (value.is_number_float()) bad("not a whole number: " + value.dump());
  if (!value.is_number_integer()) bad("not a number");
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
    bad("too large: " + value.dump());
  }
  const auto ns = value.get<std::int64_t>();
  if (ns <= 0) bad(ns == 0 ? "zero" : "negative: " + value.dump());
  return ns;
}

double amount(const Node& node) {
  const double value = node.number();
  if (!(value >= 0)) node.fail("expected a number that is not negative");
  return value;
}

specs::Work read_work(const Node& node) {
  specs::Work work;
  if (const auto flop = node.find("flop")) work.flop = amount(*flop);
  if (const auto bytes = node.find("bytes")) work.bytes = amount(*bytes);
  if (const auto items = node.find("items")) work.items = amount(*items);
  return work;
}

specs::Check read_check(const Node& node) {
  specs::Check check;
  check.reference = node.at("reference").text();
  check.pass = node.at("pass").boolean();
  if (const auto bound = node.find("bound")) check.bound = amount(*bound);
  const auto error = node.find("max_relative_error");
  if (!error || is_nan(error->json())) {
    // A product full of NaN has no relative error. JSON has no infinity, so the largest number
    // stands for it.
    if (check.pass) node.fail("\"pass\" is true without a finite \"max_relative_error\"");
    check.max_relative_error = std::numeric_limits<double>::max();
  } else {
    check.max_relative_error = amount(*error);
  }
  specs::bits_from(check, node);
  return check;
}

std::vector<specs::Phase> read_phases(const Node& node) {
  std::vector<specs::Phase> phases;
  for (const auto& item : node.items()) {
    specs::Phase phase{item.at("name").text(), item.at("start_ns").integer(),
                       item.at("duration_ns").integer()};
    constexpr auto most = std::int64_t{1}
                          << 62;  // the year 2116, and no overflow in start + duration
    if (phase.start_ns < 0 || phase.start_ns >= most || phase.duration_ns < 0 ||
        phase.duration_ns >= most)
      item.fail("\"start_ns\" and \"duration_ns\" must be from 0 to below 2^62");
    phases.push_back(std::move(phase));
  }
  return phases;
}

// A path, or an object that holds it among other things (which the PI says for people).
std::string read_library(const Node& node) {
  return node.json().is_object() ? node.at("path").text() : node.text();
}

// What a process maps is some hundred files. Each is looked up on this machine's disk.
std::vector<std::string> read_files(const Node& node) {
  constexpr std::size_t most = 4096, most_bytes = std::size_t{1} << 20;
  if (node.json().is_array() && node.json().size() > most)
    node.fail(fmt::format("{} files; no process maps more than {}", node.json().size(), most));
  auto files = node.texts();
  std::size_t bytes = 0;
  for (const auto& file : files) bytes += file.size();
  if (bytes > most_bytes) node.fail(fmt::format("names of {} bytes together; expected no more than {}", bytes, most_bytes));
  return files;
}

// What becomes part of a result document.
void check_lengths(const Node& node) {
  for (const char* key : {"parameters", "@parameters", "loaded", "check", "phases", "scenario", "memory", "metrics"})
    if (const auto member = node.find(key)) specs::check_texts(key, *member);
}

PiReport read_own(const Node& node) {
  PiReport report;
  if (const auto name = node.find("name")) report.name = name->text();
  if (const auto component = node.find("component")) report.component = component->text();
  if (const auto parameters = node.find("parameters")) report.parameters = scalars(*parameters);
  if (const auto work = node.find("work")) report.work = read_work(*work);
  if (const auto check = node.find("check")) report.check = read_check(*check);
  if (const auto loaded = node.find("loaded")) report.loaded = scalars(*loaded);
  if (const auto library = node.find("library")) report.library = read_library(*library);
  if (const auto gpu = node.find("gpu"))
    if (const auto uuid = gpu->find("uuid")) report.gpu = uuid->text();
  if (const auto files = node.find("files")) report.files = read_files(*files);
  if (const auto phases = node.find("phases")) report.phases = read_phases(*phases);
  if (const auto memory = node.find("memory")) report.memory = specs::memory_from(*memory);
  if (const auto metrics = node.find("metrics")) report.metrics = specs::metrics_from(*metrics);
  const bool wrong = report.check && !report.check->pass;
  const auto samples = node.find("samples_ns");
  if (samples && samples->json().is_array()) {
    for (const auto& item : samples->items()) report.samples_ns.push_back(sample(item));
  } else if (samples) {
    samples->fail("expected an array of times");
  } else if (!wrong) {
    reject(Outcome::bad_output, "the PI's output has no \"samples_ns\"");
  }
  if (report.samples_ns.empty() && !wrong) {
    reject(Outcome::invalid_samples, "the PI reports no samples: \"samples_ns\" is empty");
  }
  report.conditions = specs::sample_conditions_from(node, report.samples_ns.size());
  if (const auto scenario = node.find("scenario"))
    report.scenario = specs::scenario_result_from(*scenario, specs::OtherKeys::ignored);
  return report;
}

// One sample: Thoth's PIs print the median of their repetitions in ms and the rate in GFLOP/s.
PiReport read_thoth(const Node& node) {
  PiReport report;
  if (const auto name = node.find("name")) report.name = name->text();
  if (const auto component = node.find("component")) report.component = component->text();
  if (const auto parameters = node.find("@parameters")) report.parameters = scalars(*parameters);
  const auto result = node.at("@result");
  const auto positive = [&](const char* key) {
    const auto value = result.at(key);
    if (!value.json().is_number() || !(value.json().get<double>() > 0) ||
        !std::isfinite(value.json().get<double>())) {
      reject(Outcome::invalid_samples,
             fmt::format("the PI reports {} at {}; expected a finite number above 0",
                         is_nan(value.json()) ? "NaN" : value.json().dump(), value.pointer()));
    }
    return value.json().get<double>();
  };
  const double elapsed_ms = positive("elapsed"), rate = positive("rate");
  const double ns = std::round(elapsed_ms * 1e6);
  if (!(ns >= 1 && ns < 9e18)) {
    reject(Outcome::invalid_samples, "the PI reports an \"elapsed\" outside 1 ns to 285 years");
  }
  report.samples_ns = {static_cast<std::int64_t>(ns)};
  report.work.flop = rate * elapsed_ms * 1e6;
  if (!std::isfinite(report.work.flop)) {
    reject(Outcome::invalid_samples, "the PI reports a \"rate\" that is too large");
  }
  return report;
}

PiReport read_document(const std::string& text) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    reject(Outcome::bad_output, "the PI printed nothing; expected one JSON object on stdout");
  }
  const auto node = Node::parse_text(without_nan(text), "PI output");
  if (!node.json().is_object()) node.fail("expected a JSON object");
  if (const auto unsupported = node.find("unsupported")) {
    reject(Outcome::unsupported, unsupported->text());
  }
  check_lengths(node);
  return node.find("@result") ? read_thoth(node) : read_own(node);
}

// Whether something came after the first document. It keeps no values: what is read so was refused.
class FirstDocument : public nlohmann::json_sax<Json> {
 public:
  bool went_on() const { return went_on_; }

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(std::int64_t) override { return value(); }
  bool number_unsigned(std::uint64_t) override { return value(); }
  bool number_float(double, const std::string&) override { return value(); }
  bool string(std::string&) override { return value(); }
  bool binary(Json::binary_t&) override { return false; }
  bool key(std::string&) override { return true; }
  bool start_object(std::size_t) override { return ++depth_ <= specs::deepest; }
  bool start_array(std::size_t) override { return ++depth_ <= specs::deepest; }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
    went_on_ = ended_;
    return false;
  }

 private:
  bool close() {
    --depth_;
    return value();
  }
  bool value() {
    ended_ = depth_ == 0;
    return true;
  }
  std::size_t depth_ = 0;
  bool ended_ = false, went_on_ = false;
};

// A syntax error with a whole document before it is more than one document.
bool more_than_one(const std::string& text) {
  FirstDocument first;
  Json::sax_parse(text, &first);
  return first.went_on();
}

}  // namespace

std::expected<PiReport, Rejected> parse_pi_output(const std::string& text) {
  try {
    return read_document(text);
  } catch (const Rejected& rejected) {
    return std::unexpected(rejected);
  } catch (const Error& error) {
    if (more_than_one(text)) {
      return std::unexpected(Rejected{Outcome::bad_output,
                                      "the PI printed more than one JSON document on stdout; "
                                      "expected exactly one (messages belong on stderr)"});
    }
    return std::unexpected(Rejected{Outcome::bad_output, error.what()});
  }
}

void mask(PiReport& report, const Secrets& secrets) {
  const auto hide = [&](std::string& text) { text = secrets.without(std::move(text)); };
  const auto hide_all = [&]<typename Value>(std::map<std::string, Value>& values) {
    std::map<std::string, Value> masked;
    for (auto& [name, value] : values) {
      if constexpr (std::is_same_v<Value, std::string>) hide(value);
      masked.emplace(secrets.without(name), std::move(value));
    }
    values = std::move(masked);
  };
  hide_all(report.parameters);
  hide_all(report.loaded);
  for (auto& phase : report.phases) hide(phase.name);
  hide_all(report.memory);
  if (report.check) hide(report.check->reference), hide(report.check->inputs);
  if (!report.scenario) return;
  for (auto* text : {&report.scenario->name, &report.scenario->metric, &report.scenario->unit}) hide(*text);
  hide_all(report.scenario->latency_ns);
}

}  // namespace stackx::inspector
