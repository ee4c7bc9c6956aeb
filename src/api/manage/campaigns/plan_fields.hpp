// The fields of a campaign that people choose, as a call gives them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/manage/engine/context.hpp"
#include "api/manage/engine/fields.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "model/campaign.hpp"

namespace merpati::api::manage {

/// Operation: the constructor takes the fields; use the rest once `Fields::finish` has succeeded.
/// `apply` changes only what was given. A `message`, `variants` or `template` replaces what the
/// plan has of the three.
class PlanFields {
public:
    PlanFields(Fields& fields, const Context& context);

    /// A new plan with the given fields, and the defaults of its purpose.
    [[nodiscard]] Result<model::CampaignPlan> create(Timestamp now) const;

    /// Errors: invalid_argument (a time is in the past).
    [[nodiscard]] Result<void> apply(model::CampaignPlan& plan, Timestamp now) const;

private:
    using Edit = std::function<void(model::CampaignPlan&)>;
    /// A time, of which the plan's zone may be a part.
    struct WishedTime {
        std::string_view field;
        std::string text;  // Empty: none.
        std::optional<Timestamp> model::CampaignPlan::* place;
    };

    void edit(Edit edit) { edits_.push_back(std::move(edit)); }
    /// Takes an object, of whose fields `read` makes the part of the plan; null empties the part.
    template <class Part, class Read>
    void take_object(Fields& fields, std::string_view name, Part model::CampaignPlan::* place,
                     Read read);
    void take_content(Fields& fields);
    void take_variants(Fields& fields);
    void take_template(Fields& fields);
    void take_media(Fields& fields);
    void take_pace(Fields& fields);
    void take_quiet_hours(Fields& fields);
    void take_time_zone(Fields& fields);
    void take_time(Fields& fields, std::string_view name,
                   std::optional<Timestamp> model::CampaignPlan::* place);
    void take_exclusion(Fields& fields);
    void take_frequency(Fields& fields);
    void take_stop_rules(Fields& fields);
    void take_consent(Fields& fields);

    std::optional<model::Purpose> purpose_;
    std::vector<Edit> edits_;
    std::vector<WishedTime> times_;
};

/// Takes a list of 1 to `most` numbers, as people type them.
[[nodiscard]] std::optional<std::vector<model::PhoneNumber>> take_numbers(Fields& fields,
                                                                          std::string_view name,
                                                                          std::size_t most);

/// Takes a list of the numbers of devices, without repeats.
[[nodiscard]] std::optional<std::vector<model::PhoneNumber>> take_devices(Fields& fields);

/// Takes `pace`: its messages a minute, or none for null. Empty: it was not given.
[[nodiscard]] std::optional<std::optional<std::uint32_t>> take_per_minute(Fields& fields);

/// A time as people wish it: RFC 3339, or without an offset by the clock of the zone. Errors:
/// invalid_argument (it has another form, or is not after `now`; or there is no such zone).
[[nodiscard]] Result<Timestamp> read_wished_time(std::string_view field, std::string_view text,
                                                 std::string_view time_zone, Timestamp now);
inline constexpr std::size_t wished_time_bytes_max = 64;

}  // namespace merpati::api::manage
