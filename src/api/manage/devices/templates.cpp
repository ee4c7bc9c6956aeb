// The templates of a device's business account at the official platform.
#include <utility>
#include <vector>

#include "api/manage/devices/cloud_access.hpp"
#include "api/manage/devices/platform_control.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/views.hpp"

namespace merpati::api::manage::devices {
namespace {

using connector::MessageTemplate;

boost::json::value shown(MessageTemplate::HeaderNeed need) {
    switch (need) {
        case MessageTemplate::HeaderNeed::nothing:
            return nullptr;
        case MessageTemplate::HeaderNeed::text:
            return "text";
        case MessageTemplate::HeaderNeed::image:
            return "image";
        case MessageTemplate::HeaderNeed::video:
            return "video";
        case MessageTemplate::HeaderNeed::document:
            return "document";
    }
    return nullptr;
}

boost::json::array shown(const std::vector<MessageTemplate::Button>& buttons) {
    boost::json::array all;
    for (const auto& [kind, place, url] : buttons) {
        const bool is_url = kind == MessageTemplate::Button::Kind::url;
        all.push_back({{"place", place},
                       {"kind", is_url ? "url" : "coupon"},
                       {"url", is_url ? boost::json::value(url) : nullptr}});
    }
    return all;
}

boost::json::object shown(const MessageTemplate& one) {
    return {{"name", one.name},
            {"language", one.language},
            {"category", one.category},
            {"status", one.status},
            {"header", text_or_null(one.header_text)},
            {"header_needs", shown(one.header_need)},
            {"body", one.body},
            {"footer", text_or_null(one.footer)},
            {"variables", one.variables},
            {"buttons", shown(one.buttons)},
            {"fillable", one.is_understood},
            {"body_only", one.body_only()}};
}

LateAnswer page_of(const connector::TemplatePage& page) {
    boost::json::array items;
    for (const auto& one : page.items) {
        items.push_back(shown(one));
    }
    return {.value = {{"items", std::move(items)}, {"next", text_or_null(page.next)}}};
}

}  // namespace

Result<Begin> list_templates(const Context& context, Call& call) {
    auto cursor = call.fields.text("cursor", connector::Connector::cursor_bytes_max).value_or("");
    auto device = find_named_device(context, call);
    if (!device) {
        return pass(device);
    }
    if (auto checked = check_is_cloud(**device); !checked) {
        return pass(checked);
    }
    auto access = access_of(context, **device, {});
    if (!access) {
        return pass(access);
    }
    if (auto known = check_business_account(**device, *access); !known) {
        return pass(known);
    }
    return [&platform = context.platform, device = *std::move(device), access = *std::move(access),
            cursor = std::move(cursor)](Answered answered) mutable {
        platform.list_templates(
            *device, std::move(access), std::move(cursor),
            [answered = std::move(answered)](const Result<connector::TemplatePage>& page) mutable {
                answered(page ? Result<LateAnswer>{page_of(*page)} : pass(page));
            });
    };
}

}  // namespace merpati::api::manage::devices
