// Uploads files to the platform, and remembers the ids that it gave them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/shared_cache.hpp"
#include "connector/cloud/codec/media_kinds.hpp"
#include "connector/cloud/graph/graph_client.hpp"
#include "connector/cloud/number/number.hpp"
#include "connector/patient_secrets.hpp"
#include "media/file_source.hpp"

namespace merpati::connector::cloud {

/// Operation: each content is uploaded once for a number. Its id is used for kept_for, a day less
/// than the platform keeps it. Messages that need the same content at the same time wait for one
/// upload.
///
/// Time: an upload ends after GraphOptions::answer_within, as every request. Nothing was sent then,
/// so the message is tried again later. Until then it has its place in the window of its lane,
/// whose other messages go on.
///
/// Restarts: an id that was used twice is kept among the number's secrets, so that a campaign's
/// file is not uploaded anew after a restart; a file that one message has is not worth a commit.
/// The last kept_max ids are kept, each in a value of its own, whose names repeat in turn.
///
/// Threads: one. Limits: remembered_max ids in memory, shared among numbers (SharedCache).
class Uploads {
public:
    static constexpr std::chrono::hours kept_for{29 * 24};
    static constexpr std::size_t remembered_max = 20'000;
    static constexpr std::size_t kept_max = 32;

    struct Rooms {
        const Clock& clock;
        GraphClient& graph;
        PatientSecrets::Later later;
        std::function<void(std::move_only_function<void()>)> post;
    };
    explicit Uploads(Rooms rooms)
        : rooms_(std::move(rooms)), secrets_(rooms_.later), ids_(remembered_max) {}

    void begin(DeviceSecrets& secrets) { secrets_.begin(secrets); }

    struct Uploaded {
        std::string id;       // Empty: `answer` says why.
        bool reused = false;  // It was uploaded for an earlier message.
        GraphAnswer answer;
    };
    using Done = std::move_only_function<void(Uploaded)>;
    /// `file` must stay until `done`.
    void find(const Access& access, const media::File& file, const MediaKind& kind, Done done);

    /// The platform refuses this id of the content.
    void drop(const Access& access, const media::File& file, const MediaKind& kind,
              const std::string& id);
    void forget(model::PhoneNumber number);

private:
    struct Entry {
        std::string id;
        Timestamp until;       // By the wall clock.
        bool is_kept = false;  // Among the number's secrets, or it was not worth it.
        bool refused = false;  // By the platform: upload the content anew.
    };
    /// What was kept of one number.
    struct Kept {
        bool is_read = false;
        std::vector<std::move_only_function<void()>> waiting;  // For the reading.
        std::size_t next = 0;                                  // The value that is replaced next.
    };
    using Key = std::pair<std::string, std::string>;  // The number's id, the content.

    void read_kept(const Access& access, std::move_only_function<void()> then);
    void take_kept(const Access& access, const Result<DeviceSecrets::Values>& values);
    void look_up(const Access& access, const std::string& content, Done& done);
    void upload(const Access& access, const media::File& file, const MediaKind& kind,
                const std::string& content, Done done);
    void add(const Access& access, const std::string& content, const std::string& id);
    void keep(const Access& access, const std::string& content, const Entry& entry);

    const Rooms rooms_;
    PatientSecrets secrets_;
    SharedCache<std::string, std::string, Entry> ids_;  // Of a number's id and a content.
    std::unordered_map<model::PhoneNumber, Kept> kept_;
    std::map<Key, std::vector<Done>> under_way_;
};

}  // namespace merpati::connector::cloud
