// The last message of each person, through which "typing" is shown to them.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "base/shared_cache.hpp"
#include "connector/connector.hpp"
#include "connector/patient_secrets.hpp"

namespace merpati::connector::cloud {

/// Operation: `note` remembers the platform's id of a message; `find` answers with the latest.
///
/// Restarts: who wrote last to a number is kept among its secrets, in pages whose names repeat in
/// turn, and read when the number first needs it. A page is written `keep_after` after it has
/// changed, when it is full, and at the end, so no message waits for it, and none costs a commit of
/// its own. A crash forgets what came in the last `keep_after`: typing is not shown to these people
/// until they write again.
///
/// Threads: one. Limits: remembered_max people in memory, shared among numbers (SharedCache);
/// pages_max pages of page_max people for each number after a restart.
class LastInbound {
public:
    static constexpr std::size_t remembered_max = 100'000;
    static constexpr std::size_t pages_max = 16;
    static constexpr std::size_t page_max = 64;

    struct Rooms {
        const Clock& clock;
        PatientSecrets::Later later;
        /// Runs a function on this class's thread.
        std::function<void(std::move_only_function<void()>)> post;
        /// Runs a function after the time.
        std::function<void(std::chrono::nanoseconds, std::move_only_function<void()>)> after;
        Millis keep_after;
    };
    explicit LastInbound(Rooms rooms)
        : rooms_(std::move(rooms)), secrets_(rooms_.later), last_(remembered_max) {}

    void begin(DeviceSecrets& secrets) { secrets_.begin(secrets); }

    /// `sender` wrote to the number.
    void note(const DeviceRef& number, std::string_view sender, std::string id);

    /// "" if the recipient has not written. Also called from within `find`.
    using Found = std::move_only_function<void(const std::string& id)>;
    void find(const DeviceRef& number, std::string_view recipient, Found found);

    void forget(model::PhoneNumber number);
    /// Keeps what is not kept yet.
    void keep_all();

private:
    struct Written {
        std::string sender;
        std::string id;
        Timestamp at;  // By the wall clock; orders what is read back.
    };
    struct Known {
        std::string id;
        Timestamp at;
    };
    /// The page of a number that is not full yet.
    struct Page {
        DeviceRef number;
        bool is_read = false;     // The earlier ones were read.
        bool is_reading = false;  // Now.
        bool has_changed = false;
        bool is_planned = false;  // It is kept after a while.
        std::size_t place = 0;
        std::vector<Written> people;
        std::vector<std::move_only_function<void()>> waiting;  // For the reading.
    };

    [[nodiscard]] Page& page_of(const DeviceRef& number);
    void read(Page& page);
    void take(const DeviceRef& number, const Result<DeviceSecrets::Values>& values);
    void take_page(Page& page, std::size_t place, std::string_view text, Timestamp& latest);
    void remember(const DeviceRef& number, const Written& written);
    void add(Page& page, const Written& written);
    void keep_later(Page& page);
    void keep(Page& page);

    const Rooms rooms_;
    PatientSecrets secrets_;
    SharedCache<std::string, std::string, Known> last_;  // By device_of and the person.
    std::unordered_map<model::PhoneNumber, Page> pages_;
};

}  // namespace merpati::connector::cloud
