#include "media/sniffer.hpp"

#include <algorithm>
#include <string_view>

#include <magic.h>

#include "base/ascii.hpp"

namespace merpati::media {
namespace {

/// The database's path in Debian and most other systems. Given explicitly, because libmagic's
/// default depends on the environment.
constexpr const char* database = "/usr/share/misc/magic.mgc";

constexpr std::string_view unknown = "application/octet-stream";

/// Our names for a ZIP whose first entry belongs to an office file, or to a pass.
constexpr std::string_view office_package = "application/x-office-package";
constexpr std::string_view pass_package = "application/x-pass-package";

/// Disables checks that are slow, unpack, or guess from words.
constexpr int flags = MAGIC_MIME | MAGIC_NO_CHECK_COMPRESS | MAGIC_NO_CHECK_ELF |
                      MAGIC_NO_CHECK_TOKENS | MAGIC_NO_CHECK_JSON | MAGIC_NO_CHECK_CSV;

/// How many bytes of a text are examined. libmagic's search rules take half a second for 64 KiB of
/// line ends, and 15 ms for these. Texts have their magic numbers near the beginning. Content with
/// a NUL in these bytes, as most binary types have, is examined up to `head_max`.
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

constexpr std::string_view zip_magic = "PK\x03\x04";

std::string_view as_text(std::span<const std::byte> bytes) noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string_view without_byte_order_mark(std::string_view text) noexcept {
    for (const std::string_view mark : {"\xEF\xBB\xBF", "\xFF\xFE", "\xFE\xFF"}) {
        if (text.starts_with(mark)) {
            return text.substr(mark.size());
        }
    }
    return text;
}

/// The name in a ZIP's first local file header (APPNOTE 4.3.7).
std::string_view first_entry(std::string_view zip) noexcept {
    constexpr std::size_t header_size = 30;
    constexpr std::size_t name_size_at = 26;
    if (zip.size() < header_size || !zip.starts_with(zip_magic)) {
        return {};
    }
    const auto low = static_cast<unsigned char>(zip[name_size_at]);
    const auto high = static_cast<unsigned char>(zip[name_size_at + 1]);
    return zip.substr(header_size, low + 256U * high);
}

bool begins_with_any(std::string_view name, std::span<const std::string_view> starts) noexcept {
    return std::ranges::any_of(starts, [name](auto start) { return name.starts_with(start); });
}

/// The names of an office file's parts begin with these (ECMA-376 part 2, and the suites' own).
constexpr std::string_view office_parts[] = {
    "[Content_Types].xml", "_rels/", "docProps/", "word/", "xl/", "ppt/", "customXml/",
};

/// The names of a pass's files begin with these (PassKit).
constexpr std::string_view pass_parts[] = {
    "pass.json", "manifest.json", "signature", "personalization", "background",
    "footer",    "icon",          "logo",      "strip",           "thumbnail",
};

/// Whether the first non-blank character is `<`, so that the text is markup rather than contains
/// some. Byte order marks and UTF-16 are taken into account.
bool begins_as_markup(std::span<const std::byte> head) noexcept {
    const auto text = without_byte_order_mark(as_text(head));
    constexpr std::string_view blanks{" \t\r\n\f\0", 6};  // NUL: the zero byte of UTF-16.
    const auto first = text.find_first_not_of(blanks);
    return first != std::string_view::npos && text[first] == '<';
}

/// Whether the first line names an interpreter.
bool begins_as_script(std::span<const std::byte> head) noexcept {
    const auto text = without_byte_order_mark(as_text(head));
    return text.starts_with("#!") && !text.starts_with("#!AMR");
}

/// AMR-WB (RFC 4867), which is not in the interface's list.
bool begins_as_wide_band_amr(std::span<const std::byte> head) noexcept {
    return as_text(head).starts_with("#!AMR-WB");
}

/// Whether the first Ogg stream is Opus (RFC 7845).
bool begins_as_opus(std::span<const std::byte> head) noexcept {
    constexpr std::size_t first_packet_at = 28;
    const auto text = as_text(head);
    return text.size() > first_packet_at && text.substr(first_packet_at).starts_with("OpusHead");
}

bool begins_as_zip(std::span<const std::byte> head) noexcept {
    return as_text(head).starts_with(zip_magic);
}

/// office_package, pass_package, or empty, by the name of a ZIP's first entry.
std::string_view package_of(std::span<const std::byte> head) noexcept {
    const auto name = first_entry(as_text(head));
    if (begins_with_any(name, office_parts)) {
        return office_package;
    }
    const bool localised = name.find(".lproj/") != std::string_view::npos;
    return localised || begins_with_any(name, pass_parts) ? pass_package : std::string_view{};
}

/// Whether the first bytes of a text, rather than its words, prove its type.
bool is_proven_text(std::string_view type, std::span<const std::byte> head) {
    constexpr std::string_view marked[] = {"text/vcard", "text/x-vcard",    "text/calendar",
                                           "text/rtf",   "application/rtf", "application/pdf",
                                           "audio/amr",  "audio/amr-wb"};
    return std::ranges::find(marked, type) != std::end(marked) ||
           (begins_as_markup(head) && type != "text/plain") || begins_as_script(head);
}

/// Corrects libmagic's answer. ZIP and Ogg contain many types, and libmagic does not distinguish
/// all of them. Its version 5.46 does not name a plain ZIP; 5.44 does not distinguish AMR-WB from
/// AMR.
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

SniffedType Sniffer::sniff(std::span<const std::byte> head) const {
    head = looked_at(head);
    const char* answer = magic_buffer(cookie_.get(), head.data(), head.size());
    if (answer == nullptr) {
        return {};
    }
    const std::string_view whole{answer};  // "text/plain; charset=us-ascii"
    auto type = lower_case(whole.substr(0, whole.find(';')));
    // Some rules of libmagic join two answers into "a/bapplication/octet-stream".
    if (type.ends_with(unknown) || std::ranges::count(type, '/') != 1) {
        type = unknown;
    }
    const bool is_text = !whole.ends_with("charset=binary");
    if (is_text && !is_proven_text(type, head)) {
        return {.certainty = Certainty::text, .name = {}};
    }
    const auto closer = looked_closer(type, head);
    return closer == unknown ? SniffedType{}
                             : SniffedType{.certainty = Certainty::sure, .name = closer};
}

void Sniffer::Close::operator()(magic_set* cookie) const noexcept {
    magic_close(cookie);
}

}  // namespace merpati::media
