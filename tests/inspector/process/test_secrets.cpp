#include <catch2/catch.hpp>

#include "inspector/process/passed_environment.hpp"
#include "inspector/process/secrets.hpp"
#include "tests/inspector/support.hpp"

using namespace stackx::inspector;
using namespace stackx::inspector::testing;

TEST_CASE("what the environment keeps secret is masked, and nothing else", "[secrets]") {
  const Secrets secrets({{"AWS_SECRET_ACCESS_KEY", "abc/def+1"},
                         {"GITHUB_TOKEN", "ghp_1234567"},
                         {"PIP_INDEX_URL", "https://user:p%40ssw0rd@index.example/simple"},
                         {"PIP_EXTRA_INDEX_URL", "https://tok3n-alone@a.example/ https://b.example/"},
                         {"SHORT_TOKEN", "abc"},
                         {"HOME", "/home/somebody"}});
  CHECK(secrets.masked("key abc/def+1, token ghp_1234567") == "key ***, token ***");
  CHECK(secrets.masked("https://user:p%40ssw0rd@index.example and p@ssw0rd") == "https://user:***@index.example and ***");
  CHECK(secrets.masked("tok3n-alone") == "***");
  CHECK(secrets.masked("_1234567 is the end of one") == "*** is the end of one");
  CHECK(secrets.masked("4567 is too little to tell") == "4567 is too little to tell");
  CHECK(secrets.masked("abc /home/somebody b.example") == "abc /home/somebody b.example");
  CHECK(secrets.without("_1234567 is the end of one, ghp_1234567 is one") == "_1234567 is the end of one, *** is one");
  const Secrets places({{"UV_DEFAULT_INDEX", "me:s3cret@index.example/simple"}, {"UV_FIND_LINKS", "x https:me:passw0rd@h/x"},
                        {"EDITOR", "vim:option@x"}});
  CHECK(places.masked("at ./me:s3cret@index.example/simple, s3cret, me:passw0rd, vim:option@x") ==
        "at ./***@index.example/simple, ***, ***, vim:option@x");
  CHECK(Secrets({{"A_TOKEN", "secret-longer"}, {"B_TOKEN", "secret"}}).masked("secret-longer secret") == "*** ***");
}

TEST_CASE("programs are given chosen variables, secrets to none of them", "[secrets]") {
  const Variable key("AWS_SECRET_ACCESS_KEY", "k"), index("PIP_INDEX_URL", "https://u:p@i"), proxy("https_proxy", "http://u:p@h"),
      docker("DOCKER_HOST", "unix:///d"), home("HOME", "/h");
  CHECK(bare_environment().size() == 2);
  for (const auto& environment : {bare_environment(), tool_environment(), engine_environment(), fetching_environment()}) {
    CHECK_FALSE(environment.contains("AWS_SECRET_ACCESS_KEY"));
    CHECK_FALSE(environment.contains("PIP_INDEX_URL"));
    CHECK(environment.at("LC_ALL") == "C.UTF-8");
  }
  CHECK(tool_environment().at("HOME") == "/h");
  CHECK_FALSE(tool_environment().contains("DOCKER_HOST"));
  CHECK(engine_environment().at("DOCKER_HOST") == "unix:///d");
  CHECK_FALSE(engine_environment().contains("https_proxy"));
  CHECK(fetching_environment().contains("https_proxy"));
}

TEST_CASE("settings that are paths are meant from where the user stands", "[secrets]") {
  const Variable cert("SSL_CERT_FILE", "certs/ours.pem"), pip("PIP_FIND_LINKS", "wheels https://h/w ~/w"),
      uv("UV_FIND_LINKS", "/abs,./rel"), word("LANG", "C");
  const auto here = std::filesystem::current_path().string();
  const auto all = installer_environment();
  CHECK(all.at("SSL_CERT_FILE") == here + "/certs/ours.pem");
  CHECK(all.at("PIP_FIND_LINKS") == here + "/wheels https://h/w ~/w");
  CHECK(all.at("UV_FIND_LINKS") == "/abs," + here + "/./rel");
  CHECK(all.at("LANG") == "C");
  CHECK(fetching_environment().at("SSL_CERT_FILE") == here + "/certs/ours.pem");
}
