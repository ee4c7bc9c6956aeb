// Asks a device's platform whether a recipient is registered.
#include <utility>

#include "admission/checks.hpp"
#include "api/manage/handlers.hpp"
#include "api/manage/lookup.hpp"
#include "api/manage/views.hpp"

namespace merpati::api::manage::devices {

Result<Begin> check_recipient(const Context& context, Call& call) {
    auto number = call.fields.required_text("number", 32);
    if (!number.empty() && !admission::recipient_possible(number)) {
        call.fields.mistake("number",
                            "must be a number in international format: 8 to 15 digits that begin "
                            "with a country code, no + and no 0 before them");
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
