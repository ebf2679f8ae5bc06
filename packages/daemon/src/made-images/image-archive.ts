import { TAR_END, type TarMember, tarHeader, tarPadding } from '@hortus/contract/runtime/tar-header';

export type Member =
  | (Pick<TarMember, 'path' | 'mode'> & { readonly kind: 'file'; readonly content: Buffer })
  | (Pick<TarMember, 'path' | 'mode'> & { readonly kind: 'folder' })
  | { readonly path: string; readonly kind: 'link'; readonly to: string };

export interface ImageContent {
  readonly members: readonly Member[];
  /** As in an image's configuration: Cmd, Env, User. */
  readonly config: Readonly<Record<string, unknown>>;
}

/**
 * Builds the archive that an engine loads an image of one layer from. Equal contents give equal bytes, and so the same image id on
 * every server.
 */
export async function imageArchive(ref: string, arch: string, { members, config }: ImageContent): Promise<Buffer> {
  const layer = tarOf(members);
  const created = '1970-01-01T00:00:00Z';
  const description = Buffer.from(
    JSON.stringify({
      created,
      architecture: arch,
      os: 'linux',
      config,
      rootfs: { type: 'layers', diff_ids: [`sha256:${await sha256(layer)}`] },
      history: [{ created, created_by: 'hortusd' }],
    }),
  );
  const name = `${await sha256(description)}.json`;
  const list = Buffer.from(JSON.stringify([{ Config: name, RepoTags: [ref], Layers: ['layer.tar'] }]));
  return tarOf([
    { path: name, kind: 'file', mode: 0o644, content: description },
    { path: 'layer.tar', kind: 'file', mode: 0o644, content: layer },
    { path: 'manifest.json', kind: 'file', mode: 0o644, content: list },
  ]);
}

/** Hashes outside of the event loop: Caddy has 40 MB. */
const sha256 = async (bytes: Buffer<ArrayBuffer>): Promise<string> =>
  Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex');

function tarOf(members: readonly Member[]): Buffer<ArrayBuffer> {
  const parts = members.flatMap((member) => {
    const content = member.kind === 'file' ? member.content : Buffer.alloc(0);
    return [tarHeader({ mode: 0o777, ...member, size: content.length }), content, tarPadding(content.length)];
  });
  return Buffer.concat([...parts, TAR_END]);
}
