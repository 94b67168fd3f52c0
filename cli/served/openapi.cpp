#include "cli/served/openapi.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/served/question.hpp"

namespace stackx::cli {
namespace {

using nlohmann::json;

json reference(const char* schema) { return {{"$ref", std::string("#/components/schemas/") + schema}}; }
json content(const std::string& type, json schema) { return {{type, {{"schema", std::move(schema)}}}}; }
json text() { return {{"type", "string"}}; }

// A response that is an error, with the words that the command line would say.
json error(const char* when) { return {{"description", when}, {"content", content("application/json", reference("Error"))}}; }

// What any address may answer.
json with_usual(json responses, bool asks) {
  responses["400"] = error("What was sent is wrong; the error says what was expected");
  responses["401"] = error("No token, or one that is not known");
  responses["403"] = error("The token does not allow this");
  responses["421"] = error("The server is not called so");
  responses["429"] = error("Too many requests; Retry-After says when to come again");
  responses["500"] = error("The server's own environment failed");
  responses["503"] = error("Too much is asked at once; Retry-After says when to come again");
  if (asks) responses["304"] = {{"description", "As If-None-Match has it"}};
  return responses;
}

// Values that are numbers, by the name that --help gives them.
json schema_of(const manual::Argument& argument) {
  if (argument.value.empty()) return {{"type", "boolean"}};
  json schema = text();
  if (!argument.words.empty() && argument.kind == manual::Kind::words) schema["enum"] = argument.words;
  if (argument.value == "N" || argument.value == "S") schema = {{"type", "integer"}, {"minimum", 0}};
  if (argument.value == "PERCENT") schema = {{"type", "number"}, {"minimum", 0}};
  return schema;
}

bool called(const manual::Argument& argument, const std::string& name) {
  return std::ranges::find(argument.names, name) != argument.names.end();
}

json parameter(const std::string& name, const manual::Argument& argument, bool required) {
  json schema = schema_of(argument);
  if (argument.repeated) schema = {{"type", "array"}, {"items", schema}};
  if (argument.repeated && required) schema["minItems"] = 1;
  json result = {{"name", name}, {"in", "query"}, {"required", required}, {"description", argument.help}, {"schema", schema}};
  if (!argument.default_value.empty()) result["description"] = argument.help + " (default: " + argument.default_value + ")";
  return result;
}

json parameters_of(const ServedQuestion& question, const manual::Command& declared) {
  auto parameters = json::array();
  const auto is_required = [&](const std::string& name) { return std::ranges::find(question.required, name) != question.required.end(); };
  for (const auto& argument : declared.positionals) {
    const auto& name = argument.names.front();
    if (name == question.variable) {
      auto schema = schema_of(argument);
      if (!argument.words.empty()) schema["enum"] = argument.words;
      schema["minLength"] = 1;
      parameters.push_back({{"name", name}, {"in", "path"}, {"required", true}, {"description", argument.help}, {"schema", schema}});
    } else if (std::ranges::find(question.positionals, name) != question.positionals.end()) {
      parameters.push_back(parameter(name, argument, is_required(name)));
    }
  }
  for (const auto& name : question.options)
    for (const auto& argument : declared.options)
      if (called(argument, "--" + name)) parameters.push_back(parameter(name, argument, is_required(name)));
  return parameters;
}

json operation_of(const ServedQuestion& question, const Globals& globals) {
  const auto declared = declaration_of(question, globals);
  json schema = {{"type", "object"}};
  if (!question.members.empty()) schema["required"] = question.members;
  auto answers = content(question.content_type, question.content_type == "application/json" ? schema : text());
  answers["text/plain"] = {{"schema", text()}};
  answers["text/markdown"] = {{"schema", text()}};
  json headers = {{"ETag", {{"schema", text()}, {"required", true}}},
                  {"Stackx-Exit", {{"schema", {{"type", "string"}, {"enum", {"0", "1"}}}}, {"required", true},
                                   {"description", "0; 1: the answer is no (nothing is known, or it does not hold)"}}}};
  std::string command = "stackx";
  for (const auto& word : question.words) command += " " + word;
  return {{"summary", question.says}, {"description", "As `" + command + " --json` answers it."},
          {"parameters", parameters_of(question, declared)},
          {"responses", with_usual({{"200", {{"description", "The answer"}, {"headers", headers}, {"content", answers}}}}, true)}};
}

json intake_responses() {
  const auto intake = [](const char* when) { return json{{"description", when}, {"content", content("application/json", reference("Intake"))}}; };
  auto responses = with_usual({{"201", intake("At least one is new, and is on the disk")}, {"200", intake("All were there already")},
                               {"422", intake("Some are refused, with reasons; the others are stored")}},
                              false);
  responses["413"] = error("The body is too large");
  responses["415"] = error("A Content-Encoding that is none of zstd, gzip, xz");
  return responses;
}

json id_parameter() {
  return {{"name", "id"}, {"in", "path"}, {"required", true}, {"schema", {{"type", "string"}, {"pattern", "^[0-9a-f]{64}$"}}},
          {"description", "The document's id"}};
}

json documents_paths() {
  const auto body = [](const char* type, const char* says) {
    return json{{"required", true}, {"description", says}, {"content", content(type, type == std::string("application/json") ? json{{"type", "object"}} : text())}};
  };
  auto found = with_usual({{"200", {{"description", "The document, byte for byte as its id is made of"}, {"content", content("application/json", {{"type", "object"}})}}},
                           {"404", error("The store holds no such plan or inspection")}},
                          true);
  return {{"/v1/documents",
           {{"post", {{"summary", "Documents into the store: plans, inspections, published results"},
                      {"description", "JSON Lines, packed as Content-Encoding says or as their first bytes show (zstd, gzip, xz). Each is verified "
                                      "as `stackx import` does, and on the disk before the answer. Sent twice, they are stored once."},
                      {"requestBody", body("application/jsonl", "One document a line")}, {"responses", intake_responses()}}}}},
          {"/v1/documents/{id}",
           {{"put", {{"summary", "One document into the store"}, {"parameters", {id_parameter()}},
                     {"requestBody", body("application/json", "The document whose id the address names")}, {"responses", intake_responses()}}},
            {"get", {{"summary", "A plan or an inspection as it is kept"}, {"parameters", {id_parameter()}}, {"responses", found}}}}}};
}

json schemas() {
  return {{"Error", {{"type", "object"}, {"required", {"error", "exit_code"}},
                     {"properties", {{"error", text()}, {"exit_code", {{"type", "integer"}, {"description", "What the command line ends with: 2 bad input, 3 the environment"}}}}}}},
          {"Intake", {{"type", "object"}, {"required", {"$schema", "inserted", "already_there", "refused", "reasons"}},
                      {"properties", {{"inserted", {{"type", "integer"}}}, {"already_there", {{"type", "integer"}}}, {"refused", {{"type", "integer"}}},
                                      {"reasons", {{"type", "array"}, {"items", {{"type", "object"}, {"required", {"line", "why"}}}}}}}}}}};
}

}  // namespace

json openapi_document(const std::string& version, const Globals& globals) {
  auto paths = documents_paths();
  for (const auto& question : served_questions()) {
    paths[address_of(question, "{}")]["get"] = operation_of(question, globals);
  }
  return {{"openapi", "3.0.3"},
          {"info", {{"title", "stackx"}, {"version", version}, {"description", "Which software stack should run this workload on this hardware? Answers of a team's store."}}},
          {"security", {{{"token", json::array()}}, json::object()}},
          {"paths", std::move(paths)},
          {"components", {{"schemas", schemas()}, {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}}};
}

}  // namespace stackx::cli
