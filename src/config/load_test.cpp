#include "config/load.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/reference.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::config {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

struct LoadTest : ::testing::Test {
    void write(std::string_view text) {
        std::ofstream{file} << text;
        sources.file = file;
    }

    std::string detail_of_failure() {
        const auto loaded = load(sources);
        EXPECT_FALSE(loaded);
        return loaded ? std::string{} : loaded.error().detail;
    }

    merpati::testing::TemporaryFolder folder;
    std::filesystem::path file = folder.file("merpati.toml");
    Sources sources;
};

TEST_F(LoadTest, WithoutSourcesAllIsDefault) {
    sources.working_directory = "/work";
    const auto loaded = load(sources);
    ASSERT_TRUE(loaded);
    EXPECT_EQ(loaded->settings.http.listen, std::vector<std::string>{"127.0.0.1:8080"});
    EXPECT_EQ(loaded->settings.store.url, "sqlite:/work/merpati.db");
    EXPECT_EQ(loaded->settings.store.key_file, "/work/merpati.db.key");
    EXPECT_EQ(loaded->settings.api.rate, (model::Rate{.count = 50, .period = 1s}));
    EXPECT_EQ(loaded->settings.api.revision_b.wait, 15s);
    EXPECT_EQ(loaded->settings.retention.finished, 24h * 30);
    EXPECT_TRUE(loaded->origins.empty());
    EXPECT_EQ(loaded->origin("http.listen").text, "default");
}

TEST_F(LoadTest, FlagBeatsEnvironmentBeatsFile) {
    write("[http]\nthreads = 1\nbody_max = \"32KiB\"\nconnections_max = 11\n");
    sources.environment = {{"MERPATI_HTTP__THREADS", "2"}, {"MERPATI_HTTP__BODY_MAX", "2048"}};
    sources.sets = {"http.threads=3"};
    const auto loaded = load(sources);
    ASSERT_TRUE(loaded) << loaded.error().detail;
    EXPECT_EQ(loaded->settings.http.threads, 3U);
    EXPECT_EQ(loaded->settings.http.body_max, 2048U);
    EXPECT_EQ(loaded->settings.http.connections_max, 11U);
    EXPECT_EQ(loaded->origin("http.threads").text, "--set");
    EXPECT_EQ(loaded->origin("http.body_max").text, "MERPATI_HTTP__BODY_MAX");
    EXPECT_EQ(loaded->origin("http.connections_max").text, file.string() + ":4");
}

TEST_F(LoadTest, ReadsEveryKindOfValueFromAFile) {
    write(R"(
outbound.allow = ["10.0.0.0/8", "::1"]
outbound.allow_http_callbacks = true
api.default_revision = "B"
api.revision_b = { wait = 3, respond = "accepted" }
api.rate = "none"
log = { level = "debug", format = "auto" }
simulator = { latency_ms = 0, log = "sim.jsonl" }
scheduler.give_up = "2d"
metrics.token = ""
)");
    const auto loaded = load(sources);
    ASSERT_TRUE(loaded) << loaded.error().detail;
    const auto& settings = loaded->settings;
    EXPECT_EQ(settings.outbound.allow, (std::vector<std::string>{"10.0.0.0/8", "::1"}));
    EXPECT_TRUE(settings.outbound.allow_http_callbacks);
    EXPECT_EQ(settings.api.default_revision, model::Revision::b);
    EXPECT_EQ(settings.api.revision_b.wait, 3s);
    EXPECT_EQ(settings.api.revision_b.respond, RespondWith::accepted);
    EXPECT_EQ(settings.api.rate, std::nullopt);
    EXPECT_EQ(settings.log.level, telemetry::Level::debug);
    EXPECT_EQ(settings.log.format, std::nullopt);
    EXPECT_EQ(settings.simulator.latency_ms, 0ms);
    EXPECT_EQ(settings.simulator.log, file.parent_path() / "sim.jsonl");
    EXPECT_EQ(settings.scheduler.give_up, 48h);
    EXPECT_EQ(settings.metrics.token, std::nullopt);
}

TEST_F(LoadTest, ListsArePartedByCommasOutsideTheFile) {
    sources.environment = {{"MERPATI_HTTP__LISTEN", "127.0.0.1:1, [::1]:2"}};
    sources.sets = {"outbound.allow="};
    const auto loaded = load(sources);
    ASSERT_TRUE(loaded) << loaded.error().detail;
    EXPECT_EQ(loaded->settings.http.listen, (std::vector<std::string>{"127.0.0.1:1", "[::1]:2"}));
    EXPECT_TRUE(loaded->settings.outbound.allow.empty());
}

