#include <unistd.h>

#include <catch2/catch.hpp>

#include "inspector/environment/images.hpp"
#include "tests/inspector/fake_engine.hpp"

namespace images_tests {

using namespace stackx;
using namespace stackx::inspector;
using namespace stackx::inspector::testing;
using specs::Artifact;
using specs::ArtifactType;
using specs::Outcome;

namespace fs = std::filesystem;

namespace {

Artifact suite(const std::string& name) {
  Artifact artifact;
  artifact.type = ArtifactType::debootstrap;
  artifact.file = name;
  return artifact;
}

Artifact reference(const std::string& name, const std::string& sha256 = "") {
  Artifact artifact;
  artifact.type = ArtifactType::oci;
  artifact.file = name;
  artifact.sha256 = sha256;
  return artifact;
}

class Machine {
 public:
  Machine() {
    podman.add_program("mmdebstrap", "echo \"$@\" >> " + log() + "\n" +
                                         "for word; do case $word in *.tar) echo root > \"$word\" ;; esac; done");
  }
  Images images(bool offline = false) {
    Engine engine;
    engine.program = podman.program();
    engine.kind = kind;
    engine.options = {"--runtime", "runc"};
    engine.limits = {"--ulimit", "nofile=1024:1024"};
    engine.memory = engine.pids = true;
    return {engine, {cache / "images", offline, stop, 60, supervisor(), answer_seconds, archives}};
  }
  auto get(const ImageRequest& request, bool offline = false) { return images(offline).get(request, {}); }
  void lose_images() const {
    fs::remove_all(podman.root() / "images");
    fs::create_directory(podman.root() / "images");
  }
  std::string log() const { return (podman.root() / "mmdebstrap.log").string(); }
  std::string made() const { return read(log()); }

