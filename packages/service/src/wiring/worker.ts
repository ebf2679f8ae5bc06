import { serveJobs } from '../workers/thread.ts';
import { workerJobs } from './worker-jobs.ts';

// The program of a worker thread (see worker-pool.ts).
serveJobs(workerJobs);
