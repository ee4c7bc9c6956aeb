// Replaces libsignal's job queue. The original runs a job in the asynchronous context of the first
// caller, and would store a session on behalf of another send, or even of another device. The build
// makes the replacement (rolldown.config.ts), and the self-test checks it.

const jobs = new Map<string, Promise<unknown>>();
let jobScope: () => string = () => "";

/// `scope` names the device that runs at the moment, so that devices do not wait for each other.
export function setJobScope(scope: () => string): void {
  jobScope = scope;
}

/// Runs the jobs of a bucket one after another, each in the context of its caller.
export function queueJob<T>(bucket: string, job: () => Promise<T>): Promise<T> {
  const key = `${jobScope()} ${bucket}`;
  const before = jobs.get(key) ?? Promise.resolve();
  const mine = before.then(job, job);
  const settled = mine.then(
    () => {},
    () => {},
  );
  jobs.set(key, settled);
  void settled.then(() => {
    if (jobs.get(key) === settled) {
      jobs.delete(key);
    }
  });
  return mine;
}
