// Reading catalogs: one function for each object of the format.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "specs/catalog/catalog.hpp"
#include "specs/catalog/fact.hpp"
#include "specs/catalog/imported.hpp"
#include "specs/catalog/merge.hpp"
#include "specs/catalog/overlay.hpp"
#include "specs/error.hpp"
#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "specs/format/members.hpp"
#include "specs/format/names.hpp"
#include "specs/format/nearest.hpp"
#include "specs/project/workload.hpp"

namespace stackx::specs {
namespace {

// The enumerator whose name stands at `node`.
template <typename Enum, std::size_t N>
Enum word(const Node& node, const std::array<Enum, N>& values) {
  const std::string text = node.text();
  std::vector<std::string> names;
  for (const Enum value : values) {
    if (text == to_string(value)) return value;
    names.push_back(to_string(value));
  }
  node.fail(fmt::format("unknown word \"{}\"{}", text, suggestion(text, names)));
}

constexpr std::array kinds{Kind::hardware, Kind::driver, Kind::runtime,
                           Kind::package,  Kind::image,  Kind::setting};
constexpr std::array schemes{Versioning::pep440, Versioning::semver, Versioning::debian,
                             Versioning::opaque};
constexpr std::array artifact_types{ArtifactType::wheel,       ArtifactType::sdist,
                                    ArtifactType::system,      ArtifactType::path,
                                    ArtifactType::debootstrap, ArtifactType::oci};

constexpr std::array ways_to_name{ByName::prerelease, ByName::yanked};

Versioning versioning_of(const Node& component) {
  const auto node = component.find("versioning");
  return node ? word(*node, schemes) : Versioning::pep440;
}

std::string read_source(const Node& node) {
  if (node.json().is_string()) return node.nonempty();
  node.only({"url", "read", "title"});
  const std::string title = optional_text(node, "title");
  return fmt::format("{}{}{} (read {})", title, title.empty() ? "" : ": ",
                     node.at("url").nonempty(), node.at("read").nonempty());
}

std::vector<std::string> read_sources(const Node& node) {
  std::vector<std::string> sources;
  if (const auto one = node.find("source")) sources.push_back(read_source(*one));
  if (const auto many = node.find("sources"))
    for (const auto& item : many->items()) sources.push_back(read_source(item));
  return sources;
}

Attribute read_attribute(const Node& node) {
  if (!node.json().is_array()) {
    auto value = node.scalar();
    if (value.empty()) node.fail("expected a value that is not empty");
    return value;
  }
  std::vector<std::string> set;
  for (const auto& item : node.items()) set.push_back(item.nonempty());
  return set;
}

// Settings are exported into people's shells, too (recipes), where variables direct editors, pagers, loaders,
// interpreters and the way to servers: more than anybody can list. So those are listed that settings are for: what
// libraries, frameworks, run-times and allocators read. schemas/catalog.json and docs/catalogs.md have the same list.
constexpr std::string_view own_pi = "PI_";  // for a PI of one's own to read

bool is_setting(std::string_view name) {
  constexpr std::string_view beginnings[] = {
      own_pi,           "OMP_",      "GOMP_",    "KMP_",     "MKL_",    "OPENBLAS_", "GOTO_",
      "BLIS_",          "BLAS_",     "VECLIB_",  "NUMEXPR_", "NPY_",    "NUMBA_",    "ONEDNN_",
      "DNNL_",          "ORT_",      "TF_",      "XLA_",     "JAX_",    "TORCH_",    "PYTORCH_",
      "TORCHINDUCTOR_", "TRITON_",   "CUDA_",    "CUDNN_",   "CUBLAS_", "CUBLASLT_", "NCCL_",
      "UCX_",           "FI_",       "HIP_",     "HSA_",     "MIOPEN_", "ROCBLAS_",  "HIPBLASLT_",
      "MALLOC_",        "MIMALLOC_", "TCMALLOC_",
      // Not all of Open MPI's: OMPI_MCA_plm_rsh_agent names a program that mpirun starts.
      "MPIR_CVAR_",     "OMPI_MCA_coll_",         "OMPI_MCA_btl_",         "OMPI_MCA_pml_"};
  constexpr std::string_view names[] = {"GLIBC_TUNABLES", "KERAS_BACKEND", "NVIDIA_TF32_OVERRIDE",
                                        "OMPI_MCA_btl",   "OMPI_MCA_pml",
                                        "PYTHONHASHSEED", "PYTHONMALLOC",  "PYTHONOPTIMIZE",
                                        "PYTHON_GIL",     "PYTHON_JIT"};
  return std::ranges::find(names, name) != std::end(names) ||
         std::ranges::any_of(beginnings, [&](auto beginning) {
           return name.starts_with(beginning) && name.size() > beginning.size();
         });
}

std::map<std::string, std::string> read_environment(const Node& node) {
  std::map<std::string, std::string> environment;
  for (const auto& [name, value] : node.members()) {
    const bool valid = !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
                       std::all_of(name.begin(), name.end(), [](unsigned char c) {
                         return c == '_' || (c < 128 && std::isalnum(c));
                       });
    if (!valid) value.fail("an environment variable's name holds letters, digits and '_' only");
    if (!is_setting(name))
      value.fail(
          "expected a setting of what is measured: a variable of a library, framework or allocator (OMP_*, MKL_*, CUDA_*, "
          "TF_*, PYTORCH_*, MALLOC_*, ...; docs/catalogs.md lists them), or PI_* for a PI of one's own; any other might "
          "direct the shell that a recipe sets it in");
    environment[name] = value.scalar();
    if (environment[name].find('/') != std::string::npos && !name.starts_with(own_pi))
      value.fail("expected a setting without '/': a path there makes libraries load code or write files");
    if (environment[name].find('\0') != std::string::npos)
      value.fail("an environment variable cannot hold a NUL character");
  }
  return environment;
}

// A setting's parameters become parameters of the workload.
std::map<std::string, std::string> read_parameters(const Node& node) {
  std::map<std::string, std::string> parameters;
  for (const auto& [name, value] : node.members()) {
    check_component_name(name, value);
    parameters[name] = parameter_value(value);
  }
  return parameters;
}

void check_sha256(const std::string& text, const Node& place) {
  if (is_sha256(text)) return;
  place.fail("expected a SHA-256: 64 lower-case hexadecimal digits");
}

// A wheel's library lies inside its environment, all others are absolute.
void check_library(const Artifact& artifact, const Node& place) {
  const std::filesystem::path library(artifact.library);
  if (artifact.type != ArtifactType::wheel) {
    if (!library.is_absolute()) place.fail("expected an absolute path");
    return;
  }
  if (library.is_absolute() || std::find(library.begin(), library.end(), "..") != library.end())
    place.fail("expected a path inside the environment: neither absolute nor with \"..\"");
}

void check_program(const Artifact& artifact, const Node& place) {
  if (artifact.type == ArtifactType::wheel || artifact.type == ArtifactType::sdist)
    place.fail("an interpreter comes with an image, a system package or a path, not with a wheel");
  if (!std::filesystem::path(artifact.program).is_absolute()) place.fail("expected an absolute path");
}

// PEP 508 and PEP 440. These two become lines of requirements files, so they can carry no option, URL or line.
void check_project(const Artifact& artifact, const Node& node) {
  if (!artifact.package.empty() && !is_python_package_name(artifact.package))
    node.at("package").fail(
        "expected the name of a Python package: letters, digits, '.', '_' and '-', and at both ends a letter or digit");
  const std::string& text = artifact.package_version;
  const auto version = Version::parse(text, Versioning::pep440);
  if (!text.empty() && !(version && version->text() == text))
    node.at("package_version").fail("expected the version of a Python package (PEP 440), for example 2.7.1");
}

// Both become a word of apt-get, PACKAGE=VERSION.
void check_debian_package(const Artifact& artifact, const Node& node) {
  if (!is_debian_package_name(artifact.package))
    node.at("package").fail(
        "expected the name of a Debian package: at least two lower-case letters, digits, '+', '-' and '.', no '-' at "
        "its end, then perhaps :ARCHITECTURE");
  const std::string& text = artifact.package_version;
  const auto version = Version::parse(text, Versioning::debian);
  if (!text.empty() && !(version && version->text() == text))
    node.at("package_version").fail("expected the version of a Debian package, for example 1:0.3.21+ds-4");
}

Artifact read_artifact(const Node& node) {
  node.only({"type", "file", "sha256", "size", "package", "package_version", "library", "program"});
  Artifact artifact;
  artifact.type = word(node.at("type"), artifact_types);
  const bool system = artifact.type == ArtifactType::system;
  node.at(system ? "package" : "file");  // what every one of its type needs
  artifact.file = optional_text(node, "file");
  artifact.package = optional_text(node, "package");
  artifact.package_version = optional_text(node, "package_version");
  artifact.sha256 = optional_text(node, "sha256");
  artifact.library = optional_text(node, "library");
  if (const auto size = node.find("size")) artifact.size = size->unsigned_integer();
  if (!artifact.sha256.empty()) check_sha256(artifact.sha256, node.at("sha256"));
  artifact.program = optional_text(node, "program");
  if (!artifact.library.empty()) check_library(artifact, node.at("library"));
  if (!artifact.program.empty()) check_program(artifact, node.at("program"));
  if (artifact.type == ArtifactType::wheel || artifact.type == ArtifactType::sdist) {
    node.at("sha256");
    if (artifact.file.find('/') != std::string::npos)
      node.at("file").fail("expected the file's name, without a directory");
    check_project(artifact, node);
  }
  if (system) check_debian_package(artifact, node);
  return artifact;
}

class DocumentReader {
 public:
  explicit DocumentReader(const Schemes& schemes) : schemes_(schemes) {}

