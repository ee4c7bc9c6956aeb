#include "connector/cloud/sending/last_inbound.hpp"

#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "base/encoding.hpp"
#include "connector/cloud/codec/json_reading.hpp"
#include "model/outcome.hpp"

namespace merpati::connector::cloud {
namespace {

namespace json = boost::json;

constexpr std::size_t person_bytes_max = 128;  // Of one that is kept.

std::string name_of_page(std::size_t place) {
    return fmt::format("inbound.{}", place);
}

/// A person as the platform writes them in what it reports.
std::string person_of(std::string_view recipient) {
    return std::string{recipient.starts_with('+') ? recipient.substr(1) : recipient};
}

/// Names the device, and no later one with its number.
std::string device_of(const DeviceRef& number) {
    auto text = number.number.text();
    if (number.identity) {
        text += fmt::format(" {} {}", number.identity->account.value,
                            to_unix_millis(number.identity->created_at));
    }
    return text;
}

}  // namespace

void LastInbound::note(const DeviceRef& number, std::string_view sender, std::string id) {
    const Written written{
        .sender = person_of(sender), .id = std::move(id), .at = rooms_.clock.now()};
    remember(number, written);
    if (written.sender.size() > person_bytes_max) {
        return;
    }
    auto& page = page_of(number);
    add(page, written);
    page.has_changed = true;
    if (!page.is_read) {
        if (page.people.size() > page_max) {
            page.people.erase(page.people.begin());
        }
        read(page);
    } else {
        keep_later(page);
    }
}

void LastInbound::find(const DeviceRef& number, std::string_view recipient, Found found) {
    auto person = person_of(recipient);
    const auto* known = last_.find(device_of(number), person);
    auto& page = page_of(number);
    if (known != nullptr || page.is_read) {
        found(known == nullptr ? std::string{} : known->id);
        return;
    }
    page.waiting.push_back([this, device = device_of(number), person = std::move(person),
                            found = std::move(found)]() mutable {
        const auto* known_now = last_.find(device, person);
        found(known_now == nullptr ? std::string{} : known_now->id);
    });
    read(page);
}

void LastInbound::forget(model::PhoneNumber number) {
    auto forgotten = pages_.extract(number);
    if (!forgotten.empty()) {
        for (auto& then : forgotten.mapped().waiting) {
            then();
        }
    }
}

void LastInbound::keep_all() {
    for (auto& [number, page] : pages_) {
        if (page.is_read && page.has_changed) {
            keep(page);
        }
    }
}

LastInbound::Page& LastInbound::page_of(const DeviceRef& number) {
    auto& page = pages_[number.number];
    page.number = number;
    return page;
}

/// Reads once what earlier runs have kept.
void LastInbound::read(Page& page) {
    if (std::exchange(page.is_reading, true)) {
        return;
    }
    std::vector<std::string> names;
    for (std::size_t place = 0; place < pages_max; ++place) {
        names.push_back(name_of_page(place));
    }
    secrets_.get(
        page.number, std::move(names), [] { return true; },
        [this, number = page.number](Result<DeviceSecrets::Values> values) {
            rooms_.post([this, number, values = std::move(values)] { take(number, values); });
        });
}

/// Goes on with the latest page. What came meanwhile is later than all that is read.
void LastInbound::take(const DeviceRef& number, const Result<DeviceSecrets::Values>& values) {
    const auto found = pages_.find(number.number);
    if (found == pages_.end() || found->second.is_read ||
        found->second.number.identity != number.identity) {
        return;
    }
    auto& page = found->second;
    page.is_read = true;
    const auto meanwhile = std::exchange(page.people, {});
    Timestamp latest{};
    for (std::size_t place = 0; values && place < values->size(); ++place) {
        if (const auto& value = values->at(place).second) {
            take_page(page, place, {reinterpret_cast<const char*>(value->data()), value->size()},
                      latest);
        }
    }
    for (const auto& written : meanwhile) {
        if (page.people.size() >= page_max) {
            keep(page);
        }
        add(page, written);
        page.has_changed = true;
    }
    if (page.has_changed) {
        keep_later(page);
    }
    for (auto& then : std::exchange(page.waiting, {})) {
        then();
    }
}

void LastInbound::take_page(Page& page, std::size_t place, std::string_view text,
                            Timestamp& latest) {
    const auto kept = parse_object(text);
    const auto* people = kept ? find_array(*kept, "people") : nullptr;
    if (people == nullptr) {
        return;
    }
    std::vector<Written> all;
    for (const auto& value : *people) {
        const auto* one = value.if_object();
        const auto at = one == nullptr ? std::nullopt : find_number(*one, "at");
        if (!at || all.size() == page_max) {
            continue;
        }
        all.push_back({.sender = find_text(*one, "from", person_bytes_max),
                       .id = find_text(*one, "id", model::platform_id_bytes_max),
                       .at = from_unix_millis(*at)});
        remember(page.number, all.back());
    }
    if (!all.empty() && all.back().at >= latest) {
        latest = all.back().at;
        const bool is_full = all.size() >= page_max;
        page.place = is_full ? (place + 1) % pages_max : place;
        page.people = is_full ? std::vector<Written>{} : std::move(all);
    }
}

void LastInbound::remember(const DeviceRef& number, const Written& written) {
    const auto device = device_of(number);
    const auto* known = last_.find(device, written.sender);
    if (known == nullptr || known->at <= written.at) {
        last_.put(device, written.sender, {.id = written.id, .at = written.at});
    }
}

/// The latest is the last one.
void LastInbound::add(Page& page, const Written& written) {
    std::erase_if(page.people, [&](const Written& one) { return one.sender == written.sender; });
    page.people.push_back(written);
}

void LastInbound::keep_later(Page& page) {
    if (page.people.size() >= page_max) {
        keep(page);
    } else if (!std::exchange(page.is_planned, true)) {
        rooms_.after(rooms_.keep_after, [this, which = page.number.number] {
            const auto found = pages_.find(which);
            if (found == pages_.end()) {
                return;
            }
            found->second.is_planned = false;
            if (found->second.has_changed) {
                keep(found->second);
            }
        });
    }
}

/// A full page is followed by the one in which the earliest people are.
void LastInbound::keep(Page& page) {
    page.has_changed = false;
    json::array people;
    for (const auto& [sender, id, at] : page.people) {
        people.push_back({{"from", sender}, {"id", id}, {"at", to_unix_millis(at)}});
    }
    const auto text = json::serialize(json::object{{"people", std::move(people)}});
    const auto bytes = as_bytes(text);
    secrets_.put(
        page.number, {{name_of_page(page.place), Bytes{bytes.begin(), bytes.end()}}},
        [] { return true; },
        [](const Result<void>& /*stored*/) {
            // At worst typing is not shown to these people after a restart.
        });
    if (page.people.size() >= page_max) {
        page.place = (page.place + 1) % pages_max;
        page.people.clear();
    }
}

}  // namespace merpati::connector::cloud
