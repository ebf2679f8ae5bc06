const BROWSERS = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(?:e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const;
const SYSTEMS = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Mac OS X/, 'macOS'],
  [/Windows/, 'Windows'],
  [/Linux/, 'Linux'],
] as const;

/** "Firefox on Linux"; a name of another kind of program is shown as it is. */
export function deviceOf(userAgent: string | null): string {
  if (userAgent === null) return 'An unknown program';
  const found = (table: readonly (readonly [RegExp, string])[]) => table.find(([mark]) => mark.test(userAgent))?.[1];
  const [browser, system] = [found(BROWSERS), found(SYSTEMS)];
  return browser && system ? `${browser} on ${system}` : userAgent.slice(0, 60);
}
