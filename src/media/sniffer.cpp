#include "media/sniffer.hpp"

#include <algorithm>
#include <string_view>

#include <magic.h>

#include "media/marks.hpp"

namespace merpati::media {
namespace {

/// Where Debian has it, and most others. Named, because libmagic's own default is taken from the
/// environment.
constexpr const char* database = "/usr/share/misc/magic.mgc";

constexpr std::string_view unknown = "application/octet-stream";

/// What takes long, looks inside, or only guesses by words.
constexpr int flags = MAGIC_MIME | MAGIC_NO_CHECK_COMPRESS | MAGIC_NO_CHECK_ELF |
                      MAGIC_NO_CHECK_TOKENS | MAGIC_NO_CHECK_JSON | MAGIC_NO_CHECK_CSV;

/// Rules that search texts take half a second for 64 KiB of line ends, and 15 ms for this. Marks of
/// texts stand near their beginning; most binary types have a NUL there, and are seen whole.
constexpr std::size_t text_max = 8UL * 1024;

struct Limit {
    int parameter;
    std::size_t value;
};
constexpr Limit limits[] = {
    {MAGIC_PARAM_INDIR_MAX, 15},
    {MAGIC_PARAM_NAME_MAX, 50},
    {MAGIC_PARAM_REGEX_MAX, 1024},
    {MAGIC_PARAM_BYTES_MAX, Sniffer::head_max},
    {MAGIC_PARAM_ENCODING_MAX, Sniffer::head_max},
};

std::span<const std::byte> looked_at(std::span<const std::byte> head) {
    const auto beginning = head.first(std::min(head.size(), text_max));
    const bool binary = std::ranges::find(beginning, std::byte{0}) != beginning.end();
    return binary ? head.first(std::min(head.size(), Sniffer::head_max)) : beginning;
}

std::string lower(std::string_view text) {
    std::string made{text};
    std::ranges::transform(made, made.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    });
    return made;
}

/// A text's type that its first bytes prove, rather than its words.
bool is_proven_text(std::string_view type, std::span<const std::byte> head) {
    constexpr std::string_view marked[] = {"text/vcard", "text/x-vcard",    "text/calendar",
                                           "text/rtf",   "application/rtf", "application/pdf",
                                           "audio/amr",  "audio/amr-wb"};
    return std::ranges::find(marked, type) != std::end(marked) ||
           (begins_as_markup(head) && type != "text/plain") || begins_as_script(head);
}

/// ZIP and Ogg hold many types; libmagic stops early with some of them, and its version 5.46 does
/// not name a plain ZIP at all. Nor does 5.44 tell the two kinds of AMR apart.
std::string looked_closer(std::string type, std::span<const std::byte> head) {
    if (type == "application/zip" || (type == unknown && begins_as_zip(head))) {
        const auto package = package_of(head);
        return std::string{package.empty() ? "application/zip" : package};
    }
    if ((type == "audio/ogg" || type == "application/ogg") && begins_as_opus(head)) {
        return "audio/ogg; codecs=opus";
    }
    if (type == "audio/amr" && begins_as_wide_band_amr(head)) {
        return "audio/amr-wb";
    }
    return type;
}

}  // namespace

Result<Sniffer> Sniffer::open() {
    std::unique_ptr<magic_set, Close> cookie{magic_open(flags)};
    if (cookie == nullptr) {
        return fail(ErrorCode::io_failed, "libmagic cannot start");
    }
    for (auto limit : limits) {
        magic_setparam(cookie.get(), limit.parameter, &limit.value);
    }
    if (magic_load(cookie.get(), database) != 0) {
        const char* why = magic_error(cookie.get());
        return fail(ErrorCode::io_failed, std::string{"libmagic cannot load "} + database + ": " +
                                              (why == nullptr ? "unknown" : why));
    }
    return Sniffer{std::move(cookie)};
}

Sniffed Sniffer::sniff(std::span<const std::byte> head) const {
    head = looked_at(head);
    const char* answer = magic_buffer(cookie_.get(), head.data(), head.size());
    if (answer == nullptr) {
        return {};
    }
    const std::string_view whole{answer};  // "text/plain; charset=us-ascii"
    auto type = lower(whole.substr(0, whole.find(';')));
    // Some rules of libmagic join two answers into "a/bapplication/octet-stream".
    if (type.ends_with(unknown) || std::ranges::count(type, '/') != 1) {
        type = unknown;
    }
    const bool is_text = !whole.ends_with("charset=binary");
    if (is_text && !is_proven_text(type, head)) {
        return {.certainty = Certainty::text, .type = {}};
    }
    const auto closer = looked_closer(type, head);
    return closer == unknown ? Sniffed{} : Sniffed{.certainty = Certainty::sure, .type = closer};
}

void Sniffer::Close::operator()(magic_set* cookie) const noexcept {
    magic_close(cookie);
}

}  // namespace merpati::media
