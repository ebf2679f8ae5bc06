import type { KeyObject } from 'node:crypto';
import { SignedManifest } from '@hortus/contract/resources/manifest';
import { checkSchema, isMapping } from '@hortus/template/schema/schema-check';
import { manifestContext } from '@hortus/template/sealing/contexts';
import { openFields } from '@hortus/template/sealing/sealed-fields';
import { pathText } from '@hortus/template/source/finding';
import { beyondLimits } from './manifest-limits.ts';
import { isSignedBy } from './manifest-signature.ts';

export interface Expectation {
  key: KeyObject;
  /** Decrypts values sealed to this daemon. */
  privateKey: KeyObject;
  serverId: string;
  /** Of the request that the manifest answers. */
  nonce: string;
  deployment: { id: string; definition_id: string; revision: number };
  /** Manifest of the instance's last rollout, if any. */
  last(instanceUid: string): { deployment_id: string | null; signed_at: string } | undefined;
}

export type Acceptance = { ok: true; manifest: SignedManifest } | { ok: false; rule: string; message: string };

/**
 * Decides whether a response of GET /manifest is the service's order for this deployment on this server. Checks the
 * signature first, then compares the signed fields with the request, because old manifests and those of other servers
 * are signed too. Fills in sealed values; the signature covers the form without them.
 */
export function acceptManifest(response: unknown, expected: Expectation): Acceptance {
  if (!isMapping(response) || !isSignedBy(expected.key, response as SignedManifest)) {
    return refused('signature', 'the manifest is not signed by the service this server was registered with');
  }
  let opened: SignedManifest;
  try {
    const received = response as SignedManifest;
    opened = openFields(received, expected.privateKey, manifestContext(received));
  } catch {
    return refused('sealed', 'the secrets of the manifest are sealed to another key pair, not to that of this daemon');
  }
  const [remark] = checkSchema(SignedManifest, opened);
  if (remark) return refused('form', `the manifest is malformed: ${pathText(remark.path)} ${remark.message}`);
  const excess = beyondLimits(opened);
  if (excess !== undefined) return refused('limits', `the manifest is too large: ${excess}`);
  // From here on the instance is known by its name on the server, because its uid may later be given to another
  // definition.
  const manifest = { ...opened, instance_uid: opened.instance.uid };
  const { deployment } = expected;
  // Also recognises the manifest of an instance that was released since, of which nothing is remembered.
  if (manifest.nonce !== expected.nonce)
    return refused('replay', 'the manifest was signed for another request; an older service must be updated');
  if (manifest.server_id !== expected.serverId || manifest.instance.server_id !== expected.serverId) {
    return refused('replay', `the manifest is for server ${manifest.server_id}, not for this one`);
  }
  if (manifest.deployment_id !== deployment.id || manifest.definition_id !== deployment.definition_id) {
    return refused('replay', `the manifest is for deployment ${manifest.deployment_id}, not for ${deployment.id}`);
  }
  if (manifest.revision !== deployment.revision) {
    return refused('replay', `the manifest is of revision ${manifest.revision}, not of ${deployment.revision}`);
  }
  // A rollback deploys an older revision under a new signature, so the signing time must not go back.
  const last = expected.last(manifest.instance_uid);
  if (last && last.deployment_id !== deployment.id && Date.parse(manifest.signed_at) < Date.parse(last.signed_at)) {
    return refused('replay', 'the manifest was signed before the manifest of the last rollout of this instance');
  }
  return { ok: true, manifest };
}

function refused(rule: string, message: string): Acceptance {
  return { ok: false, rule, message };
}
