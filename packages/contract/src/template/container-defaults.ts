/**
 * What every component gets unless its template says otherwise. Filled in when a manifest is made, so that it counts from the next
 * deployment and running containers stay as they are. There is no default limit of memory: it would kill what runs today.
 */

/** Processes and threads: far above what applications use, and far below what a fork bomb needs. */
export const DEFAULT_PIDS = 4_096;

/** Of each container's output: three files of 10 MiB. */
export const DEFAULT_LOG = { max_bytes: 10 * 1024 ** 2, max_files: 3 } as const;

/**
 * Of the capabilities that an engine gives by default: making devices, writing to the kernel's audit log, raw sockets, and giving
 * capabilities to files. A component that needs one adds it.
 */
export const DROPPED_CAPABILITIES = ['AUDIT_WRITE', 'MKNOD', 'NET_RAW', 'SETFCAP'] as const;
