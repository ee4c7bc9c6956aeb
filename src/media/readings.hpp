// From the names of libmagic to those of the interface.
#pragma once

#include <array>
#include <string_view>

namespace merpati::media {

/// What content that was sniffed may be sent as.
struct Reading {
    std::string_view sniffed;
    std::string_view plain;  // What it is unless declared otherwise; empty: only what is declared.
    std::string_view audio;  // What it is where any audio is declared: the same container, which
                             // does not show in its first bytes whether it has pictures.
    std::array<std::string_view, 4> also;  // Other types of the same mark, where declared.
    bool strong = true;  // False: so short a mark that raw samples may have it by chance.
};

/// Null: certainly none of the interface's types.
[[nodiscard]] const Reading* find_reading(std::string_view sniffed) noexcept;

/// Whether content of this type is refused under a type that has no mark, too: programs, archives,
/// markup and scripts, and nothing at all. Other names that libmagic gives to raw samples are
/// taken for chance.
[[nodiscard]] bool is_never_raw(std::string_view sniffed) noexcept;

}  // namespace merpati::media
