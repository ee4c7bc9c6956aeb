// What a file's first bytes say of its type.
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
    nothing,  // No known magic number: anything binary.
    text,     // Text of some kind. Guesses by the words in it are not certain.
    sure,     // It has the magic number of `name`.
};

struct SniffedType {
    Certainty certainty = Certainty::nothing;
    /// Only where sure: libmagic's name in lower case; or `application/x-office-package`,
    /// `application/x-pass-package` (a ZIP with such a first entry), `audio/ogg; codecs=opus`.
    std::string name;
};

/// libmagic with its compiled database. Compressed content is not looked into, and neither the
/// MAGIC variable nor a ~/.magic is heeded.
///
/// Sure are: all magic numbers of binary types; in texts vCard, calendar, RTF, PDF, AMR, markup
/// that begins with `<`, and a first line `#!`. Opus in Ogg, and office files and passes in a ZIP,
/// which libmagic does not name, are recognised here.
///
/// Threads: one sniffer belongs to one thread. Memory: the database is mapped, and shared.
class Sniffer {
public:
    /// Errors: io_failed (no database).
    [[nodiscard]] static Result<Sniffer> open();

    /// Looks at `head_max` bytes at most, the first of a file; of texts at fewer.
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
