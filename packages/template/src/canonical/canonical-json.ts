/** Serializes by RFC 8785: equal values give equal texts, regardless of key order. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries: string[] = [];
  // The RFC orders by UTF-16 code units, as sort() does by default.
  for (const key of Object.keys(value).sort()) {
    const inner = (value as Record<string, unknown>)[key];
    if (inner !== undefined) entries.push(`${JSON.stringify(key)}:${canonicalJson(inner)}`);
  }
  return `{${entries.join(',')}}`;
}
