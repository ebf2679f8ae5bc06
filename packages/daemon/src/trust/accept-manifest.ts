import type { KeyObject } from 'node:crypto';
import { SignedManifest } from '@hortus/contract/resources/manifest';
import { pathText } from '@hortus/template/finding';
import { checkSchema, isMapping, type Schema } from '@hortus/template/schema-check';
import { manifestContext } from '@hortus/template/sealing/contexts';
import { openFields } from '@hortus/template/sealing/sealed-fields';
import { isSignedBy } from './manifest-signature.ts';

export interface Expectation {
  key: KeyObject;
  /** Opens what is sealed to this daemon. */
  privateKey: KeyObject;
  serverId: string;
  deployment: { id: string; definition_id: string; revision: number };
  /** What the instance was last rolled out by, if anything. */
  last(instanceUid: string): { deployment_id: string | null; signed_at: string } | undefined;
}

export type Acceptance = { ok: true; manifest: SignedManifest } | { ok: false; rule: string; message: string };

/**
 * Decides whether an answer of GET /manifest is the order that the service gave for this very deployment on this very
 * server. The signature is checked before anything else is looked at; what it covers is then held against what was
 * asked for, because an old answer, or that of another server, is signed too. Sealed values are filled in; the signature is
 * over the form without them.
 */
export function acceptManifest(answer: unknown, expected: Expectation): Acceptance {
  if (!isMapping(answer) || !isSignedBy(expected.key, answer as SignedManifest)) {
    return refused('signature', 'the manifest is not signed by the service this server was registered with');
  }
  let opened: SignedManifest;
  try {
    const received = answer as SignedManifest;
    opened = openFields(received, expected.privateKey, manifestContext(received));
  } catch {
    return refused('sealed', 'the secrets of the manifest are sealed to another key pair than that of this daemon');
  }
  const [remark] = checkSchema(SignedManifest as unknown as Schema, opened);
  if (remark) return refused('form', `the manifest is malformed: ${pathText(remark.path)} ${remark.message}`);
  // From here on an instance is known by its name on the server: people may give its uid to another definition later.
  const manifest = { ...opened, instance_uid: opened.instance.uid };
  const { deployment } = expected;
  if (manifest.server_id !== expected.serverId || manifest.instance.server_id !== expected.serverId) {
    return refused('replay', `the manifest is for server ${manifest.server_id}, not for this one`);
  }
  if (manifest.deployment_id !== deployment.id || manifest.definition_id !== deployment.definition_id) {
    return refused('replay', `the manifest is for deployment ${manifest.deployment_id}, not for ${deployment.id}`);
  }
  if (manifest.revision !== deployment.revision) {
    return refused('replay', `the manifest is of revision ${manifest.revision}, not of ${deployment.revision}`);
  }
  // A rollback is a new deployment of an older revision, so it is the time of signing that must not go back.
  const last = expected.last(manifest.instance_uid);
  if (last && last.deployment_id !== deployment.id && Date.parse(manifest.signed_at) < Date.parse(last.signed_at)) {
    return refused('replay', 'the manifest was signed before the one this instance was last rolled out by');
  }
  return { ok: true, manifest };
}

function refused(rule: string, message: string): Acceptance {
  return { ok: false, rule, message };
}
