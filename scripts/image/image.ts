import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Arch } from '../agent/stripped-node.ts';
import { makeReleaseFolder, type Release, type ReleaseOptions } from '../release/release-folder.ts';
import { baseFiles, withFolders } from './base-files.ts';
import { Blobs, blobPath, type Descriptor, type Layer } from './blobs.ts';
import { imageConfig, RELEASE } from './image-config.ts';
import { programFiles } from './programs.ts';
import { type Entry, entriesOf, tar } from './tar.ts';

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const INDEX = 'application/vnd.oci.image.index.v1+json';
const CONFIG = 'application/vnd.oci.image.config.v1+json';
const layoutFile = Buffer.from('{"imageLayoutVersion":"1.0.0"}');

export interface ImageOptions extends ReleaseOptions {
  readonly archs: readonly Arch[];
  /** Folder to write; replaced if it exists. */
  readonly output: string;
  /** Time of everything in the image, in seconds since 1970. */
  readonly time: number;
  /** Folder with the compressed layers of earlier builds. */
  readonly cache?: string;
}

const layerCache = join(import.meta.dirname, '../../node_modules/.cache/hortus-image/layers');

interface BuiltImage {
  readonly arch: Arch;
  /** Archive for `docker load`, which is an OCI archive too. */
  readonly archive: string;
  readonly digest: string;
  /** Bytes of all layers, compressed. */
  readonly size: number;
}

export interface BuiltImages {
  /** Name that `docker load` gives the image. */
  readonly name: string;
  readonly images: readonly BuiltImage[];
  /** OCI layout with the images for all architectures under one index. */
  readonly layout: string;
  readonly release: Release;
  /** Warnings; the images work. */
  readonly notes: readonly string[];
}

/** Builds the image of the service from Node, Debian's libraries and a release, without Docker and without a base image. */
export async function buildImages({
  archs,
  output,
  time,
  cache = layerCache,
  ...options
}: ImageOptions): Promise<BuiltImages> {
  await mkdir(dirname(output), { recursive: true });
  // Next to the output, so that the final rename stays within one file system.
  const workshop = await mkdtemp(join(dirname(output), '.image-'));
  try {
    const folder = join(workshop, 'release');
    const release = await makeReleaseFolder(folder, options);
    const draft = join(workshop, 'image');
    const blobs = new Blobs(join(draft, 'oci'), cache);
    const upper = await releaseLayers(blobs, folder, time);
    const name = `hortus:${release.version}`;
    const made: Made[] = [];
    const notes: string[] = [];
    for (const arch of archs) {
      const base = await baseFiles(arch);
      notes.push(...base.notes);
      const lower = await blobs.addLayer(base.entries, time, { keep: true });
      const about = 'Node and the libraries that it needs';
      made.push(
        await addManifest(blobs, { arch, version: release.version, time, layers: [{ ...lower, about }, ...upper] }),
      );
    }
    await writeLayout(draft, blobs, release.version, made);
    for (const item of made) await writeArchive(draft, name, release.version, item);
    await rm(output, { recursive: true, force: true });
    await rename(draft, output);
    const images = made.map(({ arch, manifest, layers }) => ({
      arch,
      archive: join(output, archiveName(release.version, arch)),
      digest: manifest.digest,
      size: layers.reduce((sum, { descriptor }) => sum + descriptor.size, 0),
    }));
    return { name, images, layout: join(output, 'oci'), release, notes };
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}

type NamedLayer = Layer & { readonly about: string };

/** The release is the same for all architectures. Daemons are large and change less often, so they have a layer of their own. */
async function releaseLayers(blobs: Blobs, folder: string, time: number): Promise<NamedLayer[]> {
  const files = await entriesOf(folder, RELEASE);
  const isDaemon = ({ path }: Entry) => path.startsWith(`${RELEASE}/dist/hortusd-`);
  const daemons = files.filter(isDaemon);
  const service = [...files.filter((entry) => !isDaemon(entry)), ...(await programFiles())];
  const add = async (entries: readonly Entry[], about: string) => ({
    ...(await blobs.addLayer(withFolders(entries), time)),
    about,
  });
  return [
    ...(daemons.length > 0 ? [await add(daemons, 'Daemons for download')] : []),
    await add(service, 'Service, console and catalog'),
  ];
}

interface Made {
  readonly arch: Arch;
  readonly manifest: Descriptor;
  readonly config: Descriptor;
  readonly layers: readonly NamedLayer[];
}

async function addManifest(blobs: Blobs, facts: Parameters<typeof imageConfig>[0]): Promise<Made> {
  const { arch, layers } = facts;
  const config = await blobs.addJson(CONFIG, imageConfig(facts));
  const manifest = await blobs.addJson(MANIFEST, {
    schemaVersion: 2,
    mediaType: MANIFEST,
    config,
    layers: layers.map(({ descriptor }) => descriptor),
  });
  return { arch, manifest, config, layers };
}

const platformOf = (arch: Arch) => ({ architecture: arch, os: 'linux', ...(arch === 'arm64' && { variant: 'v8' }) });

const indexOf = (manifests: readonly object[]) => ({ schemaVersion: 2, mediaType: INDEX, manifests });

const named = (version: string) => ({ annotations: { 'org.opencontainers.image.ref.name': version } });

/** Writes the files of a layout whose only name is an index of all architectures. */
async function writeLayout(draft: string, blobs: Blobs, version: string, made: readonly Made[]): Promise<void> {
  const manifests = made.map(({ arch, manifest }) => ({ ...manifest, platform: platformOf(arch) }));
  const index = await blobs.addJson(INDEX, indexOf(manifests));
  await writeFile(join(draft, 'oci/oci-layout'), layoutFile);
  await writeFile(join(draft, 'oci/index.json'), JSON.stringify(indexOf([{ ...index, ...named(version) }])));
}

const archiveName = (version: string, arch: Arch): string => `hortus-${version}-linux-${arch}.tar`;

/** Writes an image of one architecture as a layout in an archive, with the list that `docker load` reads. */
async function writeArchive(draft: string, name: string, version: string, made: Made): Promise<void> {
  const { arch, manifest, config, layers } = made;
  const list = [
    { Config: blobPath(config), RepoTags: [name], Layers: layers.map(({ descriptor }) => blobPath(descriptor)) },
  ];
  const index = indexOf([{ ...manifest, platform: platformOf(arch), ...named(version) }]);
  const json = (path: string, value: unknown): Entry => ({
    path,
    kind: 'file',
    from: Buffer.from(JSON.stringify(value)),
  });
  const blobs = [manifest, config, ...layers.map(({ descriptor }) => descriptor)].map(async (descriptor) => {
    const path = blobPath(descriptor);
    const file = join(draft, 'oci', path);
    return { path, kind: 'file', from: { file, size: (await stat(file)).size } } satisfies Entry;
  });
  const entries = withFolders([
    { path: 'oci-layout', kind: 'file', from: layoutFile },
    json('index.json', index),
    json('manifest.json', list),
    ...(await Promise.all(blobs)),
  ]);
  await pipeline(Readable.from(tar(entries, 0)), createWriteStream(join(draft, archiveName(version, arch))));
}
