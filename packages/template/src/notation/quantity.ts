const MILLISECONDS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const BYTES: Record<string, number> = {
  B: 1,
  k: 1e3,
  K: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** Converts `1h30m` to milliseconds; undefined if it is not a duration. */
export function milliseconds(text: string): number | undefined {
  if (!/^(\d+(ms|s|m|h|d))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(?<!\d)(\d+)(ms|s|m|h|d)/g))
    total += Number(amount) * (MILLISECONDS[unit ?? ''] ?? 0);
  return total;
}

/** Converts `512Mi` to bytes; undefined if it is not a size. */
export function bytes(text: string): number | undefined {
  const found = /^(\d+(?:\.\d+)?)(B|k|K|M|G|T|Ki|Mi|Gi|Ti)?$/.exec(text);
  return found === null ? undefined : Math.round(Number(found[1]) * (BYTES[found[2] ?? 'B'] ?? 1));
}

/** Converts `2`, `0.5` or `500m` to cores; undefined if it is invalid. */
export function cores(text: string): number | undefined {
  const found = /^(\d+(?:\.\d+)?)(m?)$/.exec(text);
  return found === null ? undefined : Number(found[1]) / (found[2] === 'm' ? 1000 : 1);
}
