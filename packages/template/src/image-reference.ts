import type { ImageReference } from '@hortus/contract/template/image';

/** Takes `registry:5000/path/name:tag@sha256:…` apart; the colon of a port is none of a tag. */
export function parseImage(text: string): ImageReference {
  const [named = '', digest] = text.split('@', 2);
  const colon = named.lastIndexOf(':');
  const tagged = colon > named.lastIndexOf('/');
  return {
    repository: tagged ? named.slice(0, colon) : named,
    ...(tagged ? { tag: named.slice(colon + 1) } : {}),
    ...(digest === undefined ? {} : { digest }),
  };
}

export function imageText({ repository, tag, digest }: ImageReference): string {
  return `${repository}${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`;
}

/** A tag that names no version means another image tomorrow. A digest settles it. */
export function isFloating({ tag, digest }: Pick<ImageReference, 'tag' | 'digest'>): boolean {
  return digest === undefined && (tag === undefined || tag.startsWith('latest') || !/\d/.test(tag));
}
