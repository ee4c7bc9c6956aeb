// Tells at once when a program may have ended.
#pragma once

#include <functional>
#include <memory>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

namespace merpati::connector::process {

/// Threads: that of the io_context. Lives until its last handler has run (shared_ptr); after
/// `close` nothing is called any more.
class EndWatch : public std::enable_shared_from_this<EndWatch> {
public:
    /// `end` is owned from now on (Running::take_end). Whoever is told closes it, or takes what can
    /// be read: he is told again until then.
    EndWatch(const boost::asio::io_context::executor_type& executor, int end,
             std::function<void()> on_news)
        : end_(executor, end), on_news_(std::move(on_news)) {}

    void start();
    void close();

private:
    boost::asio::posix::stream_descriptor end_;
    std::function<void()> on_news_;
    bool closed_ = false;
};

}  // namespace merpati::connector::process
