import { readFileSync, statSync } from 'node:fs';
import { isImageReference } from '../engine/docker/image-reference.ts';
import { ConfigError } from '../options/config-error.ts';
import { normalized, type Substitutes, substitutesFrom } from './substitutes.ts';

const SUBSTITUTES_OPTION = '--image-substitutes';

const MAX_FILE_BYTES = 1024 ** 2;

/** Reads the file of substitutes: a JSON object of references and local images. */
export function readSubstitutes(path: string): Substitutes {
  return substitutesFrom(checked(parsed(path), path));
}

function parsed(path: string): unknown {
  let text: string;
  try {
    if (statSync(path).size > MAX_FILE_BYTES) return refuse(path, 'is larger than 1 MiB');
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    return refuse(path, `cannot be read: ${(cause as Error).message}`);
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    return refuse(path, `is not JSON: ${(cause as Error).message}`);
  }
}

function checked(value: unknown, path: string): Record<string, string> {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return refuse(path, 'must be an object such as {"docker.io/library/redis": "redis:local"}');
  const seen = new Map<string, string>();
  for (const [key, local] of Object.entries(value)) {
    const quoted = JSON.stringify(key);
    if (!isImageReference(key)) refuse(path, `has the key ${quoted}, which is not an image reference`);
    if (typeof local !== 'string' || !isImageReference(local))
      refuse(path, `must name a local image such as redis:local for ${quoted}`);
    const twin = seen.get(normalized(key));
    if (twin !== undefined) refuse(path, `has ${JSON.stringify(twin)} and ${quoted}, which mean the same image`);
    seen.set(normalized(key), key);
  }
  return value as Record<string, string>;
}

function refuse(path: string, why: string): never {
  throw new ConfigError(`${SUBSTITUTES_OPTION}: ${path} ${why}.`);
}
