import type { Manifest } from '@hortus/contract/template/manifest';

/** Something on the server that carries our labels, and the instance that it says it belongs to. */
export interface Labelled {
  name: string;
  instance: string;
}

export interface Ground {
  containers: readonly Labelled[];
  networks: readonly Labelled[];
  volumes: readonly Labelled[];
  /** Those that we pulled and the engine still has. */
  images: readonly { name: string; id: string }[];
  /** Ids of the images that any container of the server is made of, ours or not. */
  usedImages: ReadonlySet<string>;
  /** What instances that live were rolled out by. */
  manifests: readonly Manifest[];
  /** The instances that live or are about to, whoever knows of them. */
  living: ReadonlySet<string>;
  /** Volumes that somebody named: data goes only on request. */
  askedVolumes: readonly string[];
}

export interface Leftovers {
  /** The instances that are gone and have left something. */
  instances: string[];
  containers: string[];
  networks: string[];
  images: string[];
  volumes: string[];
  /** Volumes of instances that are gone; they stay unless they are named. */
  kept_volumes: string[];
}

/** What nobody needs any more, of what is ours. */
export function leftovers(ground: Ground): Leftovers {
  const { living, usedImages, manifests, askedVolumes } = ground;
  const gone = (all: readonly Labelled[]) =>
    all.filter(({ instance }) => !living.has(instance)).map(({ name }) => name);
  const needed = new Set(manifests.flatMap(imagesOf));
  const volumes = gone(ground.volumes);
  const all = [...ground.containers, ...ground.networks, ...ground.volumes].map(({ instance }) => instance);
  return {
    instances: [...new Set(all)].filter((uid) => !living.has(uid)).sort(),
    containers: gone(ground.containers).sort(),
    networks: gone(ground.networks).sort(),
    images: ground.images
      .filter(({ name, id }) => !needed.has(name) && !usedImages.has(id))
      .map(({ name }) => name)
      .sort(),
    volumes: volumes.filter((name) => askedVolumes.includes(name)).sort(),
    kept_volumes: volumes.filter((name) => !askedVolumes.includes(name)).sort(),
  };
}

/** Scheduled jobs and actions have no container most of the time. */
const imagesOf = ({ components, actions }: Manifest): string[] => [
  ...components.map(({ image }) => image),
  ...actions.flatMap(({ image }) => image ?? []),
];
