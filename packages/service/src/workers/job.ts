// biome-ignore lint/suspicious/noExplicitAny: any function fits; callers see its own types.
type Runnable = (...args: any) => unknown;

/** A function that runs off the event loop, because its cost depends on what a caller wrote. */
export interface WorkerJob<Run extends Runnable = Runnable> {
  /** Identifies the function to the thread. */
  readonly name: string;
  /** Takes and returns plain data, which is copied between threads; a thrown `Problem` reaches the caller as such. */
  readonly run: Run;
}

/** Declares a job; `wiring/worker-jobs.ts` lists all of them for the threads. */
export const workerJob = <Run extends Runnable>(name: string, run: Run): WorkerJob<Run> => ({ name, run });

/** Account of the job, and the field that is refused if it exceeds a limit. */
export interface JobOwner {
  readonly account: string;
  readonly field: string;
}

/** Runs jobs off the event loop. */
export interface Work {
  run<Run extends Runnable>(
    job: WorkerJob<Run>,
    owner: JobOwner,
    ...args: Parameters<Run>
  ): Promise<Awaited<ReturnType<Run>>>;
}
