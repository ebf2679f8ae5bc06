import { parseImage, repositoryOf } from '@hortus/template/notation/image-reference';

/** Local images that the operator puts in place of images of a registry. */
export interface Substitutes {
  /** Returns the local image for a reference; undefined if the reference itself is to be used. */
  of(image: string): string | undefined;
  /** Answers whether an image stands in for another. */
  includes(image: string): boolean;
}

/**
 * Builds the lookup from references to local images. The most exact key wins: with tag and digest, digest alone, tag alone, or
 * the repository alone. There are no chains: a local image is not looked up again.
 */
export function substitutesFrom(entries: Readonly<Record<string, string>>): Substitutes {
  const byKey = new Map(Object.entries(entries).map(([key, local]) => [normalized(key), local]));
  const locals = new Set([...byKey.values()].map(withTag));
  return {
    of(image) {
      const key = keysOf(image).find((text) => byKey.has(text));
      const local = key === undefined ? undefined : byKey.get(key);
      return local !== undefined && withTag(local) === withTag(image) ? undefined : local;
    },
    includes: (image) => locals.has(withTag(image)),
  };
}

/** Returns the spelling under which equal keys are found: short names are written out. */
export function normalized(key: string): string {
  const { tag, digest } = parseImage(key);
  return spelled(repositoryOf(key), tag, digest);
}

/** Lists the keys that match a reference, most exact first. */
function keysOf(image: string): string[] {
  const { tag, digest } = parseImage(image);
  const repository = repositoryOf(image);
  const named = tag ?? (digest === undefined ? 'latest' : undefined);
  return [
    spelled(repository, named, digest),
    ...(digest === undefined ? [] : [spelled(repository, undefined, digest)]),
    spelled(repository, named, undefined),
    repository,
  ];
}

/** Writes a reference out, because engines read a missing tag as `latest`. */
function withTag(image: string): string {
  return keysOf(image)[0] as string;
}

const spelled = (repository: string, tag: string | undefined, digest: string | undefined): string =>
  `${repository}${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`;