TEST_F(LoadTest, AWrongListIsToldHowItIsWrittenInItsPlace) {
    sources.environment = {{"MERPATI_HTTP__LISTEN", "\"127.0.0.1:1\""}};
    sources.sets = {R"(outbound.allow=["127.0.0.0/8"])"};
    const auto elsewhere = detail_of_failure();
    EXPECT_THAT(elsewhere, HasSubstr("ranges such as 10.20.0.0/16, 0 to 256 of them, not "
                                     "'[\"127.0.0.0/8\"]'; write it as 10.20.0.0/16,::1"));
    EXPECT_THAT(elsewhere, HasSubstr("; write it as 127.0.0.1:8080,[::1]:8080"));
    sources = {};
    write("http.listen = \"127.0.0.1\"\n");
    const auto in_file = detail_of_failure();
    EXPECT_THAT(in_file, HasSubstr("; write it as [\"127.0.0.1:8080\", \"[::1]:8080\"]"));
}

TEST_F(LoadTest, EveryMistakeIsNamedWithItsPlaceAndTheNearestKey) {
    write("[http]\nlisen = \"127.0.0.1:1\"\nthreads = 300\n\n[colour]\nsky = 1\n");
    sources.environment = {{"MERPATI_STORE__URI", "sqlite:x"}};
    sources.sets = {"log.level=loud", "threads=2", "nonsense"};
    const auto detail = detail_of_failure();
    EXPECT_THAT(detail, HasSubstr(file.string() +
                                  ":2: 'http.lisen': no such setting; did you mean http.listen?"));
    EXPECT_THAT(detail, HasSubstr(file.string() +
                                  ":3: http.threads must be a whole number, 0 to 256, not '300'"));
    EXPECT_THAT(detail, HasSubstr(file.string() + ":6: 'colour.sky': no such setting\n"));
    EXPECT_THAT(detail, HasSubstr("'MERPATI_STORE__URI': no such setting; did you mean "
                                  "MERPATI_STORE__URL?"));
    EXPECT_THAT(detail, HasSubstr("--set: log.level must be one of \"debug\", \"info\", \"warn\", "
                                  "\"error\", not 'loud'"));
    EXPECT_THAT(detail, HasSubstr("--set 'threads': no such setting; did you mean http.threads?"));
    EXPECT_THAT(detail, HasSubstr("--set 'nonsense': write it as KEY=VALUE"));
}

TEST_F(LoadTest, AValueOfAnotherFormIsRefused) {
    write(
        "http.threads = [\"2\"]\nlog.level = 1\nstore.url = true\nsimulator.dedupe = 1\n"
        "http.listen = 8080\nhttp.body_timeout = 1.5\nretention.finished = \"500ms\"\n");
    const auto detail = detail_of_failure();
    for (const auto* place :
         {":1: http.threads", ":2: log.level", ":3: store.url", ":4: simulator.dedupe",
          ":5: http.listen", ":6: http.body_timeout", ":7: retention.finished"}) {
        EXPECT_THAT(detail, HasSubstr(place));
    }
}

TEST_F(LoadTest, ATableWhereAValueBelongsIsRefused) {
    write("[http.listen]\naddress = \"127.0.0.1:1\"\n");
    EXPECT_THAT(detail_of_failure(), HasSubstr(":2: 'http.listen.address': no such setting"));
}

TEST_F(LoadTest, VariablesThatAreNoSettingsAreIgnored) {
    sources.environment = {{"MERPATI_CONFIG", "x"},
                           {"MERPATI_", ""},
                           {"HOME__X", "y"},
                           {"merpati_http__threads", "1"}};
    EXPECT_TRUE(load(sources));
}

TEST_F(LoadTest, MistakesNeverQuoteSecretsNorBreakLines) {
    sources.sets = {"metrics.token=short-secret", "store.url=mysql://u:hidden@h/d",
                    "log.level=a\nb\x1b[31m"};
    const auto detail = detail_of_failure();
    EXPECT_THAT(detail, Not(HasSubstr("short-secret")));
    EXPECT_THAT(detail, Not(HasSubstr("hidden")));
    EXPECT_THAT(detail, HasSubstr("'a?b?[31m'"));
    EXPECT_EQ(std::ranges::count(detail, '\n'), 2);
}

