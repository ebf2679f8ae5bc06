import { generateKeyPairSync } from 'node:crypto';
import type { ManifestAction } from '@hortus/contract/template/manifest';
import { orderContext } from '@hortus/template/sealing/contexts';
import { openFields } from '@hortus/template/sealing/sealed-fields';
import { sealingKeyText } from '@hortus/template/sealing/sealing-key';
import { expect, it } from 'vitest';
import { orderProtection } from '../manifest/protected-order.ts';
import { actionRequest, fillAction, type Request, secretTexts } from './request.ts';
import type { ExecutionRow } from './store.ts';

const action = {
  slug: 'greet',
  type: 'exec',
  command: ['greet', 'loudly'],
  env: { 'A/B~C': 'a secret of the definition', GREETING: 'Hello ${params.whom}' },
  params: [{ name: 'whom', type: 'string' }],
} as unknown as ManifestAction;

const protect = orderProtection({ signOrder: (order) => ({ ...order, signature: '' }) });
const row = { id: 'exe_1', instance_id: 'ins_1', slug: 'greet', timeout_ms: 1_000 } as ExecutionRow;

function requested(journal: boolean, sealingKey: string | null) {
  const { shown, ...filled } = fillAction(action, { whom: 'Ada' });
  const request: Request = { type: 'exec', ...filled, instance: 'blog', container: 'blog-db' };
  const secrets = secretTexts({ params: JSON.stringify(shown) }, request, { journal });
  return protect(
    actionRequest(row, request, { journal }),
    { serverId: 'srv_1', sealingKey, nextBinding: () => undefined },
    secrets,
  );
}

it('the environment of an action is sealed to the pinned key, and opens with it', () => {
  const { publicKey, privateKey } = generateKeyPairSync('x25519');
  const sent = requested(false, sealingKeyText(publicKey));
  expect(JSON.stringify(sent)).not.toMatch(/secret of|Hello|loudly/);
  const { env, command } = openFields(sent, privateKey, orderContext(sent)).action;
  expect({ env, command }).toEqual({
    env: { 'A/B~C': 'a secret of the definition', GREETING: 'Hello Ada' },
    command: ['greet', 'loudly'],
  });
});

it('a daemon without a key gets the environment as it is, one with manifests takes it from there', () => {
  expect(requested(false, null).action.env).toEqual({ 'A/B~C': 'a secret of the definition', GREETING: 'Hello Ada' });
  expect(requested(true, null).action).not.toHaveProperty('env');
});
