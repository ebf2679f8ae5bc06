import type { EngineName } from '../storage/session.ts';

export const ENGINES: readonly EngineName[] = ['sqlite', 'postgres'];

/** Reads a list such as `sqlite,postgres`; all engines if it is not set. */
export function readEngines(list: string | undefined): readonly EngineName[] {
  if (list === undefined || list === '') return ENGINES;
  const names = list.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !ENGINES.some((engine) => engine === name));
  // A misspelt name would leave suites without tests.
  if (unknown.length > 0)
    throw new Error(`HORTUS_TEST_ENGINES names unknown engines: "${unknown.join('", "')}". Use ${ENGINES.join(', ')}.`);
  return ENGINES.filter((engine) => names.includes(engine));
}