TEST_F(LoadTest, MistakesAreBoundedInNumber) {
    std::string text;
    for (int turn = 0; turn < 1000; ++turn) {
        text += "unknown_" + std::to_string(turn) + " = 1\n";
    }
    write(text);
    const auto detail = detail_of_failure();
    EXPECT_EQ(std::ranges::count(detail, '\n'), 20);
    EXPECT_THAT(detail, HasSubstr("and 980 more"));
}

TEST_F(LoadTest, CertificateAndKeyComeTogether) {
    sources.sets = {"http.tls.key=k.pem"};
    EXPECT_THAT(detail_of_failure(), HasSubstr("http.tls.key needs http.tls.certificate"));
    sources.sets = {"http.tls.certificate=c.pem"};
    EXPECT_THAT(detail_of_failure(), HasSubstr("http.tls.certificate needs http.tls.key"));
    sources.sets = {"http.tls.certificate=c.pem", "http.tls.key=k.pem"};
    EXPECT_TRUE(load(sources));
}

TEST_F(LoadTest, BoundsThatContradictEachOtherAreRefused) {
    sources.sets = {"scheduler.retry_first=1h", "callback.per_origin_max=300",
                    "media.max_bytes=2GiB"};
    const auto detail = detail_of_failure();
    EXPECT_THAT(detail, HasSubstr("scheduler.retry_first must not be longer"));
    EXPECT_THAT(detail, HasSubstr("callback.per_origin_max must not be above"));
    EXPECT_THAT(detail, HasSubstr("media.max_bytes must not be above media.kept_bytes_max"));
}

TEST_F(LoadTest, AConnectorThatThisVersionDoesNotHaveIsRefused) {
    sources.connectors = {"simulator", "other"};
    sources.sets = {"devices.default_connector=other"};
    EXPECT_EQ(load(sources)->settings.devices.default_connector, "other");
    sources.sets = {"devices.default_connector=linked"};
    EXPECT_THAT(detail_of_failure(), HasSubstr("--set: devices.default_connector is 'linked'"));
    sources.sets.clear();
    write("# one\n[devices]\ndefault_connector = \"cloud\"\n");
    const auto detail = detail_of_failure();
    EXPECT_THAT(detail, HasSubstr(file.string() + ":3: devices.default_connector is 'cloud'"));
    EXPECT_THAT(detail, HasSubstr("it has simulator, other"));
}

TEST_F(LoadTest, AWorkerIsNamedByTheOperator) {
    sources.working_directory = "/work";
    sources.connectors = {"simulator", "linked"};
    sources.environment = {{"MERPATI_WORKERS__OTHER__COMMAND", "./other,--fast"}};
    sources.sets = {"devices.default_connector=echo"};
    write(
        "[workers]\nmemory_max = \"128MiB\"\n"
        "[workers.echo]\ncommand = [\"python3\", \"w.py\"]\n");
    const auto loaded = load(sources);
    ASSERT_TRUE(loaded) << loaded.error().detail;
    const auto& workers = loaded->settings.workers;
    EXPECT_EQ(workers.memory_max, std::uint64_t{128} << 20);
    ASSERT_EQ(workers.by_name.size(), 2U);
    EXPECT_EQ(workers.by_name.at("echo").command, (std::vector<std::string>{"python3", "w.py"}));
    EXPECT_EQ(workers.by_name.at("echo").folder, file.parent_path() / "");
    EXPECT_EQ(workers.by_name.at("other").folder, "/work/");
    EXPECT_THAT(show_text(*loaded), HasSubstr("workers.echo.command           = python3,w.py  ("));
}

TEST_F(LoadTest, AWorkerNeedsANameOfItsOwnAndAProgram) {
    sources.connectors = {"simulator", "linked"};
    write("[workers.linked]\ncommand = [\"python3\"]\n");
    EXPECT_THAT(detail_of_failure(), HasSubstr("workers.linked.command: there is a connector"));
    write("[workers.Echo]\ncommand = [\"python3\"]\n");
    EXPECT_THAT(detail_of_failure(), HasSubstr("'workers.Echo.command': no such setting"));
    write("[workers.echo]\ncommand = []\n");
    EXPECT_THAT(detail_of_failure(), HasSubstr("workers.echo.command must be a program"));
    write("[workers.echo]\nprogram = \"python3\"\n");
    EXPECT_THAT(detail_of_failure(), HasSubstr("no such setting"));
}

