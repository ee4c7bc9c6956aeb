// Media hosts with requests in flight when the process died.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/clock.hpp"
#include "base/under_way_file.hpp"

namespace merpati::media {

/// One of these hosts may have sent what crashed the process, so requests to them are put off after
/// a crash.
///
/// Operation: `begin` and `end` record each request's host in a file (base/under_way_file.hpp). The
/// next start puts off the hosts that it finds there.
///
/// Limits: if the file is missing or cannot be used, nothing is put off; all else works.
///
/// Threads: its owner's.
class SuspectHosts {
public:
    /// `file` empty: no file. `requests_max`: the largest number of requests in flight. `on_error`
    /// may be empty; it is called, from here, if the file cannot be used.
    SuspectHosts(const std::string& file, std::size_t requests_max, SteadyTime now,
                 const std::function<void(const Error&)>& on_error);

    /// When requests to this host may begin; nothing: now.
    [[nodiscard]] std::optional<SteadyTime> put_off_until(const std::string& host,
                                                          SteadyTime now) const;

    void begin(const std::string& host);
    void end(const std::string& host);

    /// Call when the process ends in order: the hosts that were found are no longer suspected.
    void clear();

private:
    struct UnderWay {
        std::size_t name = 0;
        std::size_t requests = 0;
    };

    std::optional<UnderWayFile> file_;
    std::unordered_map<Uuid, SteadyTime> put_off_;
    std::unordered_map<std::string, UnderWay> under_way_;
};

}  // namespace merpati::media
