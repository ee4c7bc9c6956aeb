// Checks the form of texts in settings.
#pragma once

#include <string_view>

namespace merpati::config {

/// A program or an argument of it: without control characters, not empty.
[[nodiscard]] bool is_argument(std::string_view text);

/// 64 hexadecimal digits.
[[nodiscard]] bool is_key(std::string_view text);

/// A wss URL, or a ws URL of the machine itself: unencrypted traffic must not leave it.
[[nodiscard]] bool is_platform_address(std::string_view text);

/// A scheme (http or https), a host and perhaps a port, and nothing after them.
[[nodiscard]] bool is_origin(std::string_view text);

/// The address of the official platform, without a path: https, or http on the machine itself.
[[nodiscard]] bool is_cloud_url(std::string_view text);

/// "v26.0".
[[nodiscard]] bool is_cloud_version(std::string_view text);

/// A host's name, or one like it.
[[nodiscard]] bool is_node_name(std::string_view text);

}  // namespace merpati::config
