// Records as the catalogue shows them.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "admission/principal.hpp"
#include "api/texts/language.hpp"
#include "base/clock.hpp"
#include "base/encoding.hpp"
#include "model/account.hpp"
#include "model/device.hpp"
#include "model/invitation.hpp"
#include "model/scope.hpp"
#include "store/reader.hpp"

namespace merpati::api::manage {

/// Without the webhook secret, which is shown only when it is made.
[[nodiscard]] boost::json::object view(const model::Account& account);

/// {"max","wait_ms"}, or null.
[[nodiscard]] boost::json::value view(const std::optional<model::CallbackBatch>& batch);

/// {"id","events"}, or null.
[[nodiscard]] boost::json::value view(const std::optional<model::PostedBatch>& batch);

/// `now` decides whether its state is active or expired.
[[nodiscard]] boost::json::object view(const model::ApiKey& key, Timestamp now);

/// With the reason of its state in the language.
[[nodiscard]] boost::json::object view(const model::Device& device,
                                       Language language = Language::english);

/// Without the message's text. For a viewer (sees_masked), the recipient is masked, and the
/// addresses of media and callback are null.
[[nodiscard]] boost::json::object view(const store::MessageRecord& record,
                                       const admission::Principal& viewer);

/// For a viewer, the address is null.
[[nodiscard]] boost::json::object view(const store::QueuedCallback& callback,
                                       const admission::Principal& viewer);

/// A number without its middle. Keeps the first 4 and the last 2 digits: enough to distinguish
/// recipients, too little to contact one.
[[nodiscard]] std::string masked(std::string recipient);

/// Sets the fields to null if the principal is a viewer of the account: texts of messages and
/// addresses that may hold secrets.
void hide_from_viewer(boost::json::object& shown, const admission::Principal& viewer,
                      model::AccountId account, std::initializer_list<std::string_view> fields);

/// Without its link, which is shown only when it is made.
[[nodiscard]] boost::json::object view(const model::Invitation& invitation);

/// "whsec_" and the secret in base64, as Standard Webhooks writes it.
[[nodiscard]] std::string webhook_secret_text(const Bytes& secret);

/// The text, or null where it is empty.
[[nodiscard]] inline boost::json::value text_or_null(std::string_view text) {
    return text.empty() ? nullptr : boost::json::value(text);
}

/// The text of the id, or null.
template <class Id>
[[nodiscard]] boost::json::value text_or_null(const std::optional<Id>& id) {
    return id ? boost::json::value(id->text()) : nullptr;
}

/// The value, or null.
template <class Value>
[[nodiscard]] boost::json::value value_or_null(const std::optional<Value>& given) {
    return given ? boost::json::value(*given) : nullptr;
}

/// The number, or null for 0.
template <class Number>
[[nodiscard]] boost::json::value number_or_null(Number number) {
    return number == 0 ? nullptr : boost::json::value(number);
}

/// The words of the scopes.
[[nodiscard]] boost::json::array view(model::Scopes scopes);

/// RFC 3339, or null.
[[nodiscard]] boost::json::value view(std::optional<Timestamp> time);

/// The shape of every list. `next` is the cursor of the next page, null on the last page.
[[nodiscard]] inline boost::json::object page(boost::json::array items,
                                              boost::json::value next = nullptr) {
    return {{"items", std::move(items)}, {"next", std::move(next)}};
}

}  // namespace merpati::api::manage
