// A server of stackx (`stackx serve`), as a client sees it; or another that takes documents.
//
// The token stands in $STACKX_TOKEN, since command lines are seen by everybody on a machine; certificates are the system's, or
// $SSL_CERT_FILE. What is likely to pass (the server is busy or away) is tried again, as long as `patience` says.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stackx::pypi {
class Transport;
}

namespace stackx::workspace {

class Remote {
 public:
  // `option` names it in messages: "--server"; `silence`: for so long nothing may come. Throws Error(bad_input) for what is no http(s) URL.
  Remote(const std::string& url, const std::string& option, std::chrono::seconds silence = longest_answer);
  ~Remote();
  Remote(const Remote&) = delete;

  struct Answered {
    std::string body;
    int exit_code = 0;
  };
  // The answer to a question: `target` is "/v1/advise?hw=v100", `accept` a media type. Throws Error with the server's words, and
  // Error(environment) where it does not answer.
  Answered ask(const std::string& target, const std::string& accept, std::size_t columns);

  struct Taken {
    std::uint64_t inserted = 0, already_there = 0, refused = 0;
    std::vector<std::string> reasons;
  };
  // Documents, JSON Lines as `encoding` packs them ("zstd", "": not). Where it returns, they are on the server's disk or refused.
  // Where nobody was there yet (no such host, a refused connection) that is a few seconds: the address is mistyped, mostly.
  Taken send(const std::string& documents, const std::string& encoding, std::chrono::seconds patience,
             const std::function<void(const std::string& why)>& waiting);

  // One document, once: nothing where it is taken (any 2xx, of any server), else why not, in words.
  std::optional<std::string> deliver(const std::string& document);

  const std::string& url() const { return url_; }  // without login, for messages

 private:
  static constexpr std::chrono::seconds longest_answer{90};  // a server waits 60 s for one
  std::string base_, url_, token_;
  bool was_there_ = false;  // something took a connection, once
  std::unique_ptr<pypi::Transport> transport_;
};

}  // namespace stackx::workspace
