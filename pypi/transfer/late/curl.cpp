// libcurl's functions as <curl/curl.h> declares them; each asks the library for its own, which is loaded when the
// first of them is called.
//
// libcurl brings 26 libraries along (LDAP, Kerberos, SSH, two of TLS): half of the 7.6 ms of CPU that `stackx --version`
// took went into finding and binding them, and few commands look at a network. So nothing here is linked with libcurl
// where it is a shared library. Rejected: pointers to functions in http.cpp, which would then not read as curl's manual
// does; a shared object of our own, which would have to be installed and found.
#include <curl/curl.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdarg>

#include "specs/error.hpp"

// Macros of the same names check the number of arguments in C.
#undef curl_easy_getinfo
#undef curl_easy_setopt
#undef curl_multi_setopt

namespace stackx::pypi {
namespace {

void* library() {
  static void* const handle = dlopen(STACKX_LIBCURL, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    throw broken_environment(fmt::format("no package index can be asked: libcurl cannot be loaded ({}); install it "
                                         "(Debian: apt install libcurl4)",
                                         dlerror()));
  return handle;
}

template <typename Function>
Function* own(const char* name) {
  void* const found = dlsym(library(), name);
  if (found == nullptr)
    throw broken_environment(fmt::format("no package index can be asked: {} has no {}; stackx needs libcurl 7.85 or newer",
                                         STACKX_LIBCURL, name));
  return reinterpret_cast<Function*>(found);
}

}  // namespace
}  // namespace stackx::pypi

#define STACKX_LATE(result, name, parameters, arguments)                    \
  result name parameters {                                                  \
    static auto* const own = stackx::pypi::own<decltype(name)>(#name);      \
    return own arguments;                                                   \
  }
// An option's value is a long, a curl_off_t or a pointer: one register, whichever it is, wherever stackx runs.
#define STACKX_LATE_OPTION(result, name, first, second)                     \
  result name(first one, second option, ...) {                              \
    static auto* const own = stackx::pypi::own<decltype(name)>(#name);      \
    std::va_list values;                                                    \
    va_start(values, option);                                               \
    void* const value = va_arg(values, void*);                              \
    va_end(values);                                                         \
    return own(one, option, value);                                         \
  }
static_assert(sizeof(void*) == sizeof(long) && sizeof(void*) == sizeof(curl_off_t));

extern "C" {

STACKX_LATE(curl_version_info_data*, curl_version_info, (CURLversion version), (version))
STACKX_LATE(void, curl_free, (void* memory), (memory))
STACKX_LATE(curl_slist*, curl_slist_append, (curl_slist* list, const char* text), (list, text))
STACKX_LATE(void, curl_slist_free_all, (curl_slist* list), (list))

STACKX_LATE(CURLU*, curl_url, (), ())
STACKX_LATE(void, curl_url_cleanup, (CURLU* url), (url))
STACKX_LATE(CURLUcode, curl_url_get, (CURLU* url, CURLUPart part, char** text, unsigned flags), (url, part, text, flags))
STACKX_LATE(CURLUcode, curl_url_set, (CURLU* url, CURLUPart part, const char* text, unsigned flags), (url, part, text, flags))

STACKX_LATE(CURL*, curl_easy_init, (), ())
STACKX_LATE(void, curl_easy_cleanup, (CURL* transfer), (transfer))
STACKX_LATE(const char*, curl_easy_strerror, (CURLcode code), (code))
STACKX_LATE(char*, curl_easy_unescape, (CURL* transfer, const char* text, int length, int* unescaped),
            (transfer, text, length, unescaped))
STACKX_LATE_OPTION(CURLcode, curl_easy_setopt, CURL*, CURLoption)
STACKX_LATE_OPTION(CURLcode, curl_easy_getinfo, CURL*, CURLINFO)

STACKX_LATE(CURLM*, curl_multi_init, (), ())
STACKX_LATE(CURLMcode, curl_multi_cleanup, (CURLM* all), (all))
STACKX_LATE(CURLMcode, curl_multi_add_handle, (CURLM* all, CURL* transfer), (all, transfer))
STACKX_LATE(CURLMcode, curl_multi_remove_handle, (CURLM* all, CURL* transfer), (all, transfer))
STACKX_LATE(CURLMcode, curl_multi_perform, (CURLM* all, int* running), (all, running))
STACKX_LATE(CURLMcode, curl_multi_poll, (CURLM* all, curl_waitfd* more, unsigned count, int milliseconds, int* ready),
            (all, more, count, milliseconds, ready))
STACKX_LATE(CURLMsg*, curl_multi_info_read, (CURLM* all, int* left), (all, left))
STACKX_LATE_OPTION(CURLMcode, curl_multi_setopt, CURLM*, CURLMoption)

}  // extern "C"
