import { isMapping } from '../../schema/schema-check.ts';
import type { Path } from '../../source/finding.ts';
import { entriesOf, listOf } from './entries.ts';
import { envLines } from './env-file.ts';
import { isAddressVariable, type Reading } from './reading.ts';
import { isScalarValue } from './scalars.ts';

const KEY = /^[A-Za-z_][A-Za-z0-9_.-]*$/;

/** Reads `environment` and `env_file` of a service. */
export function readEnvironment(reading: Reading, service: Record<string, unknown>, component: string, path: Path) {
  const env: Record<string, string> = {};
  for (const { item, path: at } of listOf(service.env_file, [...path, 'env_file'])) readFile(reading, item, at, env);
  for (const { key, value, path: at } of entriesOf(service.environment, [...path, 'environment'])) {
    if (!KEY.test(key)) {
      if (key !== '') reading.notes.drop(at, `${JSON.stringify(key)} is not a valid name of an environment variable`);
      continue;
    }
    if (value !== null && !isScalarValue(value)) {
      reading.notes.drop(at, `${key} is neither a string nor a number`);
      continue;
    }
    const text = isAddressVariable(key) ? address(reading, key, value, component, at) : undefined;
    env[key] = text ?? (value === null ? reading.bareText(key, at) : (reading.envText(key, value, at) ?? ''));
  }
  return env;
}

/** `SERVICE_URL_APP_3000`, alone or with a path, declares an address of this service. */
function address(reading: Reading, key: string, value: unknown, component: string, path: Path): string | undefined {
  const input = value === null ? '' : String(value);
  if (input !== '' && !input.startsWith('/')) return undefined;
  reading.routes.declare(key, component, input.startsWith('/') && input !== '/' ? input : undefined, path);
  return reading.texts.bare(key);
}

function readFile(reading: Reading, item: unknown, path: Path, env: Record<string, string>): void {
  const input = isMapping(item) ? item.path : item;
  const file = reading.settled(input, path);
  const content = file === undefined ? undefined : reading.files(file);
  if (content === undefined) {
    const name = file ?? 'the file';
    reading.notes.drop(path, `${name} is not available, so its variables are unknown; list them under environment`);
    return;
  }
  for (const { key, value, literal } of envLines(content)) {
    env[key] = reading.envText(key, literal ? value.replaceAll('$', '$$$$') : value, path) ?? '';
  }
}
