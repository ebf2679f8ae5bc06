import type { ImageReference } from '@hortus/contract/template/image';

/** Parses `registry:5000/path/name:tag@sha256:…`; the colon of a port does not start a tag. */
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

/** Tells whether the tag names no version, so that it can mean another image tomorrow. A digest pins the image. */
export function isFloating({ tag, digest }: Pick<ImageReference, 'tag' | 'digest'>): boolean {
  return digest === undefined && (tag === undefined || tag.startsWith('latest') || !/\d/.test(tag));
}

/** Returns the registry of an image; a plain name belongs to Docker Hub. */
export function registryOf(image: string): string {
  return repositoryOf(image).split('/', 1)[0] as string;
}

/** Returns the full repository without tag and digest: `nginx` is short for docker.io/library/nginx. */
export function repositoryOf(image: string): string {
  const { repository } = parseImage(image);
  const [first = '', ...rest] = repository.split('/');
  if (rest.length === 0) return `docker.io/library/${repository}`;
  if (!/[.:]/.test(first) && first !== 'localhost') return `docker.io/${repository}`;
  return [registryName(first), ...rest].join('/');
}

/** Returns the normalized name of a registry. */
export function registryName(host: string): string {
  const name = host.toLowerCase();
  return name === 'index.docker.io' || name === 'registry-1.docker.io' ? 'docker.io' : name;
}
