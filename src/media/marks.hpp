// Marks of types that libmagic does not look at, or not closely enough.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace merpati::media {

/// Names for what the first entry of a ZIP tells: an office file of one of three kinds, or a pass.
inline constexpr std::string_view office_package = "application/x-office-package";
inline constexpr std::string_view pass_package = "application/x-pass-package";

/// Whether the first character that is not blank is `<`: markup, rather than a text that has some.
/// Byte order marks and UTF-16 are allowed for.
[[nodiscard]] bool begins_as_markup(std::span<const std::byte> head) noexcept;

/// Whether the first line names an interpreter.
[[nodiscard]] bool begins_as_script(std::span<const std::byte> head) noexcept;

/// AMR-WB (RFC 4867), which is not of the interface's list.
[[nodiscard]] bool begins_as_wide_band_amr(std::span<const std::byte> head) noexcept;

/// Whether the first Ogg stream is Opus (RFC 7845).
[[nodiscard]] bool begins_as_opus(std::span<const std::byte> head) noexcept;

[[nodiscard]] bool begins_as_zip(std::span<const std::byte> head) noexcept;

/// office_package, pass_package, or empty, by the name of a ZIP's first entry.
[[nodiscard]] std::string_view package_of(std::span<const std::byte> head) noexcept;

}  // namespace merpati::media