TEST_F(LoadTest, AWorkerBehindASocketNeedsNoProgram) {
    sources.environment = {{"MERPATI_WORKERS__OTHER__SOCKET", "/run/other.sock"}};
    write("[linked]\nsocket = \"l.sock\"\n[workers.echo]\nsocket = \"run/echo.sock\"\n");
    const auto loaded = load(sources);
    ASSERT_TRUE(loaded) << loaded.error().detail;
    const auto& settings = loaded->settings;
    EXPECT_EQ(settings.linked.socket, file.parent_path() / "l.sock");
    EXPECT_EQ(settings.workers.by_name.at("echo").socket, file.parent_path() / "run/echo.sock");
    EXPECT_EQ(settings.workers.by_name.at("other").socket, "/run/other.sock");
    EXPECT_THAT(show_text(*loaded), HasSubstr("workers.other.socket           = /run/other.sock"));
    write("[workers.echo]\nsocket = \"/run/echo.sock\"\ncommand = [\"python3\"]\n");
    EXPECT_THAT(detail_of_failure(), HasSubstr("workers.echo needs a command or a socket"));
}

TEST_F(LoadTest, LinkedDevicesConnectInTheClearToThisMachineAlone) {
    for (const auto* url : {"ws://127.0.0.1:5222/ws", "ws://[::1]:1", "wss://example.com/ws"}) {
        sources.sets = {std::string{"linked.url="} + url};
        EXPECT_TRUE(load(sources)) << url;
    }
    for (const auto* url : {"ws://example.com", "ws://127.0.0.1.example.com", "http://127.0.0.1"}) {
        sources.sets = {std::string{"linked.url="} + url};
        EXPECT_FALSE(load(sources)) << url;
    }
}

TEST_F(LoadTest, TheKeyFileLiesBesideTheStoreUnlessItIsNamed) {
    sources.sets = {"store.url=sqlite:/data/m.db"};
    EXPECT_EQ(load(sources)->settings.store.key_file, "/data/m.db.key");
    sources.sets.emplace_back("store.key_file=/etc/merpati.key");
    EXPECT_EQ(load(sources)->settings.store.key_file, "/etc/merpati.key");
}

TEST_F(LoadTest, MediaLieBesideTheStoreUnlessTheirFolderIsNamed) {
    sources.sets = {"store.url=sqlite:/data/m.db"};
    EXPECT_EQ(load(sources)->settings.media.folder, "/data/m.db-media");
    sources.sets.emplace_back("media.folder=/var/cache/merpati");
    EXPECT_EQ(load(sources)->settings.media.folder, "/var/cache/merpati");
}

TEST_F(LoadTest, PathsOfTheFileAndDefaultsStartAtItsFolder) {
    sources.working_directory = "/work";
    write("[simulator]\nlog = \"logs/../s.jsonl\"\n");
    const auto folder = file.parent_path().string();
    auto loaded = load(sources);
    ASSERT_TRUE(loaded) << loaded.error().detail;
    EXPECT_EQ(loaded->settings.store.url, "sqlite:" + folder + "/merpati.db");
    EXPECT_EQ(loaded->settings.store.key_file, folder + "/merpati.db.key");
    EXPECT_EQ(loaded->settings.media.folder, folder + "/merpati.db-media");
    EXPECT_EQ(loaded->settings.simulator.log, folder + "/s.jsonl");
    write("[store]\nurl = \"sqlite:data/m.db\"\nkey_file = \"m.key\"\n");
    loaded = load(sources);
    EXPECT_EQ(loaded->settings.store.url, "sqlite:" + folder + "/data/m.db");
    EXPECT_EQ(loaded->settings.store.key_file, folder + "/m.key");
}

