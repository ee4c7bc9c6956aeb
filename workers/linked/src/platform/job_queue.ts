// In the place of libsignal's queue of jobs, which runs a job in the asynchronous context of who
// asked first: then a session would be stored on behalf of another send, or of another device. The
// build puts it there (rolldown.config.ts), the self-test sees that it did.

const jobs = new Map<string, Promise<unknown>>();
let jobScope: () => string = () => "";

/// Names the device that runs at this moment, so that no device waits for the jobs of another.
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
