// The filters of lists and exports of messages.
#pragma once

#include <optional>
#include <string>

#include "api/manage/engine/call.hpp"
#include "api/manage/engine/context.hpp"
#include "store/message_filter.hpp"

namespace merpati::api::manage {

/// The fields account, state, to, device, code, source, since, until and text.
class MessageFilters {
public:
    /// Takes the fields. `of` reports their mistakes.
    explicit MessageFilters(Fields& fields);

    /// The list's name for cursors. It depends on the filters, so that a cursor works only with the
    /// same filters.
    [[nodiscard]] const std::string& list() const noexcept { return list_; }

    /// The filter for the store. Call when all fields are taken. Errors: those of find_owner;
    /// forbidden: a caller who sees numbers masked filters by one, which would reveal it.
    [[nodiscard]] Result<store::MessageFilter> of(const Context& context, Call& call) const;

private:
    void note(std::string_view name, std::string_view value);

    store::MessageFilter filter_;
    std::optional<std::string> account_;
    std::string list_ = "messages";
};

}  // namespace merpati::api::manage
