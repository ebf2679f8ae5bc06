import type { Arch } from '../agent/stripped-node.ts';
import { SERVICE_PROGRAM } from '../release/release-folder.ts';
import { DATA_FOLDER, NODE, USER } from './base-files.ts';
import type { Layer } from './blobs.ts';

/** Folder of the release in the image. */
export const RELEASE = 'opt/hortus';
/** Folder of the programs that are only in the image. */
export const PROGRAMS = `${RELEASE}/programs`;

const SECOND = 1_000_000_000;

export interface ImageFacts {
  readonly arch: Arch;
  readonly version: string;
  /** Seconds since 1970. */
  readonly time: number;
  readonly layers: readonly (Layer & { readonly about: string })[];
}

/** Builds the configuration of an image: what runs, as whom, and how to tell that it is healthy. */
export function imageConfig({ arch, version, time, layers }: ImageFacts): object {
  const created = new Date(time * 1_000).toISOString().replace('.000Z', 'Z');
  return {
    created,
    architecture: arch,
    os: 'linux',
    ...(arch === 'arm64' && { variant: 'v8' }),
    config: {
      User: `${USER}:${USER}`,
      ExposedPorts: { '8420/tcp': {} },
      Env: [
        'PATH=/usr/bin',
        'NODE_ENV=production',
        'HORTUS_HOST=0.0.0.0',
        // What a published port of the same number is opened by.
        'HORTUS_PUBLIC_URL=http://127.0.0.1:8420',
        `HORTUS_DATA_DIR=${DATA_FOLDER}`,
      ],
      Entrypoint: [NODE, `/${RELEASE}/${SERVICE_PROGRAM}`],
      Volumes: { [DATA_FOLDER]: {} },
      WorkingDir: '/',
      StopSignal: 'SIGTERM',
      Labels: {
        'org.opencontainers.image.title': 'Hortus',
        'org.opencontainers.image.description': 'Deploys applications to your own servers and looks after them.',
        'org.opencontainers.image.version': version,
        'org.opencontainers.image.licenses': 'MIT',
      },
      Healthcheck: {
        Test: ['CMD', NODE, `/${PROGRAMS}/health-check.mjs`],
        Interval: 10 * SECOND,
        Timeout: 5 * SECOND,
        // A first start on a slow disk creates the tables and reads the catalog.
        StartPeriod: 60 * SECOND,
        StartInterval: SECOND,
        Retries: 3,
      },
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ about }) => ({ created, created_by: 'npm run build:image', comment: about })),
  };
}
