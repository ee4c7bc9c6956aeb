// The connectors of this server, for those who choose one for a device.
#include <algorithm>

#include "api/manage/devices/device_control.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/views.hpp"
#include "model/connector.hpp"

namespace merpati::api::manage::connectors {
namespace {

using boost::json::value;

boost::json::object view(const ConnectorFacts& facts, const Context& context, bool may_choose) {
    const auto kind = model::kind_of_connector(facts.name);
    const auto official = model::is_official(kind);
    return {{"name", facts.name},
            {"kind", model::to_string(kind)},
            {"simulated", kind == model::ConnectorKind::simulated},
            {"official", value_or_null(official)},
            {"default", facts.name == context.default_connector},
            {"pairing", boost::json::array(facts.pairing.begin(), facts.pairing.end())},
            {"running", facts.trouble.empty()},
            {"trouble", text_or_null(facts.trouble)},
            {"may_choose", may_choose}};
}

}  // namespace

bool may_choose(const Context& context, const Call& call, std::string_view name) {
    const auto& offered = context.offered_connectors;
    return offered.empty() || call.principal.is_administrator() ||
           std::ranges::find(offered, name) != offered.end();
}

Result<value> list(const Context& context, Call& call) {
    const auto account = call.fields.account();
    const auto owner = find_owner(context, call, account);
    if (!owner) {
        return pass(owner);
    }
    const bool may_add = !*owner || call.principal.permits(**owner, model::Scope::devices_manage);
    boost::json::array items;
    for (const auto& facts : context.devices.connectors()) {
        items.push_back(view(facts, context, may_add && may_choose(context, call, facts.name)));
    }
    return page(std::move(items));
}

}  // namespace merpati::api::manage::connectors
