#include "connector/cloud/sending/uploads.hpp"

#include <optional>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "connector/cloud/codec/json_reading.hpp"
#include "connector/cloud/codec/webhook_events.hpp"

namespace merpati::connector::cloud {
namespace {

namespace json = boost::json;

constexpr std::size_t media_id_bytes = 64;

std::string content_of(const media::File& file, const MediaKind& kind) {
    return fmt::format("{}:{}", file.sha256, kind.sent_as);
}

std::string name_of_kept(std::size_t place) {
    return fmt::format("upload.{}", place);
}

}  // namespace

void Uploads::find(const Access& access, const media::File& file, const MediaKind& kind,
                   Done done) {
    read_kept(access, [this, access, &file, &kind, done = std::move(done)]() mutable {
        const auto content = content_of(file, kind);
        look_up(access, content, done);
        if (done) {
            upload(access, file, kind, content, std::move(done));
        }
    });
}

/// Answers with the id of an earlier upload, if there is one.
void Uploads::look_up(const Access& access, const std::string& content, Done& done) {
    auto* entry = ids_.find(access.id, content);
    if (entry == nullptr || entry->refused) {
        return;
    }
    if (entry->until <= rooms_.clock.now()) {
        ids_.erase(access.id, content);
        return;
    }
    if (!std::exchange(entry->is_kept, true)) {
        keep(access, content, *entry);
    }
    std::exchange(done, {})({.id = entry->id, .reused = true, .answer = {}});
}

void Uploads::upload(const Access& access, const media::File& file, const MediaKind& kind,
                     const std::string& content, Done done) {
    const Key key{access.id, content};
    auto& waiting = under_way_[key];
    waiting.push_back(std::move(done));
    if (waiting.size() > 1) {
        return;
    }
    rooms_.graph.upload(
        access.id, access.id + "/media", access.token,
        {.path = file.path, .bytes = file.bytes, .type = kind.sent_as},
        [this, access, key](GraphAnswer answer) {
            Uploaded uploaded{.id = {}, .answer = std::move(answer)};
            if (uploaded.answer.is_fine()) {
                uploaded.id = find_text(uploaded.answer.body, "id", media_id_bytes + 1);
                uploaded.id = is_media_id(uploaded.id) ? uploaded.id : std::string{};
            }
            if (!uploaded.id.empty()) {
                add(access, key.second, uploaded.id);
            }
            auto all = std::move(under_way_.extract(key).mapped());
            for (auto& one : all) {
                one({.id = uploaded.id, .reused = false, .answer = uploaded.answer});
            }
        });
}

/// An id that replaces a kept one is kept at once: otherwise a restart would bring back the old
/// one.
void Uploads::add(const Access& access, const std::string& content, const std::string& id) {
    const auto* former = ids_.find(access.id, content);
    const bool replaces = former != nullptr && former->refused && former->is_kept;
    const Entry entry{
        .id = id, .until = rooms_.clock.now() + kept_for, .is_kept = replaces, .refused = false};
    ids_.put(access.id, content, entry);
    if (replaces) {
        keep(access, content, entry);
    }
}

void Uploads::drop(const Access& access, const media::File& file, const MediaKind& kind,
                   const std::string& id) {
    const auto content = content_of(file, kind);
    // Another message may have uploaded it anew meanwhile.
    if (auto* entry = ids_.find(access.id, content); entry != nullptr && entry->id == id) {
        entry->refused = true;
    }
}

void Uploads::forget(model::PhoneNumber number) {
    auto forgotten = kept_.extract(number);
    if (!forgotten.empty()) {
        for (auto& then : forgotten.mapped().waiting) {
            then();
        }
    }
}

/// Reads once what earlier runs have kept of the number.
void Uploads::read_kept(const Access& access, std::move_only_function<void()> then) {
    auto& kept = kept_[access.ref.number];
    if (kept.is_read) {
        then();
        return;
    }
    kept.waiting.push_back(std::move(then));
    if (kept.waiting.size() > 1) {
        return;
    }
    std::vector<std::string> names;
    for (std::size_t place = 0; place < kept_max; ++place) {
        names.push_back(name_of_kept(place));
    }
    secrets_.get(
        access.ref, std::move(names), [] { return true; },
        [this, access](Result<DeviceSecrets::Values> values) {
            rooms_.post([this, access, values = std::move(values)] { take_kept(access, values); });
        });
}

void Uploads::take_kept(const Access& access, const Result<DeviceSecrets::Values>& values) {
    auto& kept = kept_[access.ref.number];
    kept.is_read = true;
    Timestamp latest{};
    for (std::size_t place = 0; values && place < values->size(); ++place) {
        const auto& value = values->at(place).second;
        const auto entry =
            value ? parse_object({reinterpret_cast<const char*>(value->data()), value->size()})
                  : std::nullopt;
        const auto until = entry ? find_number(*entry, "until") : std::nullopt;
        if (!until) {
            continue;
        }
        const auto id = find_text(*entry, "id", media_id_bytes + 1);
        const auto ends = from_unix_millis(*until);
        const auto content = find_text(*entry, "content", 256);
        const auto* other = ids_.find(access.id, content);  // It has replaced this, or the reverse.
        if (is_media_id(id) && (other == nullptr || other->until < ends)) {
            ids_.put(access.id, content, {.id = id, .until = ends, .is_kept = true});
        }
        if (ends >= latest) {
            latest = ends;
            kept.next = (place + 1) % kept_max;
        }
    }
    for (auto& then : std::exchange(kept.waiting, {})) {
        then();
    }
}

void Uploads::keep(const Access& access, const std::string& content, const Entry& entry) {
    auto& kept = kept_[access.ref.number];
    const auto text = json::serialize(json::object{
        {"content", content}, {"id", entry.id}, {"until", to_unix_millis(entry.until)}});
    const auto bytes = as_bytes(text);
    secrets_.put(
        access.ref, {{name_of_kept(kept.next), Bytes{bytes.begin(), bytes.end()}}},
        [] { return true; },
        [](const Result<void>& /*stored*/) {
            // At worst the file is uploaded anew after a restart.
        });
    kept.next = (kept.next + 1) % kept_max;
}

}  // namespace merpati::connector::cloud
