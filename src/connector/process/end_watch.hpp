// Tells at once when a process has ended.
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
    /// `process` is its descriptor (pidfd_open), owned from now on.
    EndWatch(const boost::asio::io_context::executor_type& executor, int process,
             std::function<void()> on_end)
        : process_(executor, process), on_end_(std::move(on_end)) {}

    void start();
    void close();

private:
    boost::asio::posix::stream_descriptor process_;
    std::function<void()> on_end_;
    bool closed_ = false;
};

}  // namespace merpati::connector::process
