import { EngineProblem } from '../engine-problem.ts';

const NAME = /^[a-z0-9]+(?:[._:/-]+[a-z0-9]+)*$/;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;

export function isImageReference(ref: string): boolean {
  const bare = ref.replace(/@sha256:[0-9a-f]{64}$/, '');
  const colon = bare.lastIndexOf(':');
  const isTagged = colon > 0 && NAME.test(bare.slice(0, colon)) && TAG.test(bare.slice(colon + 1));
  return (NAME.test(bare) || isTagged) && !ref.split('/').some((part) => part === '.' || part === '..' || part === '');
}

/** Rejects an invalid image reference before it becomes part of a path. */
export function checkedReference(ref: string, operation: string): string {
  if (!isImageReference(ref)) {
    throw new EngineProblem({ operation, kind: 'invalid', detail: 'it is not a valid image reference' });
  }
  return ref;
}

/** Query parameters of a pull. Without a tag the engine would pull all tags. */
export function pullParameters(ref: string): { fromImage: string; tag: string } {
  const digest = ref.indexOf('@');
  if (digest >= 0) return { fromImage: ref.slice(0, digest).replace(/:[^/:]*$/, ''), tag: ref.slice(digest + 1) };
  const colon = ref.lastIndexOf(':');
  // A colon before the last slash belongs to a registry's port.
  if (colon > ref.lastIndexOf('/')) return { fromImage: ref.slice(0, colon), tag: ref.slice(colon + 1) };
  return { fromImage: ref, tag: 'latest' };
}
