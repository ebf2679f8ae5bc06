const SECONDS: Record<string, number> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 0.001,
  µs: 0.001,
  ns: 0.000_001,
  d: 86_400_000,
  w: 604_800_000,
};

/** Converts a Compose duration (`1m30s`, `1.5s`) to the template format; undefined if it is invalid. */
export function duration(text: string): string | undefined {
  // Compose requires a unit, but a bare number almost always means seconds.
  if (/^\d+$/.test(text)) return `${Number(text)}s`;
  if (!/^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h|d|w))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(?<!\d)(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h|d|w)/g)) {
    total += Number(amount) * (SECONDS[unit ?? ''] ?? 0);
  }
  const ms = Math.round(total);
  if (ms % 1000 !== 0) return `${ms}ms`;
  const seconds = ms / 1000;
  if (seconds >= 3600 && seconds % 3600 === 0) return `${seconds / 3600}h`;
  return seconds >= 120 && seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
}

const UNITS: Record<string, string> = { '': '', b: 'B', k: 'Ki', m: 'Mi', g: 'Gi', t: 'Ti' };

/** Converts a Compose size, whose units are powers of 1024. */
export function byteSize(text: string): string | undefined {
  const found = /^(\d+(?:\.\d+)?)\s*([bkmgt]?)(i?b)?$/i.exec(text.trim());
  if (found === null) return undefined;
  const unit = UNITS[(found[2] ?? '').toLowerCase()];
  return unit === undefined ? undefined : `${found[1]}${unit}`;
}

export function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^-?\d+$/.test(text.trim()) ? Number(text) : undefined;
}

/** Reads the number of a port; undefined for other texts. */
export function portNumber(text: string | undefined): number | undefined {
  const port = wholeNumber(text);
  return port !== undefined && port >= 1 && port <= 65_535 ? port : undefined;
}
