import { Errors } from 'typebox/value';
import { builtInActions, isBuiltIn } from './built-in-actions.ts';

/** Names the first parameter that is missing or malformed; undefined if there is none, or no such action. */
export function wrongParam(slug: string, params: unknown): string | undefined {
  if (!isBuiltIn(slug)) return undefined;
  const [error] = Errors(builtInActions[slug].params, params);
  if (!error) return undefined;
  const missing = error.keyword === 'required' ? error.params.requiredProperties[0] : undefined;
  return `${missing ?? error.instancePath.slice(1).replaceAll('/', '.')}: ${missing ? 'is missing' : error.message}`;
}
