// Fields of a line, each judged as it is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "model/ids.hpp"

namespace merpati::connector::process {

/// Reads all fields, then asks for `wrong`: the first that is missing, of a wrong type or out of
/// its bounds. Values after that mean nothing. `null` counts as left out.
///
/// Threads: none. `object` must outlive it.
class Fields {
public:
    explicit Fields(const boost::json::object& object) : object_(object) {}

    /// Of at most `bytes_max` bytes.
    [[nodiscard]] std::string text(std::string_view name, std::size_t bytes_max);
    [[nodiscard]] std::string text_or_empty(std::string_view name, std::size_t bytes_max);
    /// Printable ASCII.
    [[nodiscard]] std::string code_or_empty(std::string_view name);
    /// The text, cut where it is longer; empty where it is none.
    [[nodiscard]] std::string words(std::string_view name, std::size_t bytes_max) const;
    [[nodiscard]] std::uint64_t count(std::string_view name, std::uint64_t lowest,
                                      std::uint64_t highest);
    [[nodiscard]] std::optional<std::uint64_t> count_if(std::string_view name, std::uint64_t lowest,
                                                        std::uint64_t highest);
    [[nodiscard]] bool flag(std::string_view name);  // False where it is left out.
    [[nodiscard]] model::PhoneNumber device();
    /// Null where it is left out, or no object.
    [[nodiscard]] const boost::json::object* object_if(std::string_view name);

    void refuse(std::string_view name);
    [[nodiscard]] const std::string& wrong() const noexcept { return wrong_; }

private:
    [[nodiscard]] const boost::json::value* find(std::string_view name) const;

    const boost::json::object& object_;
    std::string wrong_;
};

}  // namespace merpati::connector::process
