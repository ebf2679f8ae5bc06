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

/** The registry of an image; a plain name is one of Docker Hub. */
export function registryOf(image: string): string {
  return repositoryOf(image).split('/', 1)[0] as string;
}

/** Where an image comes from in full, without tag and digest: `nginx` is short for docker.io/library/nginx. */
export function repositoryOf(image: string): string {
  const { repository } = parseImage(image);
  const [first = '', ...rest] = repository.split('/');
  if (rest.length === 0) return `docker.io/library/${repository}`;
  if (!/[.:]/.test(first) && first !== 'localhost') return `docker.io/${repository}`;
  return [registryName(first), ...rest].join('/');
}

/** One name for each registry, however it is written. */
export function registryName(host: string): string {
  const name = host.toLowerCase();
  return name === 'index.docker.io' || name === 'registry-1.docker.io' ? 'docker.io' : name;
}