TEST_F(LoadTest, PathsOfFlagsAndVariablesStartAtTheWorkingDirectory) {
    sources.working_directory = "/work";
    write("[store]\nurl = \"sqlite:data/m.db\"\n");
    sources.sets = {"store.url=sqlite:m.db"};
    sources.environment = {{"MERPATI_HTTP__TLS__KEY", "k.pem"},
                           {"MERPATI_HTTP__TLS__CERTIFICATE", "/c.pem"},
                           {"MERPATI_OUTBOUND__CA_FILE", "ca.pem"}};
    const auto loaded = load(sources);
    ASSERT_TRUE(loaded) << loaded.error().detail;
    EXPECT_EQ(loaded->settings.store.url, "sqlite:/work/m.db");
    EXPECT_EQ(loaded->settings.store.key_file, "/work/m.db.key");
    EXPECT_EQ(loaded->settings.http.tls.key, "/work/k.pem");
    EXPECT_EQ(loaded->settings.http.tls.certificate, "/c.pem");
    EXPECT_EQ(loaded->settings.outbound.ca_file, "/work/ca.pem");
}

TEST_F(LoadTest, WithoutAFileAllPathsStartAtTheWorkingDirectory) {
    EXPECT_EQ(load({.working_directory = "/work"})->settings.store.url, "sqlite:/work/merpati.db");
    EXPECT_EQ(load({})->settings.store.url,
              "sqlite:" + (std::filesystem::current_path() / "merpati.db").string());
}

TEST_F(LoadTest, APipeIsReadToItsEndAndHasNoFolder) {
    ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
    std::thread writer{[&] { std::ofstream{file} << "[http]\nthreads = 3\n"; }};
    sources.file = file;
    sources.working_directory = "/work";
    const auto loaded = load(sources);
    writer.join();
    ASSERT_TRUE(loaded) << loaded.error().detail;
    EXPECT_EQ(loaded->settings.http.threads, 3U);
    EXPECT_EQ(loaded->settings.store.url, "sqlite:/work/merpati.db");
}

TEST_F(LoadTest, ADatabaseNeedsAKeyFile) {
    write("[store]\nurl = \"postgresql://u:s3cret@db-1,db-2:5433/merpati\"\n");
    const auto detail = detail_of_failure();
    EXPECT_THAT(detail, HasSubstr(file.string() + ":2: store.url names a database, so "
                                                  "store.key_file must be set"));
    EXPECT_THAT(detail, Not(HasSubstr("s3cret")));
    sources.sets.emplace_back("store.key_file=/etc/merpati/store.key");
    const auto loaded = load(sources);
    ASSERT_TRUE(loaded) << loaded.error().detail;
    EXPECT_EQ(loaded->settings.store.url, "postgresql://u:s3cret@db-1,db-2:5433/merpati");
    EXPECT_EQ(loaded->settings.store.key_file, "/etc/merpati/store.key");
}

TEST_F(LoadTest, TheFilesOfAServerWithADatabaseAreInAFolderOfItsOwn) {
    write("[store]\nurl = \"postgresql://db/merpati\"\nkey_file = \"m.key\"\n");
    sources.file = file;
    const auto folder = file.parent_path().string();
    auto loaded = load(sources);
    ASSERT_TRUE(loaded) << loaded.error().detail;
    EXPECT_EQ(loaded->settings.store.folder, folder);
    EXPECT_EQ(loaded->settings.media.folder, folder + "/merpati-media");
    sources.working_directory = "/work";
    sources.sets.emplace_back("store.folder=own");
    loaded = load(sources);
    EXPECT_EQ(loaded->settings.store.folder, "/work/own");
    EXPECT_EQ(loaded->settings.media.folder, "/work/own/merpati-media");
    EXPECT_EQ(loaded->settings.store.key_file, folder + "/m.key");
}

TEST_F(LoadTest, AFolderOfItsOwnIsRefusedWithSqlite) {
    sources.sets.emplace_back("store.folder=/var/lib/merpati");
    EXPECT_THAT(detail_of_failure(), HasSubstr("--set: store.folder is for PostgreSQL alone"));
}

TEST_F(LoadTest, AServerThatSharesADatabaseIsNamedAfterItsHost) {
    sources.sets = {"store.url=postgresql://db/merpati", "store.key_file=/etc/m.key"};
    const auto unnamed = load(sources);
    ASSERT_TRUE(unnamed) << unnamed.error().detail;
    std::array<char, 256> host{};
    ASSERT_EQ(::gethostname(host.data(), host.size()), 0);
    EXPECT_EQ(unnamed->settings.cluster.node, host.data());
    EXPECT_EQ(unnamed->settings.cluster.lease, 10s);
    sources.sets.emplace_back("cluster.node=gateway-1");
    sources.sets.emplace_back("cluster.lease=3s");
    const auto named = load(sources);
    ASSERT_TRUE(named) << named.error().detail;
    EXPECT_EQ(named->settings.cluster.node, "gateway-1");
    EXPECT_EQ(named->settings.cluster.lease, 3s);
}

