#include <catch2/catch.hpp>

#include "specs/format/masked.hpp"

using stackx::specs::without_passwords;

TEST_CASE("passwords of URLs are masked, wherever they stand", "[masked]") {
  CHECK(without_passwords("https://me:secret@h/simple") == "https://***@h/simple");
  CHECK(without_passwords("https://token@h:8080/simple") == "https://***@h:8080/simple");
  CHECK(
      without_passwords("a https://me:s@cr@et@h/x, \"git+ssh://git:pw@h/y\"\nftp://u:p@[::1]:2/") ==
      "a https://***@h/x, \"git+ssh://***@h/y\"\nftp://***@[::1]:2/");
}

TEST_CASE("passwords that no URL may hold are masked too", "[masked]") {
  for (const char* password : {"p/w", "p?w", "p#w", "p w", "p\"w", "p\\w", "p<w>", "p'w", "é/:"})
    CHECK(without_passwords(std::string("at https://me:") + password + "@h/simple: no") ==
          "at https://***@h/simple: no");
}

TEST_CASE("passwords without a host and tokens in queries are masked too", "[masked]") {
  CHECK(without_passwords("https://me:s3cret") == "https://me:***");
  CHECK(without_passwords("at http://me:s3cret/simple: no") == "at http://me:***/simple: no");
  CHECK(without_passwords("https://h:x\nme@h") == "https://h:***\nme@h");
  CHECK(without_passwords("https://h/x?a=1&token=s3cret&b=2#Auth=y, \"https://me:pw@h?API_KEY=z\"") ==
        "https://h/x?a=1&token=***&b=2#Auth=*** \"https://***@h?API_KEY=***\"");
  CHECK(stackx::specs::without_logins("https://me:pw@h/x?key=one") == "https://***@h/x?key=one");
}

TEST_CASE("URLs without passwords and other texts stay as they are", "[masked]") {
  for (const char* text :
       {"", "://", "@", "me@h", "https://h/simple", "https://h:8080/@scope/x",
        "git+https://h/a/b@v1.0", "http://[::1]:80/a@b", "http://[fe80::1]/a@b",
        "https://h/a and me@h", "https://h:80", "a://b://c", "name: x@y", "http://h:8080: refused", "see http://[::1]:80.",
        "ghp://h:x\nme@h", "https://h/?page=2&keep", "/x?token=y"})
    CHECK(without_passwords(text) == text);
}
