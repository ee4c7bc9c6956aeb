// Which messages a call asks for.
#pragma once

#include <optional>
#include <string>

#include "api/manage/call.hpp"
#include "api/manage/context.hpp"
#include "store/message_filter.hpp"

namespace merpati::api::manage {

/// The filters of a list or an export of messages: account, state, to, device, code, source, since,
/// until and text.
class MessageFilters {
public:
    /// Takes them. Their mistakes are told by the fields' `finish`.
    explicit MessageFilters(Fields& fields);

    /// Names the list that they make: a cursor of it fits no other one.
    [[nodiscard]] const std::string& list() const noexcept { return list_; }

    /// After `finish`. Whoever sees numbers masked may not look for one: the answer would tell what
    /// the mask hides. Errors: those of find_owner; forbidden.
    [[nodiscard]] Result<store::MessageFilter> of(const Context& context, const Call& call) const;

private:
    void note(std::string_view name, std::string_view value);

    store::MessageFilter filter_;
    std::optional<std::string> account_;
    std::string list_ = "messages";
};

}  // namespace merpati::api::manage
