// Records as the catalogue shows them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "admission/principal.hpp"
#include "base/clock.hpp"
#include "base/encoding.hpp"
#include "model/account.hpp"
#include "model/device.hpp"
#include "model/scope.hpp"
#include "store/reader.hpp"

namespace merpati::api::manage {

/// Without the webhook secret, which is shown only when it is made.
[[nodiscard]] boost::json::object view(const model::Account& account);

/// `now` decides whether its state is active or expired.
[[nodiscard]] boost::json::object view(const model::ApiKey& key, Timestamp now);

[[nodiscard]] boost::json::object view(const model::Device& device);

/// Without the message's text. The recipient is masked if the viewer may not see it.
[[nodiscard]] boost::json::object view(const store::MessageRecord& record,
                                       const admission::Principal& viewer);

[[nodiscard]] boost::json::object view(const store::QueuedCallback& callback);

/// "whsec_" and the secret in base64, as Standard Webhooks writes it.
[[nodiscard]] std::string webhook_secret_text(const Bytes& secret);

/// The text, or null where it is empty.
[[nodiscard]] inline boost::json::value text_or_null(std::string_view text) {
    return text.empty() ? boost::json::value(nullptr)
                        : boost::json::value(boost::json::string_view{text.data(), text.size()});
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
