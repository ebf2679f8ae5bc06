const STEP = 1024;

/** Memory: "512 MiB", "9.8 GiB". */
export function memory(bytes: number): string {
  const gib = bytes / STEP ** 3;
  if (gib >= 1) return `${round(gib)} GiB`;
  return `${Math.round(bytes / STEP ** 2)} MiB`;
}

/** Disk: "38 MB", "320 GB", "1.4 TB". */
export function disk(bytes: number): string {
  if (bytes >= 1e12) return `${round(bytes / 1e12)} TB`;
  if (bytes >= 1e9) return `${round(bytes / 1e9)} GB`;
  return `${Math.round(bytes / 1e6)} MB`;
}

/** "1 server", "3 servers". */
export const counted = (count: number, text: string, many = `${text}s`): string =>
  `${count.toLocaleString()} ${count === 1 ? text : many}`;

const round = (value: number): string =>
  value >= 100 ? Math.round(value).toString() : value.toFixed(1).replace(/\.0$/, '');
