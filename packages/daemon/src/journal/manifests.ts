import type { DatabaseSync } from 'node:sqlite';
import type { DeployedImage } from '@hortus/contract/resources/deployment-records';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import { placeOf } from './encrypt-journal.ts';
import type { JournalCipher } from './journal-cipher.ts';

const COLUMN = { table: 'manifests', column: 'manifest' } as const;

/** Manifest of the last rollout of each instance; the only source of what actions may run. */
export class Manifests {
  readonly #db: DatabaseSync;
  readonly #cipher: JournalCipher;
  /** Cache of parsed manifests, so that actions do not parse the same text again. */
  readonly #parsed = new Map<string, SignedManifest>();

  constructor(db: DatabaseSync, cipher: JournalCipher) {
    this.#db = db;
    this.#cipher = cipher;
  }

  /** Stores a manifest with the images of its rollout. */
  keep(manifest: SignedManifest, images: readonly DeployedImage[] = []): void {
    this.#db
      .prepare(`insert into manifests (instance_uid, deployment_id, revision, signed_at, manifest, images)
                values (?, ?, ?, ?, ?, ?)
                on conflict (instance_uid) do update set deployment_id = excluded.deployment_id,
                revision = excluded.revision, signed_at = excluded.signed_at, manifest = excluded.manifest,
                images = excluded.images`)
      .run(
        manifest.instance_uid,
        manifest.deployment_id ?? '',
        manifest.revision,
        Date.parse(manifest.signed_at),
        this.#cipher.encrypt(JSON.stringify(manifest), placeOf(COLUMN, manifest.instance_uid)),
        JSON.stringify(images),
      );
    this.#parsed.set(manifest.instance_uid, manifest);
  }

  of(instanceUid: string): SignedManifest | undefined {
    const known = this.#parsed.get(instanceUid);
    if (known) return known;
    const row = this.#db.prepare('select manifest from manifests where instance_uid = ?').get(instanceUid);
    if (!row) return undefined;
    const text = this.#cipher.decrypt(row.manifest as string, placeOf(COLUMN, instanceUid));
    const manifest = JSON.parse(text) as SignedManifest;
    this.#parsed.set(instanceUid, manifest);
    return manifest;
  }

  imagesOf(instanceUid: string): DeployedImage[] {
    const row = this.#db.prepare('select images from manifests where instance_uid = ?').get(instanceUid);
    return JSON.parse((row?.images as string | null | undefined) ?? '[]');
  }

  all(): SignedManifest[] {
    return this.#db
      .prepare('select instance_uid from manifests order by instance_uid')
      .all()
      .map((row) => this.of(row.instance_uid as string) as SignedManifest);
  }

  /** Stores the service's id of an instance, learned from its responses. */
  nameInstance(instanceUid: string, instanceId: string): void {
    if (this.instanceId(instanceUid) === instanceId) return;
    this.#db
      .prepare(`insert into instance_ids (instance_uid, instance_id) values (?, ?)
                on conflict (instance_uid) do update set instance_id = excluded.instance_id`)
      .run(instanceUid, instanceId);
  }

  instanceId(instanceUid: string): string | undefined {
    const row = this.#db.prepare('select instance_id from instance_ids where instance_uid = ?').get(instanceUid);
    return row?.instance_id as string | undefined;
  }

  forget(instanceUid: string): void {
    this.#db.prepare('delete from manifests where instance_uid = ?').run(instanceUid);
    this.#parsed.delete(instanceUid);
  }
}
