import { createHash } from 'node:crypto';
import { canonicalJson } from '@hortus/template/canonical/canonical-json';

/** Hashes a plan: the tool, its arguments, and the state that the plan was made from. */
export const planHash = (tool: string, args: object, state: unknown): string =>
  `sha256:${createHash('sha256').update(canonicalJson({ tool, args, state })).digest('hex').slice(0, 32)}`;
