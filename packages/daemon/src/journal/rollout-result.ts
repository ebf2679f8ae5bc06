import type { DeployedImage } from '@hortus/contract/resources/deployment-records';

export type Status = 'starting' | 'running' | 'restarting' | 'stopped' | 'failed';
export type Health = 'starting' | 'healthy' | 'unhealthy' | 'unknown';

export interface RolloutResult {
  status: 'success' | 'failed';
  error?: string;
  /** Code: unhealthy, exited, job_failed, image, manifest, engine, disk_full, name_taken, route_taken, network_pool, network_size, deadline, irreversible, or the reason of an abort. */
  reason?: string;
  /** After the failure of a container: its last lines. */
  last_lines?: string[];
  /** After a failure: whether the previous version runs as before. */
  restored?: boolean;
  /** Downtime; missing if no running container was replaced. */
  gap_ms?: number;
  instance?: {
    container_id: string;
    container_name: string;
    status: Status;
    health: Health;
    started_at: number | null;
    /** Address on the server, if the route cannot be served. */
    url?: string;
  };
  /** After success: the image of each component. */
  images?: DeployedImage[];
  components: { name: string; container_id: string; status: Status; health: Health; image: string }[];
}