  Component component(const std::string& name, const Node& node) const {
    check_component_name(name, node);
    node.only({"kind", "versioning", "ecosystem", "description", "source", "sources", "versions", "left_out", "aliases",
               "open"});
    Component result;
    result.name = name;
    result.file = node.file();
    result.kind = word(node.at("kind"), kinds);
    result.versioning = versioning_of(node);
    result.ecosystem = optional_text(node, "ecosystem");
    result.description = optional_text(node, "description");
    result.sources = read_sources(node);
    if (const auto open = node.find("open")) result.open = open->boolean();
    if (result.open && result.versioning != Versioning::pep440)
      node.at("open").fail("an open component is ordered as PEP 440 has it; leave out versioning or open");
    if (const auto list = node.find("aliases"))
      for (const auto& item : list->items()) {
        check_component_name(item.nonempty(), item);
        result.aliases.push_back(item.text());
      }
    for (const auto& [text, value] : node.at("versions").members())
      result.versions.push_back(entry(result, text, value));
    check_spellings(result, node.at("versions"));
    if (const auto list = node.find("left_out"))
      for (const auto& item : list->items()) result.left_out.push_back(left_out(result, item));
    return result;
  }

 private:
  static LeftOut left_out(const Component& component, const Node& node) {
    node.only({"why", "to_have", "versions"});
    LeftOut result{node.at("why").nonempty(), optional_text(node, "to_have"), {}};
    for (const auto& item : node.at("versions").items()) {
      result.versions.push_back(version(item.nonempty(), component.versioning, item));
      if (component.find(item.text())) item.fail("is left out here, but among the versions too; keep one");
    }
    std::ranges::stable_sort(result.versions, [](const auto& a, const auto& b) { return a < b; });
    return result;
  }