TEST_F(LoadTest, TheBoundsOfALeaseAndTheFormOfANameAreKept) {
    sources.sets = {"store.url=postgresql://db/merpati", "store.key_file=/etc/m.key",
                    "cluster.lease=2999ms", "cluster.node=gateway 1"};
    const auto detail = detail_of_failure();
    EXPECT_THAT(detail, HasSubstr("cluster.lease must be a duration"));
    EXPECT_THAT(detail, HasSubstr("3s to 5m, not '2999ms'"));
    EXPECT_THAT(detail, HasSubstr("cluster.node must be a name"));
}

TEST_F(LoadTest, OtherServersAreToldAnAddressThatTheyCanReach) {
    sources.sets = {"store.url=postgresql://db/merpati", "store.key_file=/etc/m.key",
                    "cluster.listen=0.0.0.0:8081"};
    EXPECT_THAT(detail_of_failure(),
                HasSubstr("--set: no other server can reach this one at 0.0.0.0:8081"));
    sources.sets.emplace_back("cluster.address=[::]:8081");
    EXPECT_THAT(detail_of_failure(),
                HasSubstr("--set: no other server can reach this one at [::]:8081"));
    sources.sets.back() = "cluster.address=10.0.0.5:8081";
    const auto loaded = load(sources);
    ASSERT_TRUE(loaded) << loaded.error().detail;
    EXPECT_EQ(loaded->settings.cluster.listen, "0.0.0.0:8081");
    EXPECT_EQ(loaded->settings.cluster.address, "10.0.0.5:8081");
}

TEST_F(LoadTest, AnAddressForOtherServersNeedsAListener) {
    sources.sets = {"store.url=postgresql://db/merpati", "store.key_file=/etc/m.key",
                    "cluster.address=10.0.0.5:8081", "cluster.key_file=/etc/c.key"};
    const auto detail = detail_of_failure();
    EXPECT_THAT(detail, HasSubstr("cluster.address has no meaning without cluster.listen"));
    EXPECT_THAT(detail, HasSubstr("cluster.key_file has no meaning without cluster.listen"));
}

TEST_F(LoadTest, AnSqliteFileIsNotShared) {
    sources.sets = {"cluster.node=gateway-1", "cluster.lease=3s", "cluster.listen=127.0.0.1:8081"};
    const auto detail = detail_of_failure();
    EXPECT_THAT(detail, HasSubstr("--set: cluster.node is for PostgreSQL alone"));
    EXPECT_THAT(detail, HasSubstr("--set: cluster.lease is for PostgreSQL alone"));
    EXPECT_THAT(detail, HasSubstr("--set: cluster.listen is for PostgreSQL alone"));
}

TEST_F(LoadTest, AFileThatWasNamedMustExist) {
    sources.file = "/nonexistent/merpati.toml";
    const auto loaded = load(sources);
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, ErrorCode::io_failed);
}

TEST_F(LoadTest, TheSampleFileSaysTheDefaults) {
    auto text = sample_file();
    std::string active;
    std::size_t start = 0;
    while (start < text.size()) {
        const auto end = text.find('\n', start);
        auto line = text.substr(start, end - start);
        if (line.starts_with('#') && !line.starts_with("# ") && !line.contains("an example")) {
            line.erase(0, 1);
        }
        active += line + '\n';
        start = end + 1;
    }
    write(active);
    const auto loaded = load(sources);
    ASSERT_TRUE(loaded) << loaded.error().detail;
    EXPECT_GT(loaded->origins.size(), 30U);
    const auto defaults = load({.working_directory = file.parent_path()});
    const auto shown = show(*loaded);
    for (std::size_t i = 0; i < shown.size(); ++i) {
        EXPECT_EQ(shown[i].value, show(*defaults)[i].value) << shown[i].key;
    }
}

TEST_F(LoadTest, TheSampleFileIsAFileAsItStands) {
    write(sample_file());
    const auto loaded = load(sources);
    ASSERT_TRUE(loaded) << loaded.error().detail;
    EXPECT_TRUE(loaded->origins.empty());
}

}  // namespace
}  // namespace merpati::config
