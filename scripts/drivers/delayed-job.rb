#!/usr/bin/ruby
# delayed_job over ActiveRecord and PostgreSQL as a driver for Lockpick: a lock is a queue with one job, which is held while it is
# performed, for Worker.max_run_time at most. A release has it fail, and delayed_job puts it back; with the argument `completes`
# a job that is done succeeds, and is deleted. With `one-name` all workers have the same host name and process number, as in
# containers of one pod; else each has a name of its own, as delayed_job wants it.
#
# Install: apt-get install ruby-delayed-job-active-record ruby-pg
require "json"
require "active_record"
require "delayed_job"
require "delayed_job_active_record"

Delayed::Worker.backend = :active_record
PRINTING = Mutex.new
PutBack = Class.new(StandardError)

def say(line)
  PRINTING.synchronize { $stdout.write(JSON.generate(line) + "\n") && $stdout.flush }
end

def now_ns
  Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
end

# From the request to acquire until the answer to the release.
class Hold
  attr_accessor :asked_ns

  def initialize(request)
    @request = request
    @releases = Queue.new
  end

  def answer(words)
    say(id: @request["id"], **words)
  end

  def perform
    answer(answer: "held", request_ns: asked_ns)
    @request = @releases.pop
    raise PutBack unless @request["done"] && ARGV.include?("completes")
  rescue Delayed::WorkerTimeout # max_run_time is over
    say(answer: "lost", worker: @request["worker"], lock: @request["lock"], reason: "deadline")
    @request = @releases.pop # as a job that tidies up; what follows is the release
    raise
  end

  def release(request)
    @releases << request
  end

  # delayed_job does not say whose job it has put back, or deleted.
  def given_back
    answer(answer: "released")
  end
end

Job = Struct.new(:lock) do
  def perform
    Thread.current[:hold].perform
  end

  def reschedule_at(now, _attempts)
    now
  end
end

class Queues
  def hello(hello)
    servers = hello["servers"]
    host, _, port = servers["addresses"].first.rpartition(":")
    @settings = hello
    @holds = {}
    Delayed::Worker.max_attempts = hello["attempts"] || 1_000_000
    Delayed::Worker.max_run_time = hello["lease_ms"] / 1000r
    ActiveRecord::Base.establish_connection(
      adapter: "postgresql", host: host.delete("[]"), port: port, pool: hello["workers"] + 1, connect_timeout: 5,
      username: servers["user"] || "postgres", password: servers["password"], database: servers["database"] || "postgres",
      variables: { statement_timeout: hello["request_ms"], client_min_messages: "warning" })
    make_jobs(hello["locks"])
  end

  # The table of delayed_job's generator, and the jobs: what is not there yet.
  def make_jobs(locks)
    ActiveRecord::Base.transaction do
      connection = ActiveRecord::Base.connection
      connection.execute("SELECT pg_advisory_xact_lock(1)")
      connection.create_table(:delayed_jobs, if_not_exists: true) do |table|
        table.integer :priority, :attempts, default: 0, null: false
        table.text :handler, null: false
        table.text :last_error
        table.datetime :run_at, :locked_at, :failed_at
        table.string :locked_by, :queue
        table.timestamps null: true
      end
      locks.each { |lock| Delayed::Job.exists?(queue: lock) || Delayed::Job.enqueue(Job.new(lock), queue: lock) }
    end
    ActiveRecord::Base.clear_active_connections!
  end

  def acquire(request)
    hold = @holds[request["worker"]] = Hold.new(request)
    worker = Delayed::Worker.new
    worker.name = ARGV.include?("one-name") ? "host:app pid:1" : "host:app-#{@settings["client"]} pid:#{request["worker"]}"
    Thread.new do
      Thread.current[:hold] = hold
      if (job = reserve(worker, hold, request))
        worker.run(job)
        hold.given_back
      else
        hold.answer(answer: Delayed::Job.exists?(queue: request["lock"]) ? "not-held" : "gone")
      end
    rescue StandardError => error
      ActiveRecord::Base.connection_pool.disconnect # the next request connects again
      hold.answer(answer: "unknown", why: error.message)
    ensure
      ActiveRecord::Base.clear_active_connections!
    end
  end

  def release(request)
    @holds[request["worker"]].release(request)
  end

  # From the queue that is asked for alone.
  def reserve(worker, hold, request)
    give_up_ns = now_ns + request["wait_ms"] * 1_000_000
    loop do
      hold.asked_ns = now_ns
      job = Delayed::Job.where(queue: request["lock"]).scoping { Delayed::Job.reserve(worker) }
      return job if job || now_ns >= give_up_ns || !Delayed::Job.exists?(queue: request["lock"])
      sleep(@settings["retry_ms"] / 1000r)
    end
  end
end

queues = Queues.new
queues.hello(JSON.parse($stdin.gets))
say(hello: 1, driver: "delayed_job over ActiveRecord #{ActiveRecord.version}")
while (line = $stdin.gets)
  request = JSON.parse(line)
  break if request["do"] == "quit"
  queues.public_send(request["do"], request)
end
exit! # whoever waits is not waited for