  VersionEntry entry(const Component& component, const std::string& text, const Node& node) const {
    check_version_text(text, node);
    node.only({"attributes", "by_name", "requires", "requires_if", "conflicts", "provides", "artifacts",
               "environment", "parameters", "reports", "source", "sources"});
    VersionEntry result;
    result.version = version(text, component.versioning, node);
    if (const auto how = node.find("by_name")) {
      if (component.versioning != Versioning::pep440)
        how->fail("only versions as PEP 440 has them are named so; leave out by_name or versioning");
      result.by_name = word(*how, ways_to_name);
    }
    if (const auto list = node.find("attributes"))
      for (const auto& [name, value] : list->members()) {
        check_component_name(name, value);
        result.attributes.emplace(name, read_attribute(value));
      }
    if (const auto map = node.find("requires")) result.requires_ = requirements(*map);
    if (const auto map = node.find("conflicts")) result.conflicts = requirements(*map);
    check_not_itself(component.name, result.requires_, node, "requires");
    check_not_itself(component.name, result.conflicts, node, "conflicts");
    if (const auto list = node.find("requires_if"))
      for (const auto& item : list->items()) result.requires_if.push_back(conditional(item));
    if (const auto map = node.find("provides"))
      for (const auto& [name, value] : map->members()) {
        check_component_name(name, value);
        result.provides.emplace(name, version(value.text(), Versioning::pep440, value));
      }
    if (const auto list = node.find("artifacts"))
      for (const auto& item : list->items()) result.artifacts.push_back(read_artifact(item));
    if (const auto map = node.find("environment")) result.environment = read_environment(*map);
    if (const auto map = node.find("parameters")) result.parameters = read_parameters(*map);
    result.reports = optional_text(node, "reports");
    result.sources = read_sources(node);
    return result;
  }

  static Version version(const std::string& text, Versioning scheme, const Node& place) {
    auto parsed = Version::parse(text, scheme);
    if (parsed) return *parsed;
    place.fail(fmt::format("\"{}\" is no {} version: column {}: {}", text, to_string(scheme),
                           parsed.error().column, parsed.error().reason));
  }

  std::vector<Requirement> requirements(const Node& map) const {
    std::vector<Requirement> result;
    for (const auto& [key, value] : map.members()) {
      const auto scheme = schemes_.find(key);
      result.push_back(parse_requirement(
          key, value, scheme == schemes_.end() ? Versioning::pep440 : scheme->second));
    }
    return result;
  }

  ConditionalRequirement conditional(const Node& node) const {
    node.only({"if", "then"});
    ConditionalRequirement result{requirements(node.at("if")), requirements(node.at("then"))};
    if (result.if_.empty())
      node.at("if").fail("expected at least one condition; else use \"requires\"");
    if (result.then.empty()) node.at("then").fail("expected at least one requirement");
    return result;
  }

