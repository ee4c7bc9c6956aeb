// Reads and checks the fields of a protocol line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "model/ids.hpp"

namespace merpati::connector::process {

/// Operation: the caller reads all fields, then checks `wrong`: the first field that is missing, of
/// a wrong type or out of bounds; empty: none. If it is not empty, the values that were read are
/// meaningless. `null` counts as missing.
///
/// Threads: none. `object` must outlive this.
class Fields {
public:
    explicit Fields(const boost::json::object& object) : object_(object) {}

    /// A text of at most `bytes_max` bytes.
    [[nodiscard]] std::string text(std::string_view name, std::size_t bytes_max);
    [[nodiscard]] std::string text_or_empty(std::string_view name, std::size_t bytes_max);
    /// At most 64 bytes of printable ASCII.
    [[nodiscard]] std::string code_or_empty(std::string_view name);
    /// The text, cut to `bytes_max` bytes; empty if the field is missing or no text, which is not
    /// wrong.
    [[nodiscard]] std::string words(std::string_view name, std::size_t bytes_max) const;
    [[nodiscard]] std::uint64_t count(std::string_view name, std::uint64_t lowest,
                                      std::uint64_t highest);
    [[nodiscard]] std::optional<std::uint64_t> count_if(std::string_view name, std::uint64_t lowest,
                                                        std::uint64_t highest);
    [[nodiscard]] bool flag(std::string_view name);  // False if missing.
    [[nodiscard]] model::PhoneNumber device();
    /// Null if missing, or no object; only the second is wrong.
    [[nodiscard]] const boost::json::object* object_if(std::string_view name);

    /// Marks the field as wrong, unless an earlier one is.
    void refuse(std::string_view name);
    [[nodiscard]] const std::string& wrong() const noexcept { return wrong_; }

private:
    [[nodiscard]] const boost::json::value* find(std::string_view name) const;

    const boost::json::object& object_;
    std::string wrong_;
};

}  // namespace merpati::connector::process
