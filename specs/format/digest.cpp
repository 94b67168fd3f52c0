#include "specs/format/digest.hpp"

#include <openssl/evp.h>

#include <array>
#include <memory>

#include "specs/error.hpp"
#include "specs/format/input_file.hpp"

namespace stackx::specs {
namespace {

// Fetched once: EVP_sha256() looks the algorithm up again at every use, a third of a short text's time.
const EVP_MD* algorithm() {
  static const EVP_MD* const fetched = [] {
    const EVP_MD* found = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    return found ? found : EVP_sha256();
  }();
  return fetched;
}

// A digest that could not be made must be no digest: names and identities are made of it.
void demand(int success) {
  if (success != 1) throw broken_environment("OpenSSL makes no SHA-256 here, most often for too little memory; nothing is lost");
}

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    demand(context_ != nullptr && EVP_DigestInit_ex(context_.get(), algorithm(), nullptr));
  }
  void update(const void* bytes, std::size_t size) { demand(EVP_DigestUpdate(context_.get(), bytes, size)); }
  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
    unsigned size = 0;
    demand(EVP_DigestFinal_ex(context_.get(), digest.data(), &size));
    std::string text;
    for (unsigned i = 0; i < size; ++i) {
      text += "0123456789abcdef"[digest[i] >> 4];
      text += "0123456789abcdef"[digest[i] & 15];
    }
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes.data(), bytes.size());
  return hash.hex();
}

std::string sha256_file(const std::filesystem::path& file) {
  InputFile in(file, "a file");
  Sha256 hash;
  std::array<char, 1 << 16> buffer;
  while (const std::size_t got = in.read(buffer.data(), buffer.size())) hash.update(buffer.data(), got);
  return hash.hex();
}

bool is_sha256(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

}  // namespace stackx::specs
