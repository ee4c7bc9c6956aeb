// The items of one page of a list.
#pragma once

#include <cstddef>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

namespace merpati::api::manage {

/// Bounds what an answer that its client does not read may hold.
///
/// Limits: items of `bytes_max` bytes of JSON together, but always one.
///
/// Threads: none.
class PageItems {
public:
    static constexpr std::size_t bytes_max = 256UL * 1024;

    /// False: the item was not added, because the page would become too large.
    [[nodiscard]] bool add(boost::json::value item);

    [[nodiscard]] std::size_t count() const noexcept { return items_.size(); }
    [[nodiscard]] boost::json::array take() noexcept { return std::exchange(items_, {}); }

private:
    boost::json::array items_;
    std::size_t bytes_ = 0;
};

/// How many bytes boost::json::serialize writes for the value, or a few more.
[[nodiscard]] std::size_t json_bytes(const boost::json::value& value) noexcept;

}  // namespace merpati::api::manage
