// For the cache's tests: a cache and scripted hosts.
#pragma once

#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "media/host_fixture.hpp"
#include "media/media_cache.hpp"
#include "media/samples_fixture.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::media {

struct MediaCacheTest : HostTest {
    ~MediaCacheTest() override {
        core.close();
        client.close();
    }

    struct Asked {
        std::optional<FetchResult> result;
    };
    std::shared_ptr<Asked> ask(const std::string& text,
                               model::Revision revision = model::Revision::a,
                               model::AccountId account = {1}) {
        auto asked_for = std::make_shared<Asked>();
        core.fetch(account, text, revision, [asked_for](FetchResult result) {
            EXPECT_FALSE(asked_for->result) << "answered twice";
            asked_for->result = std::move(result);
        });
        return asked_for;
    }
    FetchResult wait_for(const std::shared_ptr<Asked>& asked_for) {
        run_until([&] { return asked_for->result.has_value(); });
        return asked_for->result.value_or(FetchResult{nullptr});
    }
    FetchResult fetched(const std::string& text, model::Revision revision = model::Revision::a) {
        return wait_for(ask(text, revision));
    }

    void expect_failed(const FetchResult& result, model::StatusCode code,
                       std::string_view details) const {
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().kind, model::Outcome::Kind::failed);
        EXPECT_EQ(result.error().code, code);
        EXPECT_EQ(result.error().details, details);
        EXPECT_TRUE(files_in_folder() == kept_files()) << "something was left behind";
    }

    /// Moves the clock through all back-offs of the only fetch.
    FetchResult wait_through_back_offs(const std::shared_ptr<Asked>& asked_for) {
        std::size_t tries = 0;
        for (const int seconds : {1, 2, 4, 4}) {
            ++tries;
            run_until([&] { return heads.size() == tries && core.counts().waiting == 1; });
            clock.advance(std::chrono::seconds{seconds});
        }
        return wait_for(asked_for);
    }

    void serve_png(const std::string& path, const std::string& headers = {}) {
        serve(path, answer("200 OK", "Content-Type: image/png\r\n" + headers, png));
    }

    [[nodiscard]] static std::string content(const FilePtr& file) {
        std::ifstream stream{file->path, std::ios::binary};
        return {std::istreambuf_iterator<char>{stream}, {}};
    }
    [[nodiscard]] std::size_t files_in_folder() const {
        std::size_t count = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator{options.folder}) {
            count += entry.is_regular_file() && entry.path().filename() != "lock" ? 1U : 0U;
        }
        return count;
    }
    [[nodiscard]] std::size_t kept_files() const { return core.counts().kept_files; }

    testing::TemporaryFolder folder;
    const std::string png = sample("photo.png");
    int disk_reports = 0;
    CacheOptions options{.folder = folder.path() / "media",
                         .bytes_max = 4UL * 4096,
                         .kept_bytes_max = 4UL * 4096,
                         .kept_for = std::chrono::hours{1},
                         .limits = {.total_max = 6,
                                    .per_host_max = 2,
                                    .unproven_max = 4,
                                    .account_unproven_max = 2,
                                    .unhealthy_max = 2,
                                    .account_unhealthy_max = 1},
                         .on_disk_trouble = [this] { ++disk_reports; }};
    MediaCache core{io.get_executor(), tools,
                    CacheStorage::open(clock, {.folder = options.folder,
                                               .kept_bytes_max = options.kept_bytes_max,
                                               .kept_for = options.kept_for,
                                               .files_max = options.urls_max})
                        .value(),
                    options};
};

}  // namespace merpati::media