  FakeEngine podman;
  TempDirectory cache;
  std::function<bool()> stop;
  double answer_seconds = 60;
  std::string kind = "podman";  // what it is taken for
  fs::path archives;
};

// "": it was made.
std::string refused(Machine& machine, const ImageRequest& request) {
  const auto image = machine.get(request);
  return image ? "" : image.error().reason;
}

}  // namespace

TEST_CASE("a suite is made once, and what it holds is recorded", "[images]") {
  Machine machine;
  const auto bundle = machine.cache / "ca.crt";
  testing::write(bundle, "of this machine");
  const Variable certificates("PIP_CERT", bundle.string());
  const auto image = machine.get({suite("bookworm"), {"python3"}, "/usr/bin/python3"});
  REQUIRE(image);
  CHECK(image->digest == "sha256:d19e57");
  CHECK(image->packages == std::map<std::string, std::string>{{"libc6", "2.36-9"}, {"python3", "3.11.2-1"}});
  REQUIRE(image->python);
  CHECK(image->python->version == "3.11.2");
  CHECK(image->python->glibc == "2.36");
  CHECK(image->python->program == "/usr/bin/python3");
  CHECK_THAT(machine.made(), Catch::Contains("--variant=minbase --customize-hook=chmod 0755 \"$1/root\" bookworm "));
  CHECK(machine.podman.count("[import]") == 1);
  CHECK(machine.podman.count("[build]") == 1);
  CHECK(machine.podman.count("[--runtime] [runc] [build] [--ulimit] [nofile=1024:1024] [--network] [host]") == 1);
  const auto file = read(machine.podman.root() / "Containerfile");
  CHECK_THAT(file, Catch::StartsWith("FROM sha256:") && Catch::Contains("\nUSER 0:0\nRUN "));
  CHECK_THAT(file, Catch::Contains(R"("apt-get","install","--yes","--no-install-recommends")"));
  CHECK_THAT(file, Catch::Contains(R"("--","python3"])"));
  // The CA bundle is there for these commands, and in no layer.
  CHECK(machine.podman.count("[--secret] [id=stackx-ca,src=" + bundle.string() + "]") == 1);
  CHECK_THAT(file, !Catch::Contains("COPY") && !Catch::Contains("ADD") && !Catch::Contains("of this machine"));

  const auto again = machine.get({suite("bookworm"), {"python3"}, "/usr/bin/python3"}, true);
  REQUIRE(again);
  CHECK(again->id == image->id);
  CHECK(again->packages == image->packages);
  CHECK(again->python->version == "3.11.2");
  CHECK(machine.podman.count("[build]") == 1);
  CHECK(machine.podman.count("[import]") == 1);
  for (const auto& entry : fs::directory_iterator(machine.cache / "images")) {
    const auto extension = entry.path().extension();
    CHECK((extension == ".json" || extension == ".lock"));
  }
}

TEST_CASE("the order of packages, and one twice, make no other image", "[images]") {
  Machine machine;
  const auto one = machine.get({suite("bookworm"), {"zip", "apt"}, {}});
  const auto two = machine.get({suite("bookworm"), {"apt", "zip", "apt"}, {}});
  REQUIRE((one && two));
  CHECK(one->id == two->id);
  const auto three = machine.get({suite("bookworm"), {"apt"}, {}});
  REQUIRE(three);
  CHECK(three->id != one->id);
  CHECK(machine.podman.count("[import]") == 1);  // the base is shared
  CHECK(machine.podman.count("[build]") == 2);
}

TEST_CASE("an image that the engine lost is made again", "[images]") {
  Machine machine;
  const auto image = machine.get({suite("bookworm"), {}, {}});
  REQUIRE(image);
  machine.lose_images();
  CHECK(machine.get({suite("bookworm"), {}, {}}));
  CHECK(machine.podman.count("[import]") == 2);
}

TEST_CASE("an image is archived once, and loaded once where the engine lacks it", "[images]") {
  Machine machine;
  machine.archives = machine.cache / "archives";
  const ImageRequest request{suite("bookworm"), {"python3"}, "/usr/bin/python3"};
  const auto made = machine.get(request);
  REQUIRE(made);
  const auto archive = machine.archives / (made->id.substr(7) + ".tar");
  CHECK(fs::exists(archive));
  const auto saves = machine.podman.count("[save]");
  REQUIRE(machine.get(request));
  CHECK(machine.podman.count("[save]") == saves);

  machine.lose_images();
  const auto loaded = machine.get(request, true);
  REQUIRE(loaded);
  CHECK(loaded->id == made->id);
  CHECK(loaded->digest == made->digest);
  CHECK(loaded->packages == made->packages);
  REQUIRE(machine.get(request, true));
  CHECK(machine.podman.count("[--runtime] [runc] [load] [--quiet] [--input] [" + archive.string() + "]") == 1);
  CHECK(machine.podman.count("[load]") == 1);
}

TEST_CASE("an archive that is missing or damaged, or holds another image, says what to do", "[images]") {
  Machine machine;
  machine.archives = machine.cache / "archives";
  const ImageRequest request{suite("bookworm"), {}, {}};
  const auto made = machine.get(request);
  REQUIRE(made);
  const auto archive = machine.archives / (made->id.substr(7) + ".tar");
  const auto offline = [&] {
    machine.lose_images();
    const auto image = machine.get(request, true);
    REQUIRE_FALSE(image);
    CHECK(image.error().outcome == Outcome::build_failed);
    CHECK_THAT(image.error().reason, Catch::Contains("`stackx cluster stage`") && Catch::Contains(archive.string()));
    return image.error();
  };
  testing::write(archive, "");
  CHECK_THAT(offline().log_tail, Catch::Contains("unexpected EOF"));
  testing::write(archive, "another");
  CHECK_THAT(offline().reason, Catch::Contains("does not hold image"));
  fs::remove(archive);
  CHECK_THAT(offline().reason, Catch::Contains("podman has no image " + made->id));
  CHECK(machine.podman.count("[import]") == 1);
  REQUIRE(machine.get(request));  // with a network: made anew, and archived
  CHECK(machine.podman.count("[import]") == 2);
  CHECK(fs::exists(archive));
}

TEST_CASE("an image that cannot be archived is refused, and leaves nothing", "[images]") {
  Machine machine;
  machine.archives = machine.cache / "archives";
  machine.podman.fail({"* save *"});
  const auto image = machine.get({suite("bookworm"), {}, {}});
  REQUIRE_FALSE(image);
  CHECK_THAT(image.error().reason, Catch::Contains("could not be saved"));
  CHECK_THAT(image.error().log_tail, Catch::Contains("operation not permitted"));
  CHECK(fs::is_empty(machine.archives));
}

TEST_CASE("what a builder that was killed left is cleared away", "[images]") {
  Machine machine;
  REQUIRE(machine.get({suite("bookworm"), {}, {}}));
  fs::path record;
  for (const auto& entry : fs::directory_iterator(machine.cache / "images"))
    if (entry.path().extension() == ".json") record = entry.path();
  const auto key = fs::path(record).replace_extension();
  fs::remove(record);
  for (const char* ending : {".1.tar", ".1.build/Containerfile", ".json.1.part"})
    testing::write(fs::path(key).concat(ending), "half");
  REQUIRE(machine.get({suite("bookworm"), {}, {}}));
  CHECK(fs::exists(record));
  CHECK(std::distance(fs::directory_iterator(machine.cache / "images"), {}) == 2);  // and its lock
}

TEST_CASE("a damaged record is made again", "[images]") {
  Machine machine;
  REQUIRE(machine.get({suite("bookworm"), {}, {}}));
  for (const auto& entry : fs::directory_iterator(machine.cache / "images"))
    if (entry.path().extension() == ".json") testing::write(entry.path(), "{\"$schema\": \"stackx/im");
  const auto image = machine.get({suite("bookworm"), {}, {}});
  REQUIRE(image);
  CHECK(image->packages.contains("libc6"));
}

TEST_CASE("names that are none reach neither engine nor mmdebstrap", "[images]") {
  Machine machine;
  for (const std::string name : {"", "-x", "--include=evil", "a b", "a\nb", "../x", "/etc", "$(touch x)", "a;b", "a'b",
                                 "Bookworm", "http://x/y"}) {
    INFO(name);
    CHECK_THAT(refused(machine, {suite(name), {}, {}}), Catch::Contains("not the name of a Debian suite"));
  }
  for (const std::string name : {"", "-y", "--force-yes", "a b", "a\nRUN evil", "../x", "$(touch x)", "a;b", "A", "\"", "a,b"}) {
    INFO(name);
    CHECK_THAT(refused(machine, {suite("bookworm"), {"python3", name}, {}}), Catch::Contains("not the name of a Debian package"));
  }
  for (const std::string name : {"", "-x", "--all-tags", "a b", "a\nb", "../x", "$(touch x)", "a;b", "/etc/passwd",
                                 "docker-archive:/etc/passwd", "dir:/etc", "containers-storage:x y", "a'b", "a\"b"}) {
    INFO(name);
    CHECK_THAT(refused(machine, {reference(name), {}, {}}), Catch::Contains("not a reference to an image"));
  }
  CHECK(machine.podman.calls().empty());
  CHECK(machine.made().empty());
}

TEST_CASE("a reference is pulled once, and its digest is what the catalog says", "[images]") {
  Machine machine;
  const std::string name = "docker.io/library/python:3.12-slim";
  const auto image = machine.get({reference(name), {}, "/usr/local/bin/python3"});
  REQUIRE(image);
  CHECK(image->digest == "sha256:d19e57");
  CHECK(machine.podman.count("[pull] [--quiet] [" + name + "]") == 1);
  CHECK(machine.get({reference(name, "d19e57"), {}, {}}));
  CHECK(machine.podman.count("[pull]") == 1);
  for (const auto& fine : std::vector<std::string>{"python", "localhost:5000/a/b_c:1.0-x", "a/b@sha256:" + std::string(64, 'a')})
    CHECK(refused(machine, {reference(fine), {}, {}}) == "");

  const auto other = machine.get({reference(name, std::string(64, 'b')), {}, {}});
  REQUIRE_FALSE(other);
  CHECK(other.error().outcome == Outcome::hash_mismatch);
  CHECK_THAT(other.error().reason, Catch::Contains("the catalog wants sha256:bbbb") && Catch::Contains("it has sha256:d19e57"));
}

TEST_CASE("an image with volumes is refused where the engine cannot leave them out", "[images]") {
  Machine machine;
  testing::write(machine.podman.root() / "volumes", "/data /var/lib/x ");
  CHECK(refused(machine, {reference("python"), {}, {}}) == "");
  machine.kind = "docker";
  CHECK_THAT(refused(machine, {reference("another"), {}, {}}), Catch::Contains("declares volumes (/data, /var/lib/x)"));
  CHECK(machine.podman.count("[run]") == 1);  // for podman
}

TEST_CASE("what cannot be made says why, with the log's end, and is tried again", "[images]") {
  Machine machine;
  SECTION("mmdebstrap") {
    machine.podman.add_program("mmdebstrap", "echo E: mirror unreachable >&2; exit 1");
    const auto image = machine.get({suite("bookworm"), {}, {}});
    REQUIRE_FALSE(image);
    CHECK(image.error().outcome == Outcome::build_failed);
    CHECK_THAT(image.error().reason, Catch::Contains("base image bookworm could not be made"));
    CHECK_THAT(image.error().log_tail, Catch::Contains("mirror unreachable"));
    machine.podman.add_program("mmdebstrap", "for word; do case $word in *.tar) echo root > \"$word\" ;; esac; done");
    CHECK(machine.get({suite("bookworm"), {}, {}}));
  }
  SECTION("a full disk") {
    machine.podman.add_program("mmdebstrap", "echo 'tar: write error: No space left on device' >&2; exit 1");
    const auto image = machine.get({suite("bookworm"), {}, {}});
    REQUIRE_FALSE(image);
    CHECK(image.error().outcome == Outcome::disk_full);
  }
  SECTION("packages") {
    machine.podman.fail({"*build *"});
    const auto image = machine.get({suite("bookworm"), {"nonesuch"}, {}});
    REQUIRE_FALSE(image);
    CHECK(image.error().outcome == Outcome::build_failed);
    CHECK_THAT(image.error().reason, Catch::Contains("nonesuch could not be installed into base image bookworm"));
    machine.podman.fail({});
    CHECK(machine.get({suite("bookworm"), {"nonesuch"}, {}}));
  }
  SECTION("pull") {
    machine.podman.fail({"*pull *"});
    const auto image = machine.get({reference("a/b"), {}, {}});
    REQUIRE_FALSE(image);
    CHECK_THAT(image.error().reason, Catch::Contains("image a/b could not be pulled"));
  }
  SECTION("an interpreter that is not there") {
    testing::write(machine.podman.root() / "python", "");
    const auto image = machine.get({suite("bookworm"), {}, "/usr/bin/python3"});
    REQUIRE_FALSE(image);
    CHECK_THAT(image.error().reason, Catch::Contains("/usr/bin/python3 is not there"));
  }
  for (const auto& entry : fs::directory_iterator(machine.cache / "images"))
    CHECK((entry.path().extension() == ".json" || entry.path().extension() == ".lock"));
}

TEST_CASE("what runs in an image is held to limits, and ends", "[images]") {
  Machine machine;
  REQUIRE(machine.get({suite("bookworm"), {}, {}}));
  CHECK(machine.podman.count("[run]") == 1);
  for (const char* option :
       {"[--name] [stackx-", "[--memory] [", "[--pids-limit] [", "[--network] [none]", "[--read-only]"})
    CHECK(machine.podman.count(option) == 1);
  const std::string mark = "7213." + std::to_string(getpid());  // seconds, and found among processes
  testing::write(machine.podman.root() / "hangs", mark);
  SECTION("at its time") {
    machine.answer_seconds = 0.5;
    const auto image = machine.get({suite("bookworm"), {"python3"}, {}});
    REQUIRE_FALSE(image);
    CHECK_THAT(image.error().reason, Catch::Contains("dpkg-query of the base image did not answer within its limits"));
  }
  SECTION("when stackx is interrupted") {
    machine.stop = [&] { return processes_with(mark) > 0; };
    const auto image = machine.get({suite("bookworm"), {"python3"}, {}});
    REQUIRE_FALSE(image);
    CHECK(image.error().reason == "interrupted");
    CHECK(machine.podman.count("[rm] [--force] [stackx-") == 1);
  }
  CHECK(wait_for_processes(mark, 0));
  fs::remove(machine.podman.root() / "hangs");
  machine.stop = {};
  const auto image = machine.get({suite("bookworm"), {"python3"}, {}});
  REQUIRE(image);
  CHECK(image->packages.contains("libc6"));  // nothing less was recorded
}

TEST_CASE("a build that never ends is ended", "[images]") {
  Machine machine;
  machine.podman.add_program("mmdebstrap", "exec sleep 60");
  Engine engine;
  engine.program = machine.podman.program();
  engine.kind = "podman";
  Images images(engine, {machine.cache / "images", false, {}, 0.3});
  const auto image = images.get({suite("bookworm"), {}, {}}, {});
  REQUIRE_FALSE(image);
  CHECK(image.error().outcome == Outcome::build_timed_out);
}

TEST_CASE("offline nothing is made or pulled", "[images]") {
  Machine machine;
  for (const auto& request : {ImageRequest{suite("bookworm"), {}, {}}, ImageRequest{reference("a/b"), {}, {}}}) {
    const auto image = machine.get(request, true);
    REQUIRE_FALSE(image);
    CHECK_THAT(image.error().reason, Catch::Contains("run once with network"));
  }
  CHECK(machine.made().empty());
  CHECK(machine.podman.count("[pull]") == 0);
}

TEST_CASE("the mirror is apt's own", "[images]") {
  const TempDirectory etc;
  CHECK(debian_mirror(etc / "nothing") == "");
  SECTION("one-line form") {
    testing::write(etc / "sources.list",
                   "# deb http://commented.example/debian bookworm main\n"
                   "deb-src http://source.example/debian bookworm main\n"
                   "deb http://security.example/debian-security bookworm-security main\n"
                   "deb [arch=amd64 signed-by=/x.gpg] http://mirror.example/debian/ bookworm main\n");
    CHECK(debian_mirror(etc.path()) == "http://mirror.example/debian");
  }
  SECTION("one-line form, options set apart") {
    testing::write(etc / "sources.list", "deb [ arch=amd64 ] http://mirror.example/debian bookworm main\n");
    CHECK(debian_mirror(etc.path()) == "http://mirror.example/debian");
  }
  SECTION("deb822 form") {
    testing::write(etc / "sources.list.d/debian.sources",
                   "Types: deb\nURIs: http://security.example/debian-security http://mirror.example/debian\n"
                   "Suites: bookworm\nComponents: main\n");
    CHECK(debian_mirror(etc.path()) == "http://mirror.example/debian");
  }
  SECTION("only what apt reads") {
    testing::write(etc / "sources.list.d/old.list.save", "deb http://old.example/debian bookworm main\n");
    CHECK(debian_mirror(etc.path()) == "");
  }
  SECTION("none of Debian's") {
    testing::write(etc / "sources.list", "deb http://archive.example/ubuntu noble main\n");
    CHECK(debian_mirror(etc.path()) == "");
  }
}

}  // namespace images_tests
