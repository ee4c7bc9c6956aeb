// Asks a device's platform whether a recipient is registered.
#include <utility>

#include "admission/checks.hpp"
#include "api/manage/devices/platform_control.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/typed_number.hpp"
#include "api/manage/engine/views.hpp"

namespace merpati::api::manage::devices {

Result<Begin> check_recipient(const Context& context, Call& call) {
    const auto typed = call.fields.required_text("number", typed_number_bytes_max);
    auto number = international(typed).value_or("");
    if (!typed.empty() && !admission::recipient_possible(number)) {
        call.fields.mistake("number", std::string{number_needed});
    }
    auto device = find_named_device(context, call);
    if (!device) {
        return pass(device);
    }
    return [&platform = context.platform, device = *std::move(device),
            number = std::move(number)](Answered answered) {
        platform.check_number(
            *device, number,
            [number, answered = std::move(answered)](
                const Result<PlatformControl::NumberCheck>& check) mutable {
                if (!check) {
                    answered(pass(check));
                    return;
                }
                answered(LateAnswer{.value = {{"number", number},
                                              {"registered", check->registered},
                                              {"checked_at", view(check->checked_at)}}});
            });
    };
}

}  // namespace merpati::api::manage::devices
