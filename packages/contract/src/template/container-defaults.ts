/**
 * Defaults of every component. Applied when a manifest is resolved, so that they take effect with the next deployment
 * and running containers do not change. There is no default memory limit: it would kill applications that run today.
 */

/** Limit of processes and threads: far above what applications use, and far below what a fork bomb needs. */
export const DEFAULT_PIDS = 4_096;

/** Limit of the stored output of each container: three files of 10 MiB. */
export const DEFAULT_LOG = { max_bytes: 10 * 1024 ** 2, max_files: 3 } as const;

/**
 * Capabilities that engines grant by default and Hortus drops: creating devices, writing to the kernel's audit log, raw
 * sockets, and setting file capabilities. A component that needs one adds it.
 */
export const DROPPED_CAPABILITIES = ['AUDIT_WRITE', 'MKNOD', 'NET_RAW', 'SETFCAP'] as const;
