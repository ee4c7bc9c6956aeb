// The webhook of a device: the URL that gets its events.
#include "api/manage/engine/callback_url.hpp"
#include "api/manage/engine/entity_tag.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/views.hpp"

namespace merpati::api::manage::device_webhook {
namespace {

using boost::json::value;

boost::json::object view_webhook(const model::Device& device) {
    return {{"number", device.number.text()}, {"url", text_or_null(device.webhook_url)}};
}

Result<value> set(const Context& context, const Call& call, const std::string& url) {
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<model::Device> {
            const auto device = matching(call, find_device(tables, call, call.id), view_webhook);
            if (!device) {
                return pass(device);
            }
            return tables.update_device(device->number, {.webhook_url = url, .pace = {}});
        },
        view_webhook);
}

}  // namespace

Result<value> show(const Context& context, Call& call) {
    const auto device = find_named_device(context, call);
    if (!device) {
        return pass(device);
    }
    return view_webhook(**device);
}

Result<value> put(const Context& context, Call& call) {
    const auto url = call.fields.required_text("url", url_bytes_max);
    check_callback_url(call.fields, "url", url, context);
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    return set(context, call, url);
}

Result<value> remove(const Context& context, Call& call) {
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    return set(context, call, "");
}

}  // namespace merpati::api::manage::device_webhook