  static void check_not_itself(const std::string& name, const std::vector<Requirement>& list,
                               const Node& node, const char* key) {
    for (const auto& requirement : list)
      if (requirement.component == name)
        node.at(key).fail(
            fmt::format("{} names itself: \"{}\"; leave it out", name, requirement.text()));
  }

  // "1.0" and "1.0.0" are one PEP 440 version: no specifier could tell them apart.
  static void check_spellings(const Component& component, const Node& versions) {
    std::map<std::string_view, std::string> seen;
    for (const auto& entry : component.versions) {
      const auto [first, fresh] = seen.emplace(entry.version.key(), entry.version.text());
      if (!fresh)
        versions.fail(fmt::format("\"{}\" and \"{}\" are the same {} version; keep one",
                                  first->second, entry.version.text(),
                                  to_string(component.versioning)));
    }
  }

  const Schemes& schemes_;
};

void check_head(const Node& document) {
  document.schema("stackx/catalog/1");
  document.only({"$schema", "description", "source", "sources", "components", "overlay", "facts", "import"});
  if (const auto imported = document.find("import")) imported_from(*imported);
}

bool is_overlay(const Node& document) {
  const auto flag = document.find("overlay");
  return flag && flag->boolean();
}

Schemes declared(const Node& document) {
  Schemes result;
  for (const auto& [name, component] : document.at("components").members())
    result[name] = versioning_of(component);
  return result;
}

}  // namespace

namespace {

// "...(read 2026-11-22)" -> "2026-11-22"
void note_date(const std::vector<std::string>& sources, std::string& latest) {
  constexpr std::string_view mark = "(read ";
  for (const auto& source : sources)
    if (const auto at = source.rfind(mark); at != source.npos && source.size() >= at + mark.size() + 10)
      latest = std::max(latest, source.substr(at + mark.size(), 10));
}

std::string latest_date(const Node& document, const Catalog& catalog) {
  std::string latest;
  note_date(read_sources(document), latest);
  for (const auto& [name, component] : catalog.components) {
    note_date(component.sources, latest);
    for (const auto& entry : component.versions) note_date(entry.sources, latest);
  }
  return latest;
}

}  // namespace

Catalog parse_catalog(const Node& document, const Schemes& others) {
  check_head(document);
  optional_text(document, "description");
  Schemes schemes = declared(document);
  schemes.insert(others.begin(), others.end());
  const DocumentReader reader(schemes);
  Catalog catalog;
  for (const auto& [name, component] : document.at("components").members())
    catalog.components.emplace(name, reader.component(name, component));
  catalog.as_of = latest_date(document, catalog);
  return catalog;
}

Catalog load_catalog(const std::filesystem::path& file) { return load_catalogs({file}); }

bool is_overlay(const std::filesystem::path& file) { return is_overlay(Node::parse_file(file)); }

Catalog load_catalogs(const std::vector<std::filesystem::path>& files, const std::vector<std::filesystem::path>& usual) {
  std::vector<Node> documents;
  Schemes schemes;
  const auto read = [&](const std::filesystem::path& file) {
    documents.push_back(Node::parse_file(file));
    check_head(documents.back());
    schemes.merge(declared(documents.back()));
  };
  for (const auto& file : files) read(file);
  for (const auto& file : usual) read(file);
  Catalog all;
  std::vector<Fact> facts;
  std::map<std::string, std::vector<Declaration>> declarations;
  const auto parse = [&](const Node& document) {
    auto catalog = parse_catalog(document, schemes);
    all.as_of = std::max(all.as_of, catalog.as_of);
    return catalog;
  };
  const auto add_facts = [&](std::vector<Fact> stated) { std::ranges::move(stated, std::back_inserter(facts)); };
  const auto of_user = [&](const Node& document) { return &document >= documents.data() + files.size(); };
  for (const auto& document : documents) {
    if (of_user(document) || is_overlay(document)) continue;
    auto catalog = parse(document);
    for (auto& [name, component] : catalog.components)
      declarations[name].push_back({document.at("components").at(name), std::move(component)});
    add_facts(read_facts(document));
  }
  for (auto& [name, some] : declarations) all.components.emplace(name, merge(std::move(some)));
  for (const auto& document : documents) {
    if (!of_user(document) && !is_overlay(document)) continue;
    auto catalog = parse(document);
    if (of_user(document)) catalog = part_for(all, std::move(catalog));
    auto stated = read_facts(document);
    const auto concerns = [&](const Fact& fact) { return all.find(fact.of) != nullptr; };
    if (!catalog.components.empty() || std::ranges::any_of(stated, concerns)) all.overlays.push_back(document.file());
    lay_over(all, catalog);
    add_facts(std::move(stated));
  }
  apply_facts(all, facts);
  resolve_aliases(all);
  return all;
}

}  // namespace stackx::specs
