import type { Manifest } from '@hortus/contract/template/manifest';

/** An object with our labels, and the instance that it belongs to. */
export interface Labelled {
  name: string;
  instance: string;
}

export interface ServerContents {
  containers: readonly Labelled[];
  networks: readonly Labelled[];
  volumes: readonly Labelled[];
  /** Images that we pulled and the engine still has. */
  images: readonly { name: string; id: string }[];
  /** Ids of the images of all containers on the server, ours or not. */
  usedImages: ReadonlySet<string>;
  /** Manifests of existing instances. */
  manifests: readonly Manifest[];
  /** Instances that exist or are being deployed, according to the service or this daemon. */
  living: ReadonlySet<string>;
  /** Volumes named in the request; data is removed only on request. */
  askedVolumes: readonly string[];
}

export interface Leftovers {
  /** Removed instances that left objects behind. */
  instances: string[];
  containers: string[];
  networks: string[];
  images: string[];
  volumes: string[];
  /** Volumes of removed instances that were not named and stay. */
  kept_volumes: string[];
}

/** Finds our objects that are no longer needed. */
export function leftovers(contents: ServerContents): Leftovers {
  const { living, usedImages, manifests, askedVolumes } = contents;
  const gone = (all: readonly Labelled[]) =>
    all.filter(({ instance }) => !living.has(instance)).map(({ name }) => name);
  const needed = new Set(manifests.flatMap(imagesOf));
  const volumes = gone(contents.volumes);
  const all = [...contents.containers, ...contents.networks, ...contents.volumes].map(({ instance }) => instance);
  return {
    instances: [...new Set(all)].filter((uid) => !living.has(uid)).sort(),
    containers: gone(contents.containers).sort(),
    networks: gone(contents.networks).sort(),
    images: contents.images
      .filter(({ name, id }) => !needed.has(name) && !usedImages.has(id))
      .map(({ name }) => name)
      .sort(),
    volumes: volumes.filter((name) => askedVolumes.includes(name)).sort(),
    kept_volumes: volumes.filter((name) => !askedVolumes.includes(name)).sort(),
  };
}

/** Includes scheduled jobs and actions, which usually have no container. */
const imagesOf = ({ components, actions }: Manifest): string[] => [
  ...components.map(({ image }) => image),
  ...actions.flatMap(({ image }) => image ?? []),
];
