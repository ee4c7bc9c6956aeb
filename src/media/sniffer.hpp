// Finds a file's type by its first bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/error.hpp"

struct magic_set;  // libmagic's cookie.

namespace merpati::media {

enum class Certainty : std::uint8_t {
    nothing,  // Binary without a known magic number.
    text,     // Text of some kind; its words do not prove which.
    sure,     // It has the magic number of `name`.
};

struct SniffedType {
    Certainty certainty = Certainty::nothing;
    /// Set if sure: libmagic's name in lower case, or `application/x-office-package`,
    /// `application/x-pass-package` (a ZIP with such a first entry), `audio/ogg; codecs=opus`,
    /// `audio/amr-wb`.
    std::string name;
};

/// libmagic with its compiled database. It does not unpack compressed content, and ignores the
/// MAGIC variable and ~/.magic.
///
/// Sure are: all magic numbers of binary types; of texts: vCard, calendar, RTF, PDF, AMR, markup
/// that begins with `<`, and a first line that begins with `#!`. The sniffer itself recognises Opus
/// in Ogg, AMR-WB, and office files and passes in a ZIP.
///
/// Threads: one sniffer belongs to one thread. Memory: the database is mapped, and shared.
class Sniffer {
public:
    /// Errors: io_failed (no database).
    [[nodiscard]] static Result<Sniffer> open();

    /// `head`: the first bytes of a file. Examines at most `head_max` of them, of texts fewer.
    [[nodiscard]] SniffedType sniff(std::span<const std::byte> head) const;

    static constexpr std::size_t head_max = 64UL * 1024;

private:
    struct Close {
        void operator()(magic_set* cookie) const noexcept;
    };
    explicit Sniffer(std::unique_ptr<magic_set, Close> cookie) : cookie_(std::move(cookie)) {}

    std::unique_ptr<magic_set, Close> cookie_;
};

}  // namespace merpati::media
